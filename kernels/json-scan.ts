// Scans JSON lines for the fields that a reader needs (AssemblyScript; src/ingest/scan/json-scan.ts calls it).
//
// The host compiles a reader's shape (the keys, their depth and their types) into the tables read here. Each call of
// `next` checks one line against the JSON grammar, and fills one row of slots with the positions of the fields, and the
// values of UUIDs and integers. It accepts the same JSON as JSON.parse, up to a depth of 64. Strings are scanned 16 bytes
// at a time, and keys are predicted from the records before: see json-scan/steps.ts.
//
// The host lays out the memory: tables, row, dictionary, steps, memo, and the block, which needs 32 readable bytes after it.

import { failedAt, fail, TRAILING } from './json-scan/failure';
import { readRecord, useShape } from './json-scan/read';
import { clearRow, placeRow } from './json-scan/row';
import { skipSpace } from './json-scan/skip';

export { configureDictionary } from './json-scan/dictionary';
export { failurePosition, failureReason } from './json-scan/failure';
export { clearMemo, configureMemo, groupNumber, textNumber } from './json-scan/memo';
export { configureSteps } from './json-scan/steps';
export { readTime } from './json-scan/times';
export { unescapeLines } from './json-scan/unescape';

const END: i32 = 0;
const RECORD: i32 = 1;
const MALFORMED: i32 = 2;
const BLANK: i32 = 3;
const OVERSIZE: i32 = 4;

let maxLine: usize = 0;
let lineStart: usize = 0;
let lineEnd: usize = 0;
let blockEnd: usize = 0;

export function configure(rootNode: u32, rowAddress: u32, slots: u32, longestLine: u32): void {
  useShape(rootNode);
  placeRow(rowAddress, slots);
  maxLine = longestLine;
}

export function begin(address: u32, length: u32): void {
  lineEnd = (address as usize) - 1;
  blockEnd = (address as usize) + (length as usize);
}

export function lineStartAddress(): u32 {
  return lineStart as u32;
}

export function lineEndAddress(): u32 {
  return lineEnd as u32;
}

/** Reads the next line: END, RECORD, MALFORMED, BLANK or OVERSIZE. */
export function next(): i32 {
  lineStart = lineEnd + 1;
  if (lineStart >= blockEnd) return END;
  clearRow();
  // The end of the line is known only after the record is read or the scan has failed.
  let p = skipSpace(lineStart);
  const blank = load<u8>(p) == 0x0a;
  if (!blank) {
    p = readRecord(p);
    if (p != 0) p = skipSpace(p);
    if (p != 0 && load<u8>(p) != 0x0a) p = fail(p, TRAILING);
  }
  lineEnd = p != 0 ? p : findNewline(failedAt);
  if (lineEnd - lineStart > maxLine) return OVERSIZE;
  if (p == 0) return MALFORMED;
  return blank ? BLANK : RECORD;
}

function findNewline(from: usize): usize {
  const newline = i8x16.splat(0x0a);
  let p = from;
  while (p < blockEnd) {
    const mask = i8x16.bitmask(i8x16.eq(v128.load(p), newline));
    if (mask != 0) {
      p += ctz(mask) as usize;
      return p < blockEnd ? p : blockEnd;
    }
    p += 16;
  }
  return blockEnd;
}
