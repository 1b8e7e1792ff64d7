import type { ErrorCode } from '../../base/error-codes.js';
import { EXIT, type ExitCode, RecalError, type Where } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import type { Output } from './output.js';

/** An error as data: what `--json` prints, and what the lines for people are made of. */
export interface Failure {
  code: ErrorCode;
  /** The operating system's own code, such as ENOENT. */
  errno?: string | undefined;
  message: string;
  hint?: string | undefined;
  where?: Where | undefined;
  exit: ExitCode;
}

const SYSTEM_HINTS: Record<string, string> = {
  ENOENT: 'check the path',
  EACCES: 'check the permissions',
  EPERM: 'check the permissions',
  ENOSPC: 'the disk is full: free some space and run it again',
  EDQUOT: 'the quota is used up: free some space and run it again',
  EFBIG: 'the file system or a limit (ulimit -f) allows no larger file: free some space or raise it',
  EMFILE: 'too many open files: raise the limit (ulimit -n)',
};

/** What went wrong, in terms that a person can act on. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof RecalError) {
    const { code, message, hint, where, exit } = error;
    return { code, message, hint, where, exit };
  }
  const { code, syscall, path } = (error ?? {}) as NodeJS.ErrnoException;
  if (error instanceof Error && typeof code === 'string' && typeof syscall === 'string') {
    return {
      code: 'system-error',
      errno: code,
      message: error.message,
      hint: SYSTEM_HINTS[code],
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
    message: `internal: ${message}`,
    hint: 'this is a defect in recal: run it again with --stack to see where, and report it',
    exit: EXIT.error,
  };
}

function place({ file, line, offset }: Where): string | undefined {
  const parts: string[] = [];
  if (file !== undefined) parts.push(printable(file) + (line === undefined ? '' : `:${line}`));
  else if (line !== undefined) parts.push(`line ${line}`);
  if (offset !== undefined) parts.push(`byte ${offset}`);
  return parts.length === 0 ? undefined : `at ${parts.join(', ')}`;
}

/** `error: …`, `hint: …` and `at file:line`, one line each; every text may hold what an attacker wrote. */
export function failureLines(failure: Failure): string[] {
  const lines = [`error: ${printable(failure.message)}`];
  if (failure.hint !== undefined) lines.push(`hint: ${printable(failure.hint)}`);
  const at = failure.where === undefined ? undefined : place(failure.where);
  if (at !== undefined) lines.push(at);
  return lines;
}

/** The stack of an error and of what caused it. */
function stackLines(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error)) return [];
  const lines = (error.stack ?? '').split('\n').map((line) => `  ${printable(line)}`);
  if (error.cause === undefined || depth === 8) return lines;
  return [...lines, '  caused by', ...stackLines(error.cause, depth + 1)];
}

/** Prints an error and returns the exit code. With `--json` a program finds it on stdout too. */
export function reportFailure(error: unknown, out: Output, stack: boolean): ExitCode {
  const failure = describeFailure(error);
  out.status('');
  for (const line of failureLines(failure)) out.error(line);
  if (stack) for (const line of stackLines(error)) out.error(line);
  const { exit, ...data } = failure;
  if (out.json && !out.hasAnswered) out.result({ error: data });
  return exit;
}
