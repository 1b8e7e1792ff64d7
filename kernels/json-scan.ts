// JSON lines → the few fields that a reader asked for (AssemblyScript; src/ingest/json-scan.ts is its other half).
//
// A reader's shape (which keys, how deep, of what type) is compiled by the host into the tables read here. Each call
// of `next` takes one line, checks the whole of it against the JSON grammar, and fills one row of slots with the
// places, and for UUIDs and integers the values, of the fields found. It accepts what JSON.parse accepts, up to
// MAX_DEPTH levels; a property test holds the two together. Strings are scanned 16 bytes at a time.
//
// Records of one log have the same keys in the same order. So every key read is remembered as a step, with its quotes,
// separators and spaces, behind the step before it; the next record's keys are then compared with what came next the
// last times, 16 bytes at a time, and only a key that came as a surprise is taken apart.
//
// Memory, all laid out by the host: tables, the row, dictionary, steps, and the block, which must be followed by 32
// readable bytes.

// Node of a shape, as 32-bit words.
const NODE_SLOT: usize = 0; // slot that takes the value, or -1
const NODE_FLAGS: usize = 4;
const NODE_ANY: usize = 8; // child for every key not listed, or 0
const NODE_ANY_SLOT: usize = 12; // slot that takes the key itself when NODE_ANY is followed, or -1
const NODE_KEYS: usize = 16; // keys: (address, length, child) triples, or 0 if this node has none
const NODE_TABLE: usize = 20; // 64 bytes: key number + 1 by hash, linear probing
const NODE_LINE: usize = 24; // the line in which this node was last entered
const NODE_FIRST: usize = 28; // the first step of its objects, or 0
const NODE_UNION: usize = 32; // a step with the beginning of the union around its values, or 0
const NODE_WORD: usize = 36; // entry of the word that it had last, or 0
const KEY_SIZE: usize = 12;

const FLAG_UNION: u32 = 1; // a one-member object around the value is an Avro union: look inside
const FLAG_RAW: u32 = 2; // take objects and arrays as a piece of text
const FLAG_UUID: u32 = 4;
const FLAG_INTEGER: u32 = 8;
const FLAG_WORD: u32 = 16; // one of a small vocabulary: give its number in the dictionary

// A dictionary, one for all words of a shape: entries (address, length), a hash table of entry numbers + 1, and room
// for the texts. When it is full, a new word gets the number NO_WORD and the host says so.
const DICTIONARY_SLOTS: u32 = 16384;
const DICTIONARY_WORDS: u32 = 8192;
const NO_WORD: u32 = 0xffffffff;

// Step: a key as it stands in the log, from the bracket or comma before it to its value.
const STEP_TEXT: usize = 64; // its bytes come first
const STEP_LENGTH: usize = 64;
const STEP_CHILD: usize = 68; // the node that takes the value, or 0
const STEP_SLOT: usize = 72; // the slot that takes the key itself, or -1
const STEP_WORD: usize = 76; // then its number as a word
const STEP_START: usize = 80; // and where in the text it lies
const STEP_STOP: usize = 84;
const STEP_NEXT: usize = 88; // the first of the steps that came after this one, or 0
const STEP_OTHER: usize = 92; // another step in the same place, or 0
const STEP_SIZE: usize = 96;
/** Steps tried in one place. Beyond that, taking the key apart is as fast. */
const STEPS_TRIED: i32 = 8;

// Slot of a row, as 32-bit words.
const SLOT_TAG: usize = 0;
const SLOT_START: usize = 4;
const SLOT_STOP: usize = 8;
const SLOT_DIGITS: usize = 12;
const SLOT_WORDS: usize = 16; // UUID: four words, most significant first; integer: 64 bits; word: its number
const SLOT_SIZE: usize = 32;

const TAG_STRING: u32 = 1;
const TAG_NUMBER: u32 = 2;
const TAG_TRUE: u32 = 3;
const TAG_FALSE: u32 = 4;
const TAG_RAW: u32 = 5;
const TAG_ESCAPED: u32 = 0x10;
const TAG_WIDE: u32 = 0x20; // holds bytes beyond ASCII
const TAG_UUID: u32 = 0x40;
const TAG_INTEGER: u32 = 0x80;

const END: i32 = 0;
const RECORD: i32 = 1;
const MALFORMED: i32 = 2;
const BLANK: i32 = 3;
const OVERSIZE: i32 = 4;

const MAX_DEPTH: i32 = 64;

// Reasons, in the order of REASONS in src/ingest/json-scan.ts.
const BAD_VALUE: i32 = 0;
const BAD_STRING: i32 = 1;
const BAD_ESCAPE: i32 = 2;
const BAD_KEY: i32 = 3;
const BAD_COLON: i32 = 4;
const BAD_SEPARATOR: i32 = 5;
const TOO_DEEP: i32 = 6;
const TOO_EARLY: i32 = 7;
const TRAILING: i32 = 8;
const NOT_AN_OBJECT: i32 = 9;
const BAD_UNION: i32 = 10;
const TWICE: i32 = 11;

let root: usize = 0;
let row: usize = 0;
let rowBytes: usize = 0;
let maxLine: usize = 0;
/** Room for a key with escapes. */
const KEY_SCRATCH: usize = 64;
let keyScratch: usize = 0;
let entries: usize = 0;
let entryTable: usize = 0;
let entryCount: u32 = 0;
let textFree: usize = 0;
let textEnd: usize = 0;

let nowhere: usize = 0;
let stepFree: usize = 0;
let stepEnd: usize = 0;

let lineNumber: u32 = 0;
let lineStart: usize = 0;
let lineEnd: usize = 0;
let blockEnd: usize = 0;

/** Escapes and bytes beyond ASCII in the string last read. */
let stringTag: u32 = 0;

let reason: i32 = 0;
let failedAt: usize = 0;

export function configure(rootNode: u32, rowAddress: u32, slots: u32, longestLine: u32): void {
  root = rootNode;
  row = rowAddress;
  rowBytes = (slots as usize) * SLOT_SIZE;
  keyScratch = row + rowBytes;
  maxLine = longestLine;
}

/** Bytes before the texts: DICTIONARY_WORDS entries of 8 bytes and DICTIONARY_SLOTS numbers of 2. */
export function configureDictionary(address: u32, length: u32): void {
  entries = address;
  entryTable = entries + DICTIONARY_WORDS * 8;
  textFree = entryTable + DICTIONARY_SLOTS * 2;
  textEnd = (address as usize) + (length as usize);
  entryCount = 0;
  memory.fill(entryTable, 0, DICTIONARY_SLOTS * 2);
}

/** Room for steps. Its first word stays 0: what follows a key that could not be remembered. */
export function configureSteps(address: u32, length: u32): void {
  store<u32>(address, 0);
  nowhere = address;
  stepFree = (address as usize) + 16;
  stepEnd = (address as usize) + (length as usize);
}

/** The number of the word between `start` and `stop`. */
function wordNumber(start: usize, stop: usize): u32 {
  const length = stop - start;
  let hash: u64 = 0x9e3779b97f4a7c15 ^ (length as u64);
  let p = start;
  for (; p + 8 <= stop; p += 8) hash = (hash ^ load<u64>(p)) * 0x9fb21c651e98df25;
  for (; p < stop; p++) hash = (hash ^ (load<u8>(p) as u64)) * 0x9fb21c651e98df25;
  let slot = ((hash ^ (hash >> 32)) as u32) & (DICTIONARY_SLOTS - 1);
  while (true) {
    const number = load<u16>(entryTable + ((slot as usize) << 1)) as u32;
    if (number == 0) break;
    const entry = entries + (((number - 1) as usize) << 3);
    if ((load<u32>(entry, 4) as usize) == length && equal(load<u32>(entry) as usize, start, length)) {
      return number - 1;
    }
    slot = (slot + 1) & (DICTIONARY_SLOTS - 1);
  }
  if (entryCount == DICTIONARY_WORDS || textFree + length + 8 > textEnd) return NO_WORD;
  const entry = entries + ((entryCount as usize) << 3);
  store<u32>(entry, textFree as u32);
  store<u32>(entry, length as u32, 4);
  memory.copy(textFree, start, length);
  textFree += length;
  store<u16>(entryTable + ((slot as usize) << 1), (entryCount + 1) as u16);
  return entryCount++;
}

export function begin(address: u32, length: u32): void {
  lineEnd = (address as usize) - 1;
  blockEnd = (address as usize) + (length as usize);
}

export function failureReason(): i32 {
  return reason;
}

/** Where the last line was given up. */
export function failurePosition(): u32 {
  return failedAt as u32;
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
  lineNumber++;
  clearRow();
  // Where the line ends shows when it has been read, or when it has to be given up.
  let p = skipSpace(lineStart);
  const blank = load<u8>(p) == 0x0a;
  if (!blank) {
    p = load<u8>(p) == 0x7b ? readObject(p, root) : fail(p, NOT_AN_OBJECT);
    if (p != 0) p = skipSpace(p);
    if (p != 0 && load<u8>(p) != 0x0a) p = fail(p, TRAILING);
  }
  lineEnd = p != 0 ? p : findNewline(failedAt);
  if (lineEnd - lineStart > maxLine) return OVERSIZE;
  if (p == 0) return MALFORMED;
  return blank ? BLANK : RECORD;
}

function clearRow(): void {
  const zero = i64x2.splat(0);
  const end = row + rowBytes;
  for (let at = row; at < end; at += SLOT_SIZE) {
    v128.store(at, zero);
    v128.store(at, zero, 16);
  }
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

// All readers below take a position and give the one behind what they read, or 0 if the line is malformed. Positions
// live in locals: a global would be a load and a store at every step. None looks for the end of the line, because
// the newline there is no part of any token.

function fail(p: usize, why: i32): usize {
  failedAt = p;
  reason = load<u8>(p) == 0x0a ? TOO_EARLY : why;
  return 0;
}

/** The first byte from `p` on that is not white space. */
// @ts-ignore: decorator
@inline
function skipSpace(p: usize): usize {
  if (load<u8>(p) > 0x20) return p;
  return skipSpaces(p);
}

function skipSpaces(p: usize): usize {
  while (true) {
    const c = load<u8>(p);
    if (c != 0x20 && c != 0x09 && c != 0x0d) return p;
    p++;
  }
}

/** Skips the string whose opening quote is at `p`; stringTag says what is in it. */
function skipString(p: usize): usize {
  const quote = i8x16.splat(0x22);
  const backslash = i8x16.splat(0x5c);
  const space = i8x16.splat(0x20);
  let tag = TAG_STRING;
  p++;
  while (true) {
    const bytes = v128.load(p);
    const stops = i8x16.bitmask(
      v128.or(v128.or(i8x16.eq(bytes, quote), i8x16.eq(bytes, backslash)), i8x16.lt_u(bytes, space)),
    );
    const wide = i8x16.bitmask(bytes);
    if (stops == 0) {
      if (wide != 0) tag |= TAG_WIDE;
      p += 16;
      continue;
    }
    const run = ctz(stops);
    if ((wide & ((1 << run) - 1)) != 0) tag |= TAG_WIDE;
    p += run as usize;
    const c = load<u8>(p);
    if (c == 0x22) {
      stringTag = tag;
      return p + 1;
    }
    if (c != 0x5c) return fail(p, BAD_STRING);
    tag |= TAG_ESCAPED;
    const escape = load<u8>(p + 1);
    if (escape == 0x75) {
      for (let i: usize = 2; i < 6; i++) if (!isHex(load<u8>(p + i))) return fail(p, BAD_ESCAPE);
      p += 6;
    } else {
      // " \ / b f n r t
      if (
        escape != 0x22 && escape != 0x5c && escape != 0x2f && escape != 0x62 &&
        escape != 0x66 && escape != 0x6e && escape != 0x72 && escape != 0x74
      ) {
        return fail(p, BAD_ESCAPE);
      }
      p += 2;
    }
  }
}

function isHex(c: u8): bool {
  return (c as u32) - 0x30 <= 9 || ((c as u32) | 0x20) - 0x61 <= 5;
}

/** Skips the colon after a key. */
// @ts-ignore: decorator
@inline
function skipColon(p: usize): usize {
  const colon = skipSpace(p);
  return load<u8>(colon) == 0x3a ? skipSpace(colon + 1) : fail(colon, BAD_COLON);
}

/** Reads the object at `p`, whose members go to the node's children. */
function readObject(p: usize, node: usize): usize {
  let link = node + NODE_FIRST; // where the steps are that may come next
  let first = true;
  while (true) {
    let step = load<u32>(link) as usize;
    while (step != 0 && !matches(p, step)) step = load<u32>(step, STEP_OTHER) as usize;
    let child: usize;
    if (step != 0) {
      child = load<u32>(step, STEP_CHILD) as usize;
      const slot = load<i32>(step, STEP_SLOT);
      if (slot >= 0) {
        setSlot(slot, TAG_STRING, p + (load<u32>(step, STEP_START) as usize), p + (load<u32>(step, STEP_STOP) as usize));
        store<u32>(row + (slot as usize) * SLOT_SIZE, load<u32>(step, STEP_WORD), SLOT_WORDS);
      }
      p = skipSpace(p + (load<u32>(step, STEP_LENGTH) as usize));
      link = step + STEP_NEXT;
    } else {
      const from = p;
      p = skipSpace(p);
      if (!first) {
        const after = load<u8>(p);
        if (after == 0x7d) return p + 1;
        if (after != 0x2c) return fail(p, BAD_SEPARATOR);
      }
      p = skipSpace(p + 1);
      if (load<u8>(p) != 0x22) return first && load<u8>(p) == 0x7d ? p + 1 : fail(p, BAD_KEY);
      const start = p + 1;
      p = skipString(p);
      if (p == 0) return 0;
      const stop = p - 1;
      const tag = stringTag;
      child = (tag & TAG_ESCAPED) == 0 ? listedChild(node, start, stop) : listedChild(node, keyScratch, unescapeKey(start, stop));
      const listed = child != 0;
      if (!listed) child = anyChild(node, start, stop);
      p = skipColon(p);
      if (p == 0) return 0;
      link = tag == TAG_STRING ? remember(link, from, p, child) : nowhere;
      if (link != nowhere && !listed && child != 0) rememberKey(link - STEP_NEXT, node, start - from, stop - from);
    }
    first = false;
    p = child != 0 ? readValue(p, child) : skipValue(p);
    if (p == 0) return 0;
    if (load<u8>(p) == 0x7d) return p + 1;
  }
}

/** True if the bytes at `p` are those of the step. */
// @ts-ignore: decorator
@inline
function matches(p: usize, step: usize): bool {
  return same(p, step, load<u32>(step, STEP_LENGTH));
}

/** True if `length` bytes are the same in both places; up to 16 more are read. */
// @ts-ignore: decorator
@inline
function same(a: usize, b: usize, length: u32): bool {
  while (true) {
    const equal = i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b))) as u32;
    if (length <= 16) return ((equal | (0xffff << length)) & 0xffff) == 0xffff;
    if (equal != 0xffff) return false;
    a += 16;
    b += 16;
    length -= 16;
  }
}

/** Makes the bytes between `from` and `to` a step of the place `link`; gives the place after it, or nowhere. */
function remember(link: usize, from: usize, to: usize, child: usize): usize {
  const length = to - from;
  if (link == nowhere || length > STEP_TEXT || stepFree + STEP_SIZE > stepEnd) return nowhere;
  let tries = STEPS_TRIED;
  while (load<u32>(link) != 0) {
    if (--tries == 0) return nowhere;
    link = (load<u32>(link) as usize) + STEP_OTHER;
  }
  const step = stepFree;
  stepFree += STEP_SIZE;
  memory.copy(step, from, length);
  store<u32>(step, length as u32, STEP_LENGTH);
  store<u32>(step, child as u32, STEP_CHILD);
  store<i32>(step, -1, STEP_SLOT);
  store<u32>(step, 0, STEP_NEXT);
  store<u32>(step, 0, STEP_OTHER);
  store<u32>(link, step as u32);
  return step + STEP_NEXT;
}

/** The step's key goes to a slot of its own: see anyChild, which has just put it there. */
function rememberKey(step: usize, node: usize, start: usize, stop: usize): void {
  const slot = load<i32>(node, NODE_ANY_SLOT);
  if (slot < 0) return;
  store<i32>(step, slot, STEP_SLOT);
  store<u32>(step, load<u32>(row + (slot as usize) * SLOT_SIZE, SLOT_WORDS), STEP_WORD);
  store<u32>(step, start as u32, STEP_START);
  store<u32>(step, stop as u32, STEP_STOP);
}

/**
 * Copies a key with its escapes undone to the scratch area and gives its end there. Only as much is copied as any
 * known key has; what is cut off, or beyond ASCII, is as unknown as it was.
 */
function unescapeKey(start: usize, stop: usize): usize {
  let out = keyScratch;
  const end = keyScratch + KEY_SCRATCH;
  for (let p = start; p < stop && out < end; out++) {
    let c = load<u8>(p++);
    if (c == 0x5c) {
      c = load<u8>(p++);
      if (c == 0x75) {
        const code = (hexValue(load<u8>(p)) << 12) | (hexValue(load<u8>(p, 1)) << 8) | (hexValue(load<u8>(p, 2)) << 4) | hexValue(load<u8>(p, 3));
        c = code < 0x80 ? (code as u8) : 0xff;
        p += 4;
      } else if (c == 0x62) c = 0x08;
      else if (c == 0x66) c = 0x0c;
      else if (c == 0x6e) c = 0x0a;
      else if (c == 0x72) c = 0x0d;
      else if (c == 0x74) c = 0x09;
    }
    store<u8>(out, c);
  }
  return out;
}

/** The value of what is known to be a hexadecimal digit. */
function hexValue(c: u8): u32 {
  return c <= 0x39 ? (c as u32) - 0x30 : ((c as u32) | 0x20) - 0x57;
}

/** The node for the key between `start` and `stop` among those the shape lists, or 0. */
function listedChild(node: usize, start: usize, stop: usize): usize {
  const length = stop - start;
  const keys = load<u32>(node, NODE_KEYS) as usize;
  if (keys != 0 && length > 0) {
    const table = load<u32>(node, NODE_TABLE) as usize;
    let slot = hashOf(load<u8>(start), load<u8>(stop - 1), length as u32);
    while (true) {
      const number = load<u8>(table + slot) as usize;
      if (number == 0) break;
      const key = keys + (number - 1) * KEY_SIZE;
      if ((load<u32>(key, 4) as usize) == length && equal(load<u32>(key) as usize, start, length)) {
        return load<u32>(key, 8) as usize;
      }
      slot = (slot + 1) & 63;
    }
  }
  return 0;
}

/** The node for keys that the shape does not list, or 0. */
function anyChild(node: usize, start: usize, stop: usize): usize {
  const any = load<u32>(node, NODE_ANY) as usize;
  if (any != 0) {
    const slot = load<i32>(node, NODE_ANY_SLOT);
    if (slot >= 0) {
      setSlot(slot, stringTag, start, stop);
      store<u32>(row + (slot as usize) * SLOT_SIZE, wordNumber(start, stop), SLOT_WORDS);
    }
  }
  return any;
}

// @ts-ignore: decorator
@inline
function hashOf(first: u8, last: u8, length: u32): usize {
  return (((first as u32) + (last as u32) * 3 + length * 5) & 63) as usize;
}

function equal(a: usize, b: usize, length: usize): bool {
  let i: usize = 0;
  for (; i + 8 <= length; i += 8) if (load<u64>(a + i) != load<u64>(b + i)) return false;
  for (; i < length; i++) if (load<u8>(a + i) != load<u8>(b + i)) return false;
  return true;
}

// @ts-ignore: decorator
@inline
function setSlot(slot: i32, tag: u32, start: usize, stop: usize): void {
  const at = row + (slot as usize) * SLOT_SIZE;
  store<u32>(at, tag, SLOT_TAG);
  store<u32>(at, start as u32, SLOT_START);
  store<u32>(at, stop as u32, SLOT_STOP);
}

/** Reads the value at `p` for a node of the shape. */
function readValue(p: usize, node: usize): usize {
  if (load<u32>(node, NODE_KEYS) != 0 || load<u32>(node, NODE_ANY) != 0) {
    // JSON lets a member come twice and the last one count. For objects that would mix the fields of two records.
    if (load<u32>(node, NODE_LINE) == lineNumber) return fail(p, TWICE);
    store<u32>(node, lineNumber, NODE_LINE);
    return load<u8>(p) == 0x7b ? readMember(p, node) : readLeaf(p, node);
  }
  if (load<u8>(p) == 0x7b && (load<u32>(node, NODE_FLAGS) & FLAG_UNION) != 0) return readUnion(p, node);
  return readLeaf(p, node);
}

/** An object of the shape; a node with a slot of its own also takes the whole of it. */
function readMember(p: usize, node: usize): usize {
  const stop = readObject(p, node);
  const slot = load<i32>(node, NODE_SLOT);
  if (stop != 0 && slot >= 0) setSlot(slot, TAG_RAW, p, stop);
  return stop;
}

/** `{"string": value}` around a value. */
function readUnion(p: usize, node: usize): usize {
  const known = load<u32>(node, NODE_UNION) as usize;
  if (known != 0 && matches(p, known)) p = skipSpace(p + (load<u32>(known, STEP_LENGTH) as usize));
  else {
    const from = p;
    p = skipSpace(p + 1);
    if (load<u8>(p) != 0x22) return fail(p, load<u8>(p) == 0x7d ? BAD_UNION : BAD_KEY);
    p = skipString(p);
    if (p == 0) return 0;
    p = skipColon(p);
    if (p == 0) return 0;
    if (known == 0) remember(node + NODE_UNION, from, p, 0);
  }
  p = readLeaf(p, node);
  if (p == 0) return 0;
  p = skipSpace(p);
  return load<u8>(p) == 0x7d ? p + 1 : fail(p, load<u8>(p) == 0x2c ? BAD_UNION : BAD_SEPARATOR);
}

function readLeaf(p: usize, node: usize): usize {
  const slot = load<i32>(node, NODE_SLOT);
  if (slot < 0) return skipValue(p);
  const flags = load<u32>(node, NODE_FLAGS);
  const c = load<u8>(p);
  if (c == 0x22) {
    const start = p + 1;
    // What a whole string is known to be needs no look for its end.
    if ((flags & FLAG_UUID) != 0 && load<u8>(p, 37) == 0x22 && takeUuid(slot, start, start + 36)) {
      setSlot(slot, TAG_STRING | TAG_UUID, start, start + 36);
      return p + 38;
    }
    if ((flags & FLAG_WORD) != 0) return readWord(p, node, slot);
    p = skipString(p);
    if (p == 0) return 0;
    const stop = p - 1;
    setSlot(slot, stringTag, start, stop);
    if ((flags & FLAG_UUID) != 0) {
      if (takeUuid(slot, start, stop)) setSlot(slot, stringTag | TAG_UUID, start, stop);
    } else if ((flags & FLAG_INTEGER) != 0) takeInteger(slot, start, stop);
    return p;
  }
  const start = p;
  p = skipValue(p);
  if (p == 0) return 0;
  if (c == 0x7b || c == 0x5b) {
    if ((flags & FLAG_RAW) != 0) setSlot(slot, TAG_RAW, start, p);
    else clearSlot(slot);
  } else if (c == 0x74) setSlot(slot, TAG_TRUE, start, p);
  else if (c == 0x66) setSlot(slot, TAG_FALSE, start, p);
  else if (c == 0x6e) clearSlot(slot);
  else {
    setSlot(slot, TAG_NUMBER, start, p);
    if ((flags & FLAG_INTEGER) != 0) takeInteger(slot, start, p);
  }
  return p;
}

/** Reads the string at `p` as a word, which is most often the one that the node had before. */
function readWord(p: usize, node: usize, slot: i32): usize {
  const start = p + 1;
  const last = load<u32>(node, NODE_WORD) as usize;
  if (last != 0) {
    const length = load<u32>(last, 4);
    if (load<u8>(start + (length as usize)) == 0x22 && same(start, load<u32>(last) as usize, length)) {
      const stop = start + (length as usize);
      setSlot(slot, TAG_STRING, start, stop);
      store<u32>(row + (slot as usize) * SLOT_SIZE, ((last - entries) >> 3) as u32, SLOT_WORDS);
      return stop + 1;
    }
  }
  p = skipString(p);
  if (p == 0) return 0;
  setSlot(slot, stringTag, start, p - 1);
  const number = wordNumber(start, p - 1);
  store<u32>(row + (slot as usize) * SLOT_SIZE, number, SLOT_WORDS);
  const plain = stringTag == TAG_STRING && number != NO_WORD;
  store<u32>(node, plain ? ((entries + ((number as usize) << 3)) as u32) : 0, NODE_WORD);
  return p;
}

/** A null takes back what an earlier member of the same name said: the last one counts. */
// @ts-ignore: decorator
@inline
function clearSlot(slot: i32): void {
  store<u32>(row + (slot as usize) * SLOT_SIZE, 0, SLOT_TAG);
}

/** Gives the slot four words if the text is a UUID, with dashes or without; false if not. */
function takeUuid(slot: i32, start: usize, stop: usize): bool {
  const length = stop - start;
  const at = row + (slot as usize) * SLOT_SIZE;
  let upper: v128;
  let lower: v128;
  if (length == 36) {
    const dashes =
      ((load<u8>(start, 8) ^ 0x2d) | (load<u8>(start, 13) ^ 0x2d)) | ((load<u8>(start, 18) ^ 0x2d) | (load<u8>(start, 23) ^ 0x2d));
    if (dashes != 0) return false;
    upper = pair(load<u64>(start), (load<u32>(start, 9) as u64) | ((load<u32>(start, 14) as u64) << 32));
    lower = pair((load<u32>(start, 19) as u64) | ((load<u32>(start, 24) as u64) << 32), load<u64>(start, 28));
  } else if (length == 32) {
    upper = v128.load(start);
    lower = v128.load(start, 16);
  } else return false;
  const digits = v128.and(hexDigits(upper), hexDigits(lower));
  if (!i8x16.all_true(digits)) return false;
  const high = packNibbles(upper);
  const low = packNibbles(lower);
  store<u32>(at, (high >> 32) as u32, SLOT_WORDS);
  store<u32>(at, high as u32, SLOT_WORDS + 4);
  store<u32>(at, (low >> 32) as u32, SLOT_WORDS + 8);
  store<u32>(at, low as u32, SLOT_WORDS + 12);
  return true;
}

// @ts-ignore: decorator
@inline
function pair(low: u64, high: u64): v128 {
  return i64x2.replace_lane(i64x2.splat(low as i64), 1, high as i64);
}

/** Ones where a byte is a hexadecimal digit. */
// @ts-ignore: decorator
@inline
function hexDigits(text: v128): v128 {
  const digit = i8x16.sub(text, i8x16.splat(0x30));
  const letter = i8x16.sub(v128.or(text, i8x16.splat(0x20)), i8x16.splat(0x61));
  return v128.or(i8x16.lt_u(digit, i8x16.splat(10)), i8x16.lt_u(letter, i8x16.splat(6)));
}

/** Sixteen hexadecimal digits as a 64-bit number. */
// @ts-ignore: decorator
@inline
function packNibbles(text: v128): u64 {
  // '0'–'9' have the value in their low half; letters have it minus 9, and bit 6 set.
  const letter = i8x16.shr_u(v128.and(text, i8x16.splat(0x40)), 6);
  const nine = i8x16.add(i8x16.shl(letter, 3), letter);
  const nibbles = i8x16.add(v128.and(text, i8x16.splat(0x0f)), nine);
  // In each 16-bit lane the first digit is the low byte: it becomes the high half of the byte.
  const bytes = v128.and(v128.or(i16x8.shl(nibbles, 4), i16x8.shr_u(nibbles, 8)), i16x8.splat(0xff));
  return bswap<u64>(i64x2.extract_lane(i8x16.narrow_i16x8_u(bytes, bytes), 0) as u64);
}

/** Gives the slot a 64-bit value if its text is a plain integer that fits. */
function takeInteger(slot: i32, start: usize, stop: usize): void {
  const at = row + (slot as usize) * SLOT_SIZE;
  let p = start;
  const negative = p < stop && load<u8>(p) == 0x2d;
  if (negative) p++;
  const digits = stop - p;
  if (digits == 0 || digits > 19 || (digits > 1 && load<u8>(p) == 0x30)) return;
  let value: u64 = 0;
  for (; p < stop; p++) {
    const digit = (load<u8>(p) as u32) - 0x30;
    if (digit > 9) return;
    value = value * 10 + (digit as u64);
  }
  // 19 nines fit 64 bits unsigned, so this test is sound; there is one more number below zero than above.
  if (value > (i64.MAX_VALUE as u64) + (negative ? 1 : 0)) return;
  store<i64>(at, negative ? -(value as i64) : (value as i64), SLOT_WORDS);
  store<u32>(at, digits as u32, SLOT_DIGITS);
  store<u32>(at, load<u32>(at, SLOT_TAG) | TAG_INTEGER, SLOT_TAG);
}

/** Skips one value of any kind, checking its grammar. */
function skipValue(p: usize): usize {
  const c = load<u8>(p);
  if (c == 0x22) return skipString(p);
  return c == 0x7b || c == 0x5b ? skipNested(p) : skipScalar(p, c);
}

function skipNested(p: usize): usize {
  let depth: i32 = 0;
  let objects: u64 = 0; // one bit a level: set for an object, clear for an array
  while (true) {
    // One value…
    const c = load<u8>(p);
    if (c == 0x22) p = skipString(p);
    else if (c == 0x7b || c == 0x5b) {
      const inside = skipSpace(p + 1);
      if (load<u8>(inside) != c + 2) {
        if (depth == MAX_DEPTH) return fail(p, TOO_DEEP);
        objects = (objects << 1) | (c == 0x7b ? 1 : 0);
        depth++;
        p = c == 0x7b ? skipKey(inside) : inside;
        if (p == 0) return 0;
        continue;
      }
      p = inside + 1; // in ASCII both closing signs stand two after the opening ones
    } else p = skipScalar(p, c);
    if (p == 0) return 0;
    // …and what may follow it, out through any number of closings.
    while (true) {
      if (depth == 0) return p;
      p = skipSpace(p);
      const after = load<u8>(p);
      const inObject = (objects & 1) != 0;
      if (after == 0x2c) {
        p = skipSpace(p + 1);
        if (inObject) p = skipKey(p);
        if (p == 0) return 0;
        break;
      }
      if (after != (inObject ? 0x7d : 0x5d)) return fail(p, BAD_SEPARATOR);
      p++;
      objects >>= 1;
      depth--;
    }
  }
}

/** Skips a key and its colon. */
function skipKey(p: usize): usize {
  if (load<u8>(p) != 0x22) return fail(p, BAD_KEY);
  p = skipString(p);
  return p == 0 ? 0 : skipColon(p);
}

function skipScalar(p: usize, c: u8): usize {
  if (c == 0x6e) return load<u32>(p) == 0x6c6c756e ? p + 4 : fail(p, BAD_VALUE); // null
  if (c == 0x74) return load<u32>(p) == 0x65757274 ? p + 4 : fail(p, BAD_VALUE); // true
  if (c == 0x66) return load<u32>(p, 1) == 0x65736c61 ? p + 5 : fail(p, BAD_VALUE); // false
  return skipNumber(p);
}

function skipNumber(p: usize): usize {
  if (load<u8>(p) == 0x2d) p++;
  if (load<u8>(p) == 0x30) p++;
  else p = skipDigits(p);
  if (p != 0 && load<u8>(p) == 0x2e) p = skipDigits(p + 1);
  if (p != 0 && (load<u8>(p) | 0x20) == 0x65) {
    const sign = load<u8>(p, 1);
    p = skipDigits(sign == 0x2b || sign == 0x2d ? p + 2 : p + 1);
  }
  return p;
}

function skipDigits(p: usize): usize {
  const start = p;
  while ((load<u8>(p) as u32) - 0x30 <= 9) p++;
  return p > start ? p : fail(p, BAD_VALUE);
}
