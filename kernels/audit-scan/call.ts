// Reads SYSCALL records whose fields are as the kernel writes them. CallRecord in
// src/ingest/formats/auditd/call-record.ts reads the same; a test compares them.

import { APOSTROPHE, findEnd, findQuote, QUOTE, SPACE, starts } from './bytes';
import {
  A0,
  A1,
  A2,
  A3,
  ARCH,
  AUID,
  COMM,
  EGID,
  EUID,
  EXE,
  EXIT,
  FSGID,
  FSUID,
  GID,
  ITEMS,
  KEY,
  PID,
  PPID,
  SES,
  SGID,
  SUBJ,
  SUCCESS,
  SUID,
  SYSCALL,
  TTY,
  UID,
} from './names';
import { REST, RESULT, TEXT, TEXT_START, TEXT_STOP, VALUES } from './row';
import { textNumber } from './texts';

const NONE: i32 = i32.MIN_VALUE;
const MAX_INT: i64 = 0x7fffffff;

/** Where the next field starts. 0 after a field that is not as expected. */
let at: usize = 0;

/** Fills the row from the fields between `start` and `stop`. Returns false if they are not as expected. */
export function readCall(row: usize, start: usize, stop: usize, block: usize): bool {
  at = load<u8>(start) == SPACE ? start + 1 : start;
  let result = 0;
  store<i32>(row, hex(ARCH, 5, stop), VALUES);
  store<i32>(row, natural(integer(SYSCALL, 8, stop)), VALUES + 4);
  if (at != 0 && starts(at, SUCCESS, 8)) {
    store<i32>(row, load<u8>(at + 8) == 0x79 ? 2 : 1, VALUES + 8);
    skip(SUCCESS, 8, stop);
    result |= 1;
  }
  if (at != 0 && starts(at, EXIT, 5)) {
    const exit = integer(EXIT, 5, stop);
    store<i32>(row, (exit >= -MAX_INT && exit <= MAX_INT ? exit : MAX_INT) as i32, VALUES + 12);
    result |= 2;
  }
  store<i32>(row, result, RESULT);
  store<i32>(row, hex(A0, 3, stop), VALUES + 16);
  store<i32>(row, hex(A1, 3, stop), VALUES + 20);
  store<i32>(row, hex(A2, 3, stop), VALUES + 24);
  store<i32>(row, hex(A3, 3, stop), VALUES + 28);
  store<i32>(row, natural(integer(ITEMS, 6, stop)), VALUES + 32);
  store<i32>(row, natural(integer(PPID, 5, stop)), VALUES + 36);
  store<i32>(row, natural(integer(PID, 4, stop)), VALUES + 40);
  if (at == 0) return false;
  skip(AUID, 5, stop);
  skip(UID, 4, stop);
  skip(GID, 4, stop);
  store<i32>(row, identity(integer(EUID, 5, stop)), VALUES + 44);
  skip(SUID, 5, stop);
  skip(FSUID, 6, stop);
  store<i32>(row, identity(integer(EGID, 5, stop)), VALUES + 48);
  skip(SGID, 5, stop);
  skip(FSGID, 6, stop);
  skip(TTY, 4, stop);
  store<i32>(row, identity(integer(SES, 4, stop)), VALUES + 52);
  if (at == 0 || !starts(at, COMM, 5) || load<u8>(at + 5) != QUOTE) return false;
  at = findQuote(at + 6, stop) + 1;
  if (at >= stop || load<u8>(at) != SPACE || !starts(++at, EXE, 4) || load<u8>(at + 4) != QUOTE) return false;
  const exe = at + 4;
  const end = findQuote(exe + 1, stop);
  if (end == stop) return false;
  store<i32>(row, textNumber(exe, end), TEXT);
  store<u32>(row, (exe - block) as u32, TEXT_START);
  store<u32>(row, (end - block) as u32, TEXT_STOP);
  const rest = isKey(end + 1, stop) ? stop : end + 1;
  store<u32>(row, (rest - block) as u32, REST);
  return true;
}

/** Tells whether only the key of the rule is left, and before it the security context. The host needs neither. */
function isKey(from: usize, stop: usize): bool {
  let p = from;
  if (p == stop) return true;
  if (load<u8>(p) != SPACE) return false;
  p++;
  if (starts(p, SUBJ, 5)) {
    const first = load<u8>(p + 5);
    if (first == QUOTE || first == APOSTROPHE) return false;
    p = findEnd(p + 5, stop);
    if (p == stop) return true;
    if (load<u8>(p) != SPACE) return false;
    p++;
  }
  if (p + 4 > stop || !starts(p, KEY, 4)) return false;
  p += 4;
  if (p < stop && load<u8>(p) == QUOTE) {
    const end = findQuote(p + 1, stop);
    return end + 1 >= stop;
  }
  return findEnd(p, stop) == stop;
}

/** Goes to the next field if the one that ended at `p` has a value and a space after it. */
// @ts-ignore: decorator
@inline
function go(p: usize, first: usize, stop: usize): void {
  at = p < stop && p != first && load<u8>(p) == SPACE ? p + 1 : 0;
}

/** The low 32 bits of a hexadecimal value. */
// @ts-ignore: decorator
@inline
function hex(name: u64, length: u32, stop: usize): i32 {
  if (at == 0 || !starts(at, name, length)) {
    at = 0;
    return 0;
  }
  const first = at + length;
  let p = first;
  let value: i32 = 0;
  while (p < stop) {
    const byte = load<u8>(p) as i32;
    let digit = byte - 0x30;
    if ((digit as u32) > 9) {
      digit = (byte | 0x20) - 0x57;
      if (digit < 10 || digit > 15) break;
    }
    value = (value << 4) | digit;
    p++;
  }
  go(p, first, stop);
  return value;
}

/** A decimal value of at most 18 digits. */
// @ts-ignore: decorator
@inline
function integer(name: u64, length: u32, stop: usize): i64 {
  if (at == 0 || !starts(at, name, length)) {
    at = 0;
    return 0;
  }
  let p = at + length;
  const negative = load<u8>(p) == 0x2d;
  if (negative) p++;
  const first = p;
  let value: i64 = 0;
  while (p < stop) {
    const digit = (load<u8>(p) as u32) - 0x30;
    if (digit > 9) break;
    value = value * 10 + (digit as i64);
    p++;
  }
  if (p - first > 18) at = 0;
  else go(p, first, stop);
  return negative ? -value : value;
}

// @ts-ignore: decorator
@inline
function skip(name: u64, length: u32, stop: usize): void {
  if (at == 0 || !starts(at, name, length)) {
    at = 0;
    return;
  }
  const first = at + length;
  let p = first;
  while (p < stop && load<u8>(p) != SPACE) p++;
  go(p, first, stop);
}

/** Process numbers and counts have 31 bits. */
// @ts-ignore: decorator
@inline
function natural(value: i64): i32 {
  return value >= 0 && value <= MAX_INT ? (value as i32) : NONE;
}

/** Users, groups and sessions have 32 bits. 4294967295 (-1) is unset. */
// @ts-ignore: decorator
@inline
function identity(value: i64): i32 {
  const word = value as i32;
  return value >= -1 && value <= 0xffffffff && word != -1 ? word : NONE;
}
