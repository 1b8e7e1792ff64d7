import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isSystemError } from '../../base/errors.js';
import { expandGlob, isGlob } from './glob.js';
import { directoryError, duplicatePartError, noMatchError, openError } from './input-errors.js';
import { comparePartNames, partOf } from './part-order.js';
import { STDIN } from './raw-bytes.js';

export { comparePartNames, partOf } from './part-order.js';

/**
 * Turns arguments (files, globs, `-` for standard input) into the files to read, each once, parts in order. The
 * order of the arguments does not matter; standard input comes last, after the history it continues.
 */
export async function expandInputs(patterns: string[]): Promise<string[]> {
  /** By real path, so that links and spellings of one file count once. */
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
      files.set(real, known === undefined ? path : simpler(known, path));
    }
  }
  const sorted = [...files.values()].sort((a, b) => comparePartNames(resolve(a), resolve(b)));
  refuseDuplicates(sorted);
  return stdin ? [...sorted, STDIN] : sorted;
}

async function filesOf(pattern: string): Promise<string[]> {
  try {
    // A file that exists is meant literally, even if its name holds a bracket.
    return [await checked(pattern)];
  } catch (error) {
    if (!isSystemError((error as Error).cause, 'ENOENT') || !isGlob(pattern)) throw error;
  }
  const found = await expandGlob(pattern);
  if (found.length === 0) throw noMatchError(pattern);
  return Promise.all(found.map(checked));
}

/** The path itself, if it can be read and is no directory. */
async function checked(path: string): Promise<string> {
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
    return resolve(path); // pipes such as /dev/fd/63 have none
  }
}

/** The shorter spelling, then the first: some choice that does not depend on the order of arguments. */
function simpler(a: string, b: string): string {
  if (a.length !== b.length) return a.length < b.length ? a : b;
  return a < b ? a : b;
}

/**
 * `X.json` and `X.json.0` are two spellings of one part, as are `X.json` and `X.json.gz`. Whether they hold the
 * same bytes cannot be known without reading them, so the person decides.
 */
function refuseDuplicates(sorted: string[]): void {
  const seen = new Map<string, string>();
  for (const path of sorted) {
    const { topic, part } = partOf(resolve(path));
    const key = `${part}:${topic}`;
    const first = seen.get(key);
    if (first !== undefined) throw duplicatePartError(first, path);
    seen.set(key, path);
  }
}
