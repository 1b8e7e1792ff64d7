import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isSystemError } from '../../base/errors.js';
import { expandGlob, isGlob } from './glob.js';
import { directoryError, duplicatePartError, noMatchError, openError } from './input-errors.js';
import { comparePartNames, partOf } from './part-order.js';
import { STDIN } from './raw-bytes.js';

/**
 * Expands files, globs and `-` for standard input to the list of files to read, without duplicates and with parts in
 * order. The order of the arguments does not matter. Standard input comes last, because it continues the files.
 */
export async function expandInputs(patterns: string[]): Promise<string[]> {
  /** By real path, so that links to a file and other spellings of its path count once. */
  const files = new Map<string, string>();
  let stdin = false;
  for (const pattern of patterns) {
    if (pattern === STDIN) {
      stdin = true;
      continue;
    }
    for (const path of await filesOf(pattern)) {
      const real = await realPathOf(path);
      const known = files.get(real);
      files.set(real, known === undefined ? path : simplerPath(known, path));
    }
  }
  const sorted = [...files.values()].sort((a, b) => comparePartNames(resolve(a), resolve(b)));
  checkDuplicateParts(sorted);
  return stdin ? [...sorted, STDIN] : sorted;
}

async function filesOf(pattern: string): Promise<string[]> {
  try {
    // The path of an existing file is never a pattern, even if it contains a bracket.
    return [await checkReadable(pattern)];
  } catch (error) {
    if (!isSystemError((error as Error).cause, 'ENOENT') || !isGlob(pattern)) throw error;
  }
  const found = await expandGlob(pattern);
  if (found.length === 0) throw noMatchError(pattern);
  return Promise.all(found.map(checkReadable));
}

/** Returns the path if it is a readable file. */
async function checkReadable(path: string): Promise<string> {
  let directory: boolean;
  try {
    directory = (await stat(path)).isDirectory();
    await access(path, constants.R_OK);
  } catch (error) {
    throw await openError(path, error);
  }
  if (directory) throw await directoryError(path);
  return path;
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return resolve(path); // pipes such as /dev/fd/63 have no real path
  }
}

/** Chooses between two spellings of a path, independently of the order of the arguments. */
function simplerPath(a: string, b: string): string {
  if (a.length !== b.length) return a.length < b.length ? a : b;
  return a < b ? a : b;
}

/**
 * Throws if two files are the same part, such as `X.json` and `X.json.0`, or `X.json` and `X.json.gz`. They may hold the
 * same events, so the user must choose one.
 */
function checkDuplicateParts(sorted: string[]): void {
  const seen = new Map<string, string>();
  for (const path of sorted) {
    const { topic, part } = partOf(resolve(path));
    if (!topic.endsWith('.json')) continue;
    const key = `${part}:${topic}`;
    const first = seen.get(key);
    if (first !== undefined) throw duplicatePartError(first, path);
    seen.set(key, path);
  }
}
