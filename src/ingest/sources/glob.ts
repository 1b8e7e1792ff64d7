import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { parse, sep } from 'node:path';
import { isSystemError } from '../../base/errors.js';
import { openError } from './input-errors.js';

// Our own, because Node 20 has no glob and a pattern turned into a regular expression can take exponential time.

export function isGlob(pattern: string): boolean {
  return /[*?[]/.test(pattern);
}

/** Exactly one character: itself, any, or one of a class. */
type One = { accepts: (char: string) => boolean };
type Token = '*' | One;

function parseClass(body: string[]): One {
  const negated = body[0] === '!' || body[0] === '^';
  const chars = negated ? body.slice(1) : body;
  const ranges: [string, string][] = [];
  for (let i = 0; i < chars.length; i++) {
    if (chars[i + 1] === '-' && i + 2 < chars.length) {
      ranges.push([chars[i], chars[i + 2]]);
      i += 2;
    } else ranges.push([chars[i], chars[i]]);
  }
  return { accepts: (char) => ranges.some(([low, high]) => char >= low && char <= high) !== negated };
}

function parseSegment(segment: string): Token[] {
  const chars = [...segment];
  const tokens: Token[] = [];
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i];
    if (char === '*') {
      if (tokens.at(-1) !== '*') tokens.push('*');
    } else if (char === '?') tokens.push({ accepts: () => true });
    else {
      // A `]` right after the bracket (or its negation) belongs to the class; without an end, `[` is itself.
      const first = chars[i + 1] === '!' || chars[i + 1] === '^' ? i + 2 : i + 1;
      const end = char === '[' ? chars.indexOf(']', first + 1) : -1;
      if (end > 0) {
        tokens.push(parseClass(chars.slice(i + 1, end)));
        i = end;
      } else tokens.push({ accepts: (other) => other === char });
    }
  }
  return tokens;
}

/**
 * Whether a name without separators matches `*`, `?` and `[a-z]`, `[!a-z]`. Only the last star is ever tried
 * again, so the time is at most pattern × name. Names that start with a dot need a pattern that does.
 */
export function matchName(segment: string, name: string): boolean {
  if (name.startsWith('.') && !segment.startsWith('.')) return false;
  const tokens = parseSegment(segment);
  const chars = [...name];
  let t = 0;
  let c = 0;
  let star = -1;
  let resume = 0;
  while (c < chars.length) {
    const token = tokens[t];
    if (token === '*') {
      star = t++;
      resume = c;
    } else if (token?.accepts(chars[c])) {
      t++;
      c++;
    } else if (star >= 0) {
      t = star + 1;
      c = ++resume;
    } else return false;
  }
  while (tokens[t] === '*') t++;
  return t === tokens.length;
}

/** The files (not folders) that match a pattern, in no particular order. `**` crosses folders, but no links. */
export async function expandGlob(pattern: string): Promise<string[]> {
  const { root } = parse(pattern);
  const segments = pattern
    .slice(root.length)
    .split(sep === '\\' ? /[\\/]/ : '/')
    .filter((segment, i, all) => segment !== '' && !(segment === '**' && all[i - 1] === '**'));
  if (segments.at(-1) === '**') segments.push('*');
  const found = new Set<string>();
  const seen = new Set<string>(); // `**/a/**` reaches a folder in many ways

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
      for (const entry of await entriesOf(folder)) {
        if (!matchName(segment, entry.name)) continue;
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
    throw await openError(folder, error); // skipping a folder one may not read would lose logs in silence
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false; // a dangling link stays a match, and fails by name when it is opened
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
