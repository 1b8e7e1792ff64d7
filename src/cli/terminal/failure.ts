import type { ErrorCode } from '../../base/error-codes.js';
import { EXIT, type ExitCode, RecalError, type Where } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import type { Output } from './output.js';

/** An error as data, as `--json` prints it. */
interface Failure {
  code: ErrorCode;
  /** The code of the operating system, such as ENOENT. */
  errno?: string | undefined;
  message: string;
  hint?: string | undefined;
  where?: Where | undefined;
  exit: ExitCode;
}

/** What an error of the operating system means, and what to do about it. */
const SYSTEM_ERRORS: Record<string, readonly [meaning: string, hint: string]> = {
  ENOENT: ['it does not exist', 'check the path'],
  ENOTDIR: ['a part of the path is a file', 'check the path'],
  EISDIR: ['it is a folder', 'check the path; remove the folder if recal should write a file there'],
  EEXIST: ['it already exists', 'remove it, or choose another path'],
  ENOTEMPTY: ['the folder is not empty', 'remove what is in it, or choose another path'],
  ELOOP: ['its symbolic links form a loop', 'check the links in the path'],
  ENAMETOOLONG: ['the path is too long', 'choose a shorter path'],
  EACCES: ['permission denied', 'run recal as a user who may do this, or change the permissions'],
  EPERM: ['not permitted', 'run recal as a user who may do this, or change the permissions'],
  EROFS: ['the file system is read-only', 'choose a path on a writable file system'],
  EXDEV: ['it is on another file system', 'choose paths on one file system'],
  EBUSY: ['it is in use', 'wait until the other program has finished, then run the command again'],
  EIO: ['the disk reports an error', 'check the disk and the file system, and restore from a backup'],
  ESTALE: ['the network file system lost the file', 'mount it again, then run the command again'],
  ENOSPC: ['the disk is full', 'free some disk space, then run the command again'],
  EDQUOT: ['the disk quota is used up', 'free some space in the disk quota, then run the command again'],
  EFBIG: ['the file would be too large', 'raise the file-size limit (ulimit -f), or use another file system'],
  EMFILE: ['too many files are open', 'raise the open-file limit (ulimit -n)'],
  ENFILE: ['too many files are open on this machine', 'end other programs, or raise the limit of the system'],
  ENOMEM: ['the system has no memory left', 'end other programs, or use a machine with more memory'],
};

const ACTIONS: Record<string, string> = {
  mkdir: 'create the folder',
  rmdir: 'remove the folder',
  scandir: 'list the folder',
  opendir: 'list the folder',
  unlink: 'remove',
  rename: 'rename',
  link: 'create',
  symlink: 'create',
  write: 'write',
  read: 'read',
  fsync: 'write',
  ftruncate: 'write',
  stat: 'read',
  lstat: 'read',
  access: 'read',
};

function systemMessage(code: string, syscall: string, path: string | undefined, raw: string): string {
  const [meaning] = SYSTEM_ERRORS[code] ?? [];
  if (meaning === undefined) return raw;
  const place = path === undefined ? '' : ` ${path}`;
  return `cannot ${ACTIONS[syscall] ?? 'open'}${place}: ${meaning}`;
}

function describeFailure(error: unknown): Failure {
  if (error instanceof RecalError) {
    const { code, message, hint, where, exit } = error;
    return { code, message, hint, where, exit };
  }
  const { code, syscall, path } = (error ?? {}) as NodeJS.ErrnoException;
  if (error instanceof Error && typeof code === 'string' && typeof syscall === 'string') {
    return {
      code: 'system-error',
      errno: code,
      message: systemMessage(code, syscall, path, error.message),
      hint: SYSTEM_ERRORS[code]?.[1] ?? 'check the path, the permissions and the free disk space',
      where: path === undefined ? undefined : { file: path },
      exit: EXIT.error,
    };
  }
  const message =
    error instanceof Error
      ? `${error.name === 'Error' ? '' : `${error.name}: `}${error.message}`
      : String(error);
  return {
    code: 'internal',
    message: `internal error: ${message}`,
    hint: 'this is a bug in recal; run the command again with --stack and report the output',
    exit: EXIT.error,
  };
}

function formatWhere({ file, line, offset }: Where): string | undefined {
  const parts: string[] = [];
  if (file !== undefined) parts.push(printable(file) + (line === undefined ? '' : `:${line}`));
  else if (line !== undefined) parts.push(`line ${line}`);
  if (offset !== undefined) parts.push(`byte ${offset}`);
  return parts.length === 0 ? undefined : `at ${parts.join(', ')}`;
}

/** `error: …`, `hint: …` and `at file:line`, one line each. Attackers may have written parts of every text. */
function failureLines(failure: Failure): string[] {
  const lines = [`error: ${printable(failure.message)}`];
  if (failure.hint !== undefined) lines.push(`hint: ${printable(failure.hint)}`);
  const at = failure.where === undefined ? undefined : formatWhere(failure.where);
  if (at !== undefined) lines.push(at);
  return lines;
}

/** The stack of an error and of its causes. */
function stackLines(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error)) return [];
  const lines = (error.stack ?? '').split('\n').map((line) => `  ${printable(line)}`);
  if (error.cause === undefined || depth === 8) return lines;
  return [...lines, '  caused by', ...stackLines(error.cause, depth + 1)];
}

/** Prints an error to stderr and returns the exit code. With `--json` it also prints the error to stdout. */
export function reportFailure(error: unknown, out: Output, stack: boolean): ExitCode {
  const failure = describeFailure(error);
  out.status('');
  for (const line of failureLines(failure)) out.error(line);
  if (stack) for (const line of stackLines(error)) out.error(line);
  const { exit, ...data } = failure;
  if (out.json && !out.hasAnswered) out.result({ error: data });
  return exit;
}
