import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { parse, sep } from 'node:path';
import { isSystemError } from '../../base/errors.js';
import { globMatcher } from '../../base/glob-match.js';
import { openError } from './input-errors.js';

/** Tells whether a path contains a wildcard. */
export function isGlob(pattern: string): boolean {
  return /[*?[]/.test(pattern);
}

/** Returns the files (not folders) that match a pattern, in any order. `**` crosses folders but follows no links. */
export async function expandGlob(pattern: string): Promise<string[]> {
  const { root } = parse(pattern);
  const segments = pattern
    .slice(root.length)
    .split(sep === '\\' ? /[\\/]/ : '/')
    .filter((segment, i, all) => segment !== '' && !(segment === '**' && all[i - 1] === '**'));
  if (segments.at(-1) === '**') segments.push('*');
  const found = new Set<string>();
  const seen = new Set<string>(); // `**/a/**` can reach a folder in several ways

  async function walk(folder: string, at: number): Promise<void> {
    const key = `${at}:${folder}`;
    if (seen.has(key)) return;
    seen.add(key);
    const segment = segments[at];
    const below = (name: string) => (folder === '' || folder.endsWith(sep) ? folder : folder + sep) + name;
    if (segment === undefined) {
      if (!(await isFolder(folder))) found.add(folder);
    } else if (segment === '**') {
      await walk(folder, at + 1);
      for (const entry of await entriesOf(folder)) {
        if (entry.isDirectory() && !entry.name.startsWith('.')) await walk(below(entry.name), at);
      }
    } else if (isGlob(segment)) {
      const last = at === segments.length - 1;
      const matches = globMatcher(segment, { classes: true });
      for (const entry of await entriesOf(folder)) {
        if (entry.name.startsWith('.') && !segment.startsWith('.')) continue;
        if (!matches(entry.name)) continue;
        if (last || entry.isDirectory() || entry.isSymbolicLink()) await walk(below(entry.name), at + 1);
      }
    } else if (await exists(below(segment))) await walk(below(segment), at + 1);
  }

  await walk(root, 0);
  return [...found];
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder === '' ? '.' : folder, { withFileTypes: true });
  } catch (error) {
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'ENOTDIR')) return [];
    throw await openError(folder, error); // skipping an unreadable folder would silently lose logs
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false; // a broken link counts as a file, and opening it gives a clear error
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}
