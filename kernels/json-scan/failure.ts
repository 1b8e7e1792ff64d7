// Why a line was given up, and where.

// Reasons, in the order of REASONS in src/ingest/scan/json-scan.ts.
export const BAD_VALUE: i32 = 0;
export const BAD_STRING: i32 = 1;
export const BAD_ESCAPE: i32 = 2;
export const BAD_KEY: i32 = 3;
export const BAD_COLON: i32 = 4;
export const BAD_SEPARATOR: i32 = 5;
export const TOO_DEEP: i32 = 6;
export const TOO_EARLY: i32 = 7;
export const TRAILING: i32 = 8;
export const NOT_AN_OBJECT: i32 = 9;
export const BAD_UNION: i32 = 10;
export const TWICE: i32 = 11;

let reason: i32 = 0;
export let failedAt: usize = 0;

/** Gives up at `p`: 0, which is no position. Whatever was expected there, a newline means that the line is too short. */
export function fail(p: usize, why: i32): usize {
  failedAt = p;
  reason = load<u8>(p) == 0x0a ? TOO_EARLY : why;
  return 0;
}

export function failureReason(): i32 {
  return reason;
}

/** Where the last line was given up. */
export function failurePosition(): u32 {
  return failedAt as u32;
}
