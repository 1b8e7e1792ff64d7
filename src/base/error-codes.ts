import { EVALUATION_ERRORS } from './error-codes/evaluation.js';
import { INPUT_ERRORS } from './error-codes/input.js';
import { LIVE_ERRORS } from './error-codes/live.js';
import { MODEL_ERRORS } from './error-codes/model.js';
import { RESULTS_ERRORS } from './error-codes/results.js';
import { STORE_ERRORS } from './error-codes/store.js';
import { USAGE_ERRORS } from './error-codes/usage.js';

/**
 * Every error code: when the error occurs and what to do about it. Codes are stable, lower-case words joined by hyphens.
 * The reference page docs/reference/errors.md is generated from this table.
 */
export const ERROR_CODES = {
  ...EVALUATION_ERRORS,
  ...INPUT_ERRORS,
  ...LIVE_ERRORS,
  ...MODEL_ERRORS,
  ...RESULTS_ERRORS,
  ...STORE_ERRORS,
  ...USAGE_ERRORS,
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
