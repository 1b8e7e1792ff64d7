import type { ErrorCode } from './error-codes.js';

/** The position of a problem in the input or the configuration. */
export interface Where {
  file?: string;
  line?: number;
  /** Byte offset in the decompressed input, for data without lines. */
  offset?: number;
}

/** The exit codes of the process. `recal --help` and docs/reference/cli.md list them. */
export const EXIT = {
  done: 0,
  error: 1,
  usage: 2,
  alerts: 3,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * An error that the user can act on: what is wrong, where, and what to do about it. Programs should use `code`, which is
 * stable; the wording may change.
 */
export class RecalError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly where: Where | undefined;
  readonly exit: ExitCode;

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string; where?: Where; exit?: ExitCode; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RecalError';
    this.code = code;
    this.hint = options.hint;
    this.where = options.where;
    this.exit = options.exit ?? EXIT.error;
  }
}

/** Tells whether this is an operating-system error with this code (`ENOENT`, `ENOSPC`, …). */
export function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}
