// Reads the records with the details of a call: PATH, CWD and SOCKADDR.

import { APOSTROPHE, findEnd, findQuote, QUOTE, SPACE, starts } from './bytes';
import { CWD, DEV, INODE, ITEM, MODE, NAME, OGID, OUID, RDEV, SADDR } from './names';
import { TEXT, TEXT_START, TEXT_STOP, VALUES } from './row';
import { textNumber } from './texts';

const NAMETYPE: u64 = 0x65707974656d616e;
const EQUALS: u8 = 0x3d;
/** As ROLE in src/ingest/kernel/act.ts. */
const ROLE_NORMAL: i32 = 0;
const ROLE_PARENT: i32 = 1;
const ROLE_CREATE: i32 = 2;
const ROLE_DELETE: i32 = 3;
const ROLE_UNKNOWN: i32 = 4;

let end: usize = 0;

/** ` item=0 name="/x" [inode=1 dev=fe:00 mode=0100644 ouid=0 ogid=0 rdev=00:00 ]nametype=NORMAL…` */
export function readPath(row: usize, start: usize, stop: usize, block: usize): bool {
  let p = load<u8>(start) == SPACE ? start + 1 : start;
  if (!starts(p, ITEM, 5)) return false;
  store<i32>(row, number(p + 5, stop, 10, 9) as i32, VALUES);
  if (end == 0 || !starts(end, NAME, 5)) return false;
  p = readText(row, end + 5, stop, block);
  if (p >= stop || load<u8>(p) != SPACE) return false;
  p++;
  let mode: i32 = 0;
  let device: i32 = 0;
  let inode: u64 = 0;
  if (starts(p, INODE, 6)) {
    inode = number(p + 6, stop, 10, 15);
    if (end == 0 || !starts(end, DEV, 4)) return false;
    device = readDevice(end + 4, stop);
    if (end == 0 || !starts(end, MODE, 5)) return false;
    mode = number(end + 5, stop, 8, 10) as i32;
    if (end == 0 || !starts(end, OUID, 5)) return false;
    number(end + 5, stop, 10, 15);
    if (end == 0 || !starts(end, OGID, 5)) return false;
    number(end + 5, stop, 10, 15);
    if (end == 0 || !starts(end, RDEV, 5)) return false;
    readDevice(end + 5, stop);
    if (end == 0) return false;
    p = end;
  }
  if (p + 9 >= stop || !starts(p, NAMETYPE, 8) || load<u8>(p + 8) != EQUALS) return false;
  const role = roleOf(load<u8>(p + 9));
  if (role < 0) return false;
  store<i32>(row, role, VALUES + 4);
  store<i32>(row, mode, VALUES + 8);
  store<i32>(row, device, VALUES + 12);
  store<i32>(row, inode as i32, VALUES + 16);
  store<i32>(row, (inode >> 32) as i32, VALUES + 20);
  return true;
}

/** ` cwd="/root"` */
export function readFolder(row: usize, start: usize, stop: usize, block: usize): bool {
  const p = load<u8>(start) == SPACE ? start + 1 : start;
  return starts(p, CWD, 4) && readText(row, p + 4, stop, block) == stop;
}

/** ` saddr=0200…` */
export function readAddress(row: usize, start: usize, stop: usize, block: usize): bool {
  const p = load<u8>(start) == SPACE ? start + 1 : start;
  return starts(p, SADDR, 6) && load<u8>(p + 6) != QUOTE && readText(row, p + 6, stop, block) == stop;
}

/** Puts the text of a field into the row. Returns the end of the field, or `stop` plus 1 if it has none. */
function readText(row: usize, start: usize, stop: usize, block: usize): usize {
  const first = load<u8>(start);
  if (start >= stop || first == APOSTROPHE) return stop + 1;
  const isQuoted = first == QUOTE;
  const textEnd = isQuoted ? findQuote(start + 1, stop) : findEnd(start, stop);
  if (isQuoted && textEnd == stop) return stop + 1;
  store<i32>(row, textNumber(start, textEnd), TEXT);
  store<u32>(row, (start - block) as u32, TEXT_START);
  store<u32>(row, (textEnd - block) as u32, TEXT_STOP);
  return isQuoted ? textEnd + 1 : textEnd;
}

/** Reads a number with a space after it, and sets `end` behind the space, or to 0 if there is none. */
// @ts-ignore: decorator
@inline
function number(start: usize, stop: usize, base: u32, most: u32): u64 {
  let p = start;
  let value: u64 = 0;
  while (p < stop) {
    const digit = (load<u8>(p) as u32) - 0x30;
    if (digit >= base) break;
    value = value * (base as u64) + (digit as u64);
    p++;
  }
  end = p > start && p - start <= most && p < stop && load<u8>(p) == SPACE ? p + 1 : 0;
  return value;
}

/** `fd:01` as one number, as deviceNumber in src/ingest/formats/auditd/record-fields.ts. */
// @ts-ignore: decorator
@inline
function readDevice(start: usize, stop: usize): i32 {
  let p = start;
  let value: i32 = 0;
  while (p < stop) {
    const byte = load<u8>(p) as i32;
    if (!((byte >= 0x30 && byte <= 0x3a) || (byte >= 0x61 && byte <= 0x66))) break;
    value = value * 31 + byte;
    p++;
  }
  end = p > start && p - start <= 16 && p < stop && load<u8>(p) == SPACE ? p + 1 : 0;
  return value;
}

function roleOf(byte: u8): i32 {
  if (byte == 0x4e) return ROLE_NORMAL;
  if (byte == 0x50) return ROLE_PARENT;
  if (byte == 0x43) return ROLE_CREATE;
  if (byte == 0x44) return ROLE_DELETE;
  return byte == 0x55 ? ROLE_UNKNOWN : -1;
}
