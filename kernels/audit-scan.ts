// Scans audit records (AssemblyScript; src/ingest/formats/auditd/audit-scan.ts calls it).
//
// Each call of `next` fills rows, one for each line. A row has the head of the record and, for the five kinds that most
// records are, its fields. Lines that are not exactly as the kernel and auditd write these kinds become OTHER: the host
// reads them by itself, so this code decides what is fast, not what is valid.
//
// The host lays out the memory: rows, texts, and the block, which needs 32 readable bytes after it.

import { findNewline, SPACE, starts } from './audit-scan/bytes';
import { readCall } from './audit-scan/call';
import { readAddress, readFolder, readPath } from './audit-scan/details';
import {
  BODY,
  CWD_RECORD,
  KIND,
  NODE,
  OTHER,
  PATH_RECORD,
  PROCTITLE_RECORD,
  ROW_BYTES,
  SERIAL,
  SOCKADDR_RECORD,
  START,
  STOP,
  SYSCALL_RECORD,
  TIME,
} from './audit-scan/row';
import { clearTexts, placeTexts, textNumber } from './audit-scan/texts';

const NODE_NAME: u64 = 0x3d65646f6e; // node=
const TYPE_NAME: u64 = 0x3d65707974; // type=
const SYSCALL_NAME: u64 = 0x204c4c4143535953; // SYSCALL and a space
const PATH_NAME: u64 = 0x2048544150;
const CWD_NAME: u64 = 0x20445743;
const PROCTITLE_NAME: u64 = 0x4c544954434f5250; // without its last letter
const SOCKADDR_NAME: u64 = 0x524444414b434f53;
const STAMP_HEAD: u64 = 0x6475613d67736d20; // " msg=aud"
const STAMP_TAIL: u32 = 0x28746964; // "dit("
const MAX_NODE: usize = 256;
const LAST_SECOND: u64 = 9223372035;

let rows: usize = 0;
let mostRows: i32 = 0;
let maxLine: usize = 0;
let block: usize = 0;
let blockEnd: usize = 0;
let lineStart: usize = 0;
let after: usize = 0;

export function configure(
  rowsAddress: u32,
  rowCount: i32,
  textsAddress: u32,
  longestLine: u32,
  firstSeed: u32,
  secondSeed: u32,
): void {
  rows = rowsAddress as usize;
  mostRows = rowCount;
  maxLine = longestLine as usize;
  placeTexts(textsAddress as usize, firstSeed, secondSeed);
}

export function begin(address: u32, length: u32): void {
  block = lineStart = address as usize;
  blockEnd = block + (length as usize);
  clearTexts();
}

/** Goes on with further lines of the block, from `start` to `stop`. The numbers of texts stay. */
export function resume(start: u32, stop: u32): void {
  lineStart = start as usize;
  blockEnd = stop as usize;
}

/** Fills rows with the next lines, and returns how many. 0 at the end of the block. */
export function next(): i32 {
  let count = 0;
  let row = rows;
  while (lineStart < blockEnd && count < mostRows) {
    const stop = findNewline(lineStart, blockEnd);
    store<u32>(row, (lineStart - block) as u32, START);
    store<u32>(row, (stop - block) as u32, STOP);
    store<i32>(row, stop - lineStart > maxLine ? OTHER : readLine(row, lineStart, stop), KIND);
    lineStart = stop + 1;
    row += ROW_BYTES;
    count++;
  }
  return count;
}

function readLine(row: usize, start: usize, stop: usize): i32 {
  let p = start;
  // The host trims lines.
  const last = load<u8>(stop - 1);
  if (stop == start || last == SPACE || last == 0x0d) return OTHER;
  store<i32>(row, 0, NODE);
  if (load<u8>(p) == 0x6e) {
    if (!starts(p, NODE_NAME, 5)) return OTHER;
    p += 5;
    const name = p;
    const limit = name + MAX_NODE < stop ? name + MAX_NODE : stop;
    while (p < limit && load<u8>(p) != SPACE) p++;
    if (p == limit || p == name) return OTHER;
    const node = textNumber(name, p);
    if (node < 0) return OTHER;
    store<i32>(row, node, NODE);
    p++;
  }
  if (!starts(p, TYPE_NAME, 5)) return OTHER;
  p += 5;
  let kind = OTHER;
  if (starts(p, SYSCALL_NAME, 8)) {
    kind = SYSCALL_RECORD;
    p += 7;
  } else if (starts(p, PATH_NAME, 5)) {
    kind = PATH_RECORD;
    p += 4;
  } else if (starts(p, CWD_NAME, 4)) {
    kind = CWD_RECORD;
    p += 3;
  } else if (starts(p, PROCTITLE_NAME, 8) && load<u16>(p + 8) == 0x2045) {
    kind = PROCTITLE_RECORD;
    p += 9;
  } else if (starts(p, SOCKADDR_NAME, 8) && load<u8>(p + 8) == SPACE) {
    kind = SOCKADDR_RECORD;
    p += 8;
  } else return OTHER;
  if (!readStamp(row, p, stop)) return OTHER;
  const body = after;
  store<u32>(row, (body - block) as u32, BODY);
  switch (kind) {
    case SYSCALL_RECORD:
      return readCall(row, body, stop, block) ? kind : OTHER;
    case PATH_RECORD:
      return readPath(row, body, stop, block) ? kind : OTHER;
    case CWD_RECORD:
      return readFolder(row, body, stop, block) ? kind : OTHER;
    case SOCKADDR_RECORD:
      return readAddress(row, body, stop, block) ? kind : OTHER;
    default:
      return kind;
  }
}

/** Reads ` msg=audit(SECONDS.FRACTION:SERIAL):` and sets `after` behind it. */
function readStamp(row: usize, start: usize, stop: usize): bool {
  if (!starts(start, STAMP_HEAD, 8) || load<u32>(start + 7) != STAMP_TAIL) return false;
  let p = start + 11;
  const second = digits(p, stop, 10);
  if (after == 0 || second > LAST_SECOND || load<u8>(after) != 0x2e) return false;
  p = after + 1;
  let fraction = digits(p, stop, 9);
  if (after == 0 || load<u8>(after) != 0x3a) return false;
  for (let i = after - p; i < 9; i++) fraction *= 10;
  const serial = digits(after + 1, stop, 10);
  if (after == 0 || load<u8>(after) != 0x29 || serial > 0xffffffff) return false;
  after++;
  if (load<u8>(after) == 0x3a) after++;
  store<u64>(row, second * 1000000000 + fraction, TIME);
  store<u32>(row, serial as u32, SERIAL);
  return after <= stop;
}

/** Reads 1 to `most` digits, and sets `after` to the byte behind them, or to 0. */
// @ts-ignore: decorator
@inline
function digits(start: usize, stop: usize, most: usize): u64 {
  let p = start;
  let value: u64 = 0;
  while (p < stop) {
    const digit = (load<u8>(p) as u32) - 0x30;
    if (digit > 9) break;
    value = value * 10 + (digit as u64);
    p++;
  }
  after = p > start && p - start <= most && p < stop ? p : 0;
  return value;
}
