import type { ErrorCode } from './error-codes.js';

/** Where in the input or configuration a problem was found. */
export interface Where {
  file?: string;
  line?: number;
  /** Byte offset in the decompressed input, where lines make no sense. */
  offset?: number;
}

/** The process exit codes: one table, printed by `recal --help` and in docs/reference/cli.md. */
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
 * An error that a person can act on: what happened, where, and what to do about it.
 * `code` is stable and meant for programs; the wording is not.
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

/** True for an operating-system error with this code (`ENOENT`, `ENOSPC`, …). */
export function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}
