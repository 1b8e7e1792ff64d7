import { mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSystemError } from '../errors.js';

/**
 * Creates a folder and its missing parents one by one, and returns the created folders, outermost first. A recursive
 * mkdir of Node 20 never returns where mkdir always fails with ENOENT, as in /proc.
 */
export async function makeFolder(path: string): Promise<string[]> {
  try {
    await mkdir(path);
    return [path];
  } catch (error) {
    if (isSystemError(error, 'EEXIST') && (await isFolder(path))) return [];
    const above = dirname(path);
    if (!isSystemError(error, 'ENOENT') || above === path) throw error;
    const created = await makeFolder(above);
    // Another process may have created the folder first.
    const own = await mkdir(path).then(
      () => [path],
      async (again: unknown) => {
        if (isSystemError(again, 'EEXIST') && (await isFolder(path))) return [];
        await removeFolders(created);
        throw again;
      },
    );
    return [...created, ...own];
  }
}

/** Removes the folders that `makeFolder` created, except those that are no longer empty. */
export async function removeFolders(created: readonly string[]): Promise<void> {
  for (const folder of [...created].reverse()) await rmdir(folder).catch(() => undefined);
}

/** Tells whether the path is an existing folder. */
export function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
