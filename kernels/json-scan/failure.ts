// The reason and the position of a malformed line.

// The reasons have the order of REASONS in src/ingest/scan/json-scan.ts.
export const BAD_VALUE: i32 = 0;
export const BAD_STRING: i32 = 1;
export const BAD_ESCAPE: i32 = 2;
export const BAD_KEY: i32 = 3;
export const BAD_COLON: i32 = 4;
export const BAD_SEPARATOR: i32 = 5;
export const TOO_DEEP: i32 = 6;
export const INCOMPLETE: i32 = 7;
export const TRAILING: i32 = 8;
export const NOT_AN_OBJECT: i32 = 9;
export const BAD_UNION: i32 = 10;
export const DUPLICATE: i32 = 11;

let reason: i32 = 0;
export let failedAt: usize = 0;

/** Records a failure at `p` and returns 0, which is not a position. At a newline, the record is incomplete. */
export function fail(p: usize, why: i32): usize {
  failedAt = p;
  reason = load<u8>(p) == 0x0a ? INCOMPLETE : why;
  return 0;
}

export function failureReason(): i32 {
  return reason;
}

export function failurePosition(): u32 {
  return failedAt as u32;
}
