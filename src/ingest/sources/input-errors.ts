import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';

// The wording of everything that can be wrong with an input path or its bytes. The codes are stable.

const SHOWN = 3;

/** A file name in a message: quoted, and harmless for the terminal. */
export function quoted(path: string): string {
  return `'${printable(path, 512)}'`;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch {
    return []; // only a hint depends on it
  }
}

function some(names: string[]): string {
  const shown = names.slice(0, SHOWN).map(quoted).join(', ');
  return names.length > SHOWN ? `${shown} and ${names.length - SHOWN} more` : shown;
}

/** A path that could not be looked at or opened, as an error a person can act on. */
export async function openError(path: string, cause: unknown): Promise<RecalError> {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? 'unknown reason';
  const where = { file: path };
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    const name = basename(path);
    const near = (await namesIn(dirname(path))).filter((other) => other.startsWith(name));
    const hint = near.length
      ? `the same folder holds ${some(near)}`
      : 'check the spelling, and that the path is relative to the current folder';
    return new RecalError('input-not-found', `there is no file ${quoted(path)}`, { hint, where, cause });
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new RecalError('input-unreadable', `no permission to read ${quoted(path)}`, {
      hint: 'run as a user that may read it, or copy it and change its mode: audit logs usually belong to root',
      where,
      cause,
    });
  }
  return new RecalError('input-unreadable', `cannot open ${quoted(path)}: ${code}`, {
    hint:
      code === 'EMFILE' || code === 'ENFILE' ? 'raise the limit of open files: ulimit -n' : 'check the disk',
    where,
    cause,
  });
}

export async function directoryError(path: string): Promise<RecalError> {
  const names = (await namesIn(path)).filter((name) => !name.startsWith('.'));
  const json = names.filter((name) => name.includes('.json'));
  const hint = json.length
    ? `name its files: '${printable(join(path, '*.json*'), 512)}' (${json.length} there)`
    : names.length
      ? `name the log files in it; it holds ${some(names)}`
      : 'it is empty';
  return new RecalError('input-is-directory', `${quoted(path)} is a directory`, {
    hint,
    where: { file: path },
  });
}

export function noMatchError(pattern: string): RecalError {
  return new RecalError('input-no-match', `no file matches ${quoted(pattern)}`, {
    hint: "* and ? stop at /, ** crosses folders, names that start with '.' must be spelled out",
    where: { file: pattern },
  });
}

export function duplicatePartError(first: string, second: string): RecalError {
  return new RecalError('duplicate-part', `${quoted(first)} and ${quoted(second)} are the same part`, {
    hint: 'counting a part twice would double its events: name one of the two, or move the other away',
    where: { file: second },
  });
}

export function readError(name: string, offset: number, cause: unknown): RecalError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? 'unknown reason';
  return new RecalError(
    'input-read-failed',
    `reading ${quoted(name)} failed after ${offset} bytes: ${code}`,
    {
      hint: 'check the disk or the network file system it is on',
      where: { file: name, offset },
      cause,
    },
  );
}

export function emptyInputError(name: string, what = 'is empty'): RecalError {
  return new RecalError('empty-input', `${quoted(name)} ${what}`, {
    hint: 'was the download or the export interrupted? An empty log is refused, for it would train on nothing',
    where: { file: name },
  });
}

/** A mistake of the calling code rather than of the input. */
export function inputUseError(
  code: 'input-closed' | 'input-consumed' | 'hash-incomplete',
  name: string,
): RecalError {
  const what = {
    'input-closed': 'was closed while it was being read',
    'input-consumed': 'can be read only once; open it again',
    'hash-incomplete': 'has no hash before it was read to its end',
  }[code];
  return new RecalError(code, `${quoted(name)} ${what}`, { where: { file: name } });
}
