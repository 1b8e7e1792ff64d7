// Reads SYSCALL records whose fields are as the kernel writes them. CallRecord in
// src/ingest/formats/auditd/call-record.ts reads the same; a test compares them.

import { APOSTROPHE, ENRICHED, findEnd, findQuote, QUOTE, SPACE, starts } from './bytes';
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
import { COMM_TEXT, REST, RESULT, TEXT, USER_TEXT, VALUES } from './row';
import { textNumber } from './texts';

/** Bits of the result: which optional fields the row has, and whether only translations follow the program. */
const HAS_SUCCESS: i32 = 1;
const HAS_EXIT: i32 = 2;
const HAS_COMM: i32 = 4;
const HAS_USER: i32 = 8;
const TRANSLATED: i32 = 16;

const EUID_NAME: u64 = 0x3d44495545; // EUID=
const YES: u64 = 0x20736579; // yes and a space
const NO: u64 = 0x206f6e;
const NONE: i32 = i32.MIN_VALUE;
const MAX_INT: i64 = 0x7fffffff;

/** Where the next field starts. 0 after a field that is not as expected. */
let at: usize = 0;

/** Fills the row from the fields between `start` and `stop`. Returns false if they are not as expected. */
export function readCall(row: usize, start: usize, stop: usize, block: usize): bool {
  at = load<u8>(start) == SPACE ? start + 1 : start;
  let result = 0;
  let isPlain = true;
  store<i32>(row, hex(ARCH, 5, stop), VALUES);
  store<i32>(row, natural(integer(SYSCALL, 8, stop)), VALUES + 4);
  if (at != 0 && starts(at, SUCCESS, 8)) {
    store<i32>(row, load<u8>(at + 8) == 0x79 ? 2 : 1, VALUES + 8);
    isPlain = starts(at + 8, YES, 4) || starts(at + 8, NO, 3);
    skip(SUCCESS, 8, stop);
    result |= HAS_SUCCESS;
  }
  if (at != 0 && starts(at, EXIT, 5)) {
    const exit = integer(EXIT, 5, stop);
    store<i32>(row, (exit >= -MAX_INT && exit <= MAX_INT ? exit : MAX_INT) as i32, VALUES + 12);
    result |= HAS_EXIT;
  }
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
  if (at == 0 || !starts(at, COMM, 5)) return false;
  const comm = at + 5;
  const commEnd = textEnd(comm, stop);
  at = load<u8>(comm) == QUOTE ? commEnd + 1 : commEnd;
  if (commEnd == 0 || at >= stop || load<u8>(at) != SPACE || !starts(++at, EXE, 4)) return false;
  const exe = at + 4;
  const exeEnd = textEnd(exe, stop);
  if (exeEnd == 0) return false;
  if (load<u8>(comm) != QUOTE || load<u8>(exe) != QUOTE) {
    // The host reads such a record field by field, which is the same only if its values are plain.
    if (!isPlain || !arePlain(start, comm)) return false;
    putText(row, COMM_TEXT, comm, commEnd, block);
    result |= HAS_COMM;
  }
  putText(row, TEXT, exe, exeEnd, block);
  const end = load<u8>(exe) == QUOTE ? exeEnd + 1 : exeEnd;
  const after = afterKey(end, stop);
  if (after != 0 && after < stop) result |= readTranslations(row, after + 1, stop, block);
  store<i32>(row, result, RESULT);
  store<u32>(row, ((after == stop ? stop : end) - block) as u32, REST);
  return true;
}

/** The end of a text without its quotes, or 0 if it has none or is empty. */
function textEnd(start: usize, stop: usize): usize {
  if (start >= stop) return 0;
  const first = load<u8>(start);
  const end = first == QUOTE ? findQuote(start + 1, stop) : findEnd(start, stop);
  return first == QUOTE ? (end == stop ? 0 : end) : end == start ? 0 : end;
}

// @ts-ignore: decorator
@inline
function putText(row: usize, offset: usize, start: usize, end: usize, block: usize): void {
  store<i32>(row + offset, textNumber(start, end));
  store<u32>(row + offset, (start - block) as u32, 4);
  store<u32>(row + offset, (end - block) as u32, 8);
}

/** Tells whether there are no quotes, apostrophes or marks of translated fields. */
function arePlain(start: usize, stop: usize): bool {
  const quote = i8x16.splat(QUOTE);
  const apostrophe = i8x16.splat(APOSTROPHE);
  const enriched = i8x16.splat(ENRICHED);
  for (let p = start; p < stop; p += 16) {
    const bytes = v128.load(p);
    const found = v128.or(v128.or(i8x16.eq(bytes, quote), i8x16.eq(bytes, apostrophe)), i8x16.eq(bytes, enriched));
    const mask = i8x16.bitmask(found);
    if (mask != 0 && p + (ctz(mask) as usize) < stop) return false;
  }
  return true;
}

/**
 * Skips the key of the rule, and before it the security context. The host needs neither. Returns where they end: at the end
 * of the record or at the mark of translated fields. 0 if something else is there.
 */
function afterKey(from: usize, stop: usize): usize {
  let p = from;
  if (p == stop) return stop;
  if (load<u8>(p) != SPACE) return 0;
  p++;
  if (starts(p, SUBJ, 5)) {
    const first = load<u8>(p + 5);
    if (first == QUOTE || first == APOSTROPHE) return 0;
    p = findEnd(p + 5, stop);
    if (p == stop) return stop;
    if (load<u8>(p) != SPACE) return 0;
    p++;
  }
  if (p + 4 > stop || !starts(p, KEY, 4)) return 0;
  p += 4;
  if (p < stop && load<u8>(p) == QUOTE) {
    const end = findQuote(p + 1, stop);
    if (end + 1 >= stop) return stop;
    p = end + 1;
  } else p = findEnd(p, stop);
  return p == stop || load<u8>(p) == ENRICHED ? p : 0;
}

/**
 * Reads the fields that auditd translated: `ARCH=x86_64 SYSCALL=execve AUID="bob" … EUID="root"`. Returns bits of the result,
 * 0 if anything is not as auditd writes it.
 */
function readTranslations(row: usize, start: usize, stop: usize, block: usize): i32 {
  let bits = TRANSLATED;
  let p = start;
  while (true) {
    const name = p;
    while (p < stop && (load<u8>(p) as u32) - 0x41 < 26) p++;
    if (p == name || p >= stop || load<u8>(p) != 0x3d) return 0;
    const value = ++p;
    if (value < stop && load<u8>(value) == APOSTROPHE) return 0;
    const end = textEnd(value, stop);
    if (end == 0) return 0;
    if (value - name == 5 && starts(name, EUID_NAME, 5)) {
      if ((bits & HAS_USER) != 0) return 0;
      putText(row, USER_TEXT, value, end, block);
      bits |= HAS_USER;
    }
    p = load<u8>(value) == QUOTE ? end + 1 : end;
    if (p >= stop) return bits;
    if (load<u8>(p) != SPACE) return 0;
    p++;
  }
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
