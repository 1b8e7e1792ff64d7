import type { ErrorCode } from '../../base/error-codes.js';
import { EXIT, type ExitCode, RecalError, type Where } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { systemProblem } from '../../base/system-problem.js';
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
  const problem = systemProblem(code);
  if (problem === undefined) return raw;
  const place = path === undefined ? '' : ` ${path}`;
  return `cannot ${ACTIONS[syscall] ?? 'open'}${place}: ${problem.meaning}`;
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
      hint: systemProblem(code)?.hint ?? 'check the path, the permissions and the free disk space',
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
