import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { systemProblem } from '../../base/system-problem.js';

/** The number of file names in a hint. */
const MAX_NAMES = 3;

/** Quotes and escapes a file name for an error message. */
export function quoted(path: string): string {
  return `'${printable(path, 512)}'`;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch {
    return []; // the names are only for a hint
  }
}

function listNames(names: string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(quoted).join(', ');
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}

/** The error for a path that cannot be opened. */
export async function openError(path: string, cause: unknown): Promise<RecalError> {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? 'unknown reason';
  const where = { file: path };
  if (path === '') {
    return new RecalError('input-not-found', 'the name of a log file is empty', {
      hint: 'give a file; a shell variable in the command may be unset',
      cause,
    });
  }
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    const name = basename(path);
    const similar = (await namesIn(dirname(path))).filter((other) => other.startsWith(name));
    const hint = similar.length
      ? `similar names in the folder: ${listNames(similar)}`
      : 'check the spelling; relative paths start at the current folder';
    return new RecalError('input-not-found', `there is no file or folder ${quoted(path)}`, {
      hint,
      where,
      cause,
    });
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new RecalError('input-unreadable', `no permission to read ${quoted(path)}`, {
      hint: 'run recal as a user who may read it, or change its permissions; audit logs usually belong to root',
      where,
      cause,
    });
  }
  const { meaning = code, hint = 'check the disk and the file system' } = systemProblem(code) ?? {};
  return new RecalError('input-unreadable', `cannot open ${quoted(path)}: ${meaning}`, {
    hint,
    where,
    cause,
  });
}

export async function directoryError(path: string): Promise<RecalError> {
  const names = (await namesIn(path)).filter((name) => !name.startsWith('.'));
  const json = names.filter((name) => name.includes('.json'));
  const hint = json.length
    ? `pass the files in it: '${printable(join(path, '*.json*'), 512)}' (${json.length} files)`
    : names.length
      ? `pass the log files in it; it contains ${listNames(names)}`
      : 'it is empty; pass log files';
  return new RecalError('input-is-directory', `${quoted(path)} is a folder`, {
    hint,
    where: { file: path },
  });
}

export function noMatchError(pattern: string): RecalError {
  return new RecalError('input-no-match', `no file matches ${quoted(pattern)}`, {
    hint: "check the pattern: * and ? match within a folder, ** matches across folders, hidden files need a leading '.'",
    where: { file: pattern },
  });
}

export function duplicatePartError(first: string, second: string): RecalError {
  return new RecalError(
    'duplicate-part',
    `${quoted(first)} and ${quoted(second)} are the same part of a log`,
    {
      hint: 'pass only one of them, so that no event is read twice',
      where: { file: second },
    },
  );
}

export function readError(name: string, offset: number, cause: unknown): RecalError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? 'unknown reason';
  const { meaning = code, hint = 'check the disk or the network file system' } = systemProblem(code) ?? {};
  return new RecalError(
    'input-read-failed',
    `reading ${quoted(name)} failed after ${offset} bytes: ${meaning}`,
    { hint, where: { file: name, offset }, cause },
  );
}

export function shortenedError(name: string, bytes: number, promised: number): RecalError {
  return new RecalError(
    'input-changed',
    `${quoted(name)} became shorter while it was read: ${bytes} of ${promised} bytes`,
    {
      hint: 'if a log rotation cut it, ingest the rotated copy; otherwise wait until its writer has finished',
      where: { file: name, offset: bytes },
    },
  );
}

export function emptyInputError(name: string, fault: string): RecalError {
  return new RecalError('empty-input', `${quoted(name)} ${fault}`, {
    hint: 'check whether the download or export was interrupted',
    where: { file: name },
  });
}

/** The error for a wrong use of an input by the calling code. */
export function inputUseError(
  code: 'input-closed' | 'input-consumed' | 'hash-incomplete',
  name: string,
): RecalError {
  const fault = {
    'input-closed': 'was closed while it was being read',
    'input-consumed': 'can be read only once; open it again',
    'hash-incomplete': 'has no hash until it is read to the end',
  }[code];
  return new RecalError(code, `${quoted(name)} ${fault}`, { where: { file: name } });
}
