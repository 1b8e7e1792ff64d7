import { mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSystemError } from './errors.js';

/**
 * Makes a folder and whatever is missing above it, level by level; gives those that it made, outermost first, or none. A
 * recursive mkdir of Node 20 never returns where the system denies a folder as if the one above were missing, as in /proc.
 */
export async function makeFolder(path: string): Promise<string[]> {
  try {
    await mkdir(path);
    return [path];
  } catch (error) {
    if (isSystemError(error, 'EEXIST') && (await isFolder(path))) return [];
    const above = dirname(path);
    if (!isSystemError(error, 'ENOENT') || above === path) throw error;
    const made = await makeFolder(above);
    // Another process may have been first, which is as well.
    const own = await mkdir(path).then(
      () => [path],
      async (again: unknown) => {
        if (isSystemError(again, 'EEXIST') && (await isFolder(path))) return [];
        await removeFolders(made);
        throw again;
      },
    );
    return [...made, ...own];
  }
}

/** Takes away again what was made, but not from under whoever has put something into it since. */
export async function removeFolders(made: readonly string[]): Promise<void> {
  for (const level of [...made].reverse()) await rmdir(level).catch(() => undefined);
}

/** False too where there is nothing. */
export function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
