import { isSystemError, RecalError } from '../errors.js';

/** What to say about an error that passes when somebody frees space; undefined for any other. */
export function spaceProblem(error: unknown): string | undefined {
  if (error instanceof RecalError && error.code === 'disk-full') return error.message;
  if (isSystemError(error, 'ENOSPC')) return 'the disk is full';
  return isSystemError(error, 'EDQUOT') ? 'the disk quota is used up' : undefined;
}
