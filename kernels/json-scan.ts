// JSON lines → the few fields that a reader asked for (AssemblyScript; src/ingest/json-scan.ts is its other half).
//
// A reader's shape (which keys, how deep, of what type) is compiled by the host into the tables read here. Each call
// of `next` takes one line, checks the whole of it against the JSON grammar, and fills one row of slots with the
// places, and for UUIDs and integers the values, of the fields found. It accepts what JSON.parse accepts, up to
// MAX_DEPTH levels; a property test holds the two together. Strings are scanned 16 bytes at a time.
//
// Memory, all laid out by the host: tables, the row, and the block, which must be followed by 32 readable bytes.

// Node of a shape, as 32-bit words.
const NODE_SLOT: usize = 0; // slot that takes the value, or -1
const NODE_FLAGS: usize = 4;
const NODE_ANY: usize = 8; // child for every key not listed, or 0
const NODE_ANY_SLOT: usize = 12; // slot that takes the key itself when NODE_ANY is followed, or -1
const NODE_KEYS: usize = 16; // keys: (address, length, child) triples, or 0 if this node has none
const NODE_TABLE: usize = 20; // 64 bytes: key number + 1 by hash, linear probing
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

let root: usize = 0;
let row: usize = 0;
let rowBytes: usize = 0;
let maxLine: usize = 0;
let entries: usize = 0;
let entryTable: usize = 0;
let entryCount: u32 = 0;
let textFree: usize = 0;
let textEnd: usize = 0;

let pos: usize = 0;
let lineEnd: usize = 0;
let lineStart: usize = 0;
let blockEnd: usize = 0;

let stringStart: usize = 0;
let stringStop: usize = 0;
let stringTag: u32 = 0;

let reason: i32 = 0;

export function configure(rootNode: u32, rowAddress: u32, slots: u32, longestLine: u32): void {
  root = rootNode;
  row = rowAddress;
  rowBytes = (slots as usize) * SLOT_SIZE;
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

/** The number of the word in stringStart, stringStop. */
function wordNumber(): u32 {
  const length = stringStop - stringStart;
  let hash: u64 = 0x9e3779b97f4a7c15 ^ (length as u64);
  let p = stringStart;
  for (; p + 8 <= stringStop; p += 8) hash = (hash ^ load<u64>(p)) * 0x9fb21c651e98df25;
  for (; p < stringStop; p++) hash = (hash ^ (load<u8>(p) as u64)) * 0x9fb21c651e98df25;
  let slot = ((hash ^ (hash >> 32)) as u32) & (DICTIONARY_SLOTS - 1);
  while (true) {
    const number = load<u16>(entryTable + ((slot as usize) << 1)) as u32;
    if (number == 0) break;
    const entry = entries + (((number - 1) as usize) << 3);
    if ((load<u32>(entry, 4) as usize) == length && equal(load<u32>(entry) as usize, stringStart, length)) {
      return number - 1;
    }
    slot = (slot + 1) & (DICTIONARY_SLOTS - 1);
  }
  if (entryCount == DICTIONARY_WORDS || textFree + length + 8 > textEnd) return NO_WORD;
  const entry = entries + ((entryCount as usize) << 3);
  store<u32>(entry, textFree as u32);
  store<u32>(entry, length as u32, 4);
  memory.copy(textFree, stringStart, length);
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
  return pos as u32;
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
  lineEnd = findNewline(lineStart);
  pos = lineStart;
  if (lineEnd - lineStart > maxLine) return OVERSIZE;
  skipSpace();
  if (pos >= lineEnd) return BLANK;
  memory.fill(row, 0, rowBytes);
  if (load<u8>(pos) != 0x7b) {
    reason = NOT_AN_OBJECT;
    return MALFORMED;
  }
  if (!readObject(root)) return MALFORMED;
  skipSpace();
  if (pos < lineEnd) {
    reason = TRAILING;
    return MALFORMED;
  }
  return RECORD;
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

function fail(why: i32): bool {
  reason = pos >= lineEnd ? TOO_EARLY : why;
  return false;
}

// @ts-ignore: decorator
@inline
function skipSpace(): void {
  while (pos < lineEnd) {
    const c = load<u8>(pos);
    if (c != 0x20 && c != 0x09 && c != 0x0d) return;
    pos++;
  }
}

/** The next byte that is not white space, or 0 at the end of the line. */
// @ts-ignore: decorator
@inline
function peek(): u32 {
  if (pos < lineEnd) {
    const c = load<u8>(pos) as u32;
    if (c > 0x20) return c;
  }
  skipSpace();
  return pos < lineEnd ? (load<u8>(pos) as u32) : 0;
}

/** Reads the string at `pos`; its bounds go to stringStart and stringStop. */
function readString(): bool {
  let p = pos + 1;
  stringStart = p;
  stringTag = TAG_STRING;
  const quote = i8x16.splat(0x22);
  const backslash = i8x16.splat(0x5c);
  const space = i8x16.splat(0x20);
  while (true) {
    const bytes = v128.load(p);
    const stops = i8x16.bitmask(
      v128.or(v128.or(i8x16.eq(bytes, quote), i8x16.eq(bytes, backslash)), i8x16.lt_u(bytes, space)),
    );
    const wide = i8x16.bitmask(bytes);
    if (stops == 0) {
      if (wide != 0) stringTag |= TAG_WIDE;
      p += 16;
      continue;
    }
    const run = ctz(stops);
    if ((wide & ((1 << run) - 1)) != 0) stringTag |= TAG_WIDE;
    p += run as usize;
    if (p >= lineEnd) {
      pos = lineEnd;
      return fail(BAD_STRING);
    }
    const c = load<u8>(p);
    if (c == 0x22) {
      stringStop = p;
      pos = p + 1;
      return true;
    }
    pos = p;
    if (c != 0x5c) return fail(BAD_STRING);
    stringTag |= TAG_ESCAPED;
    const escape = load<u8>(p + 1);
    if (escape == 0x75) {
      for (let i: usize = 2; i < 6; i++) if (nibble(load<u8>(p + i)) > 15) return fail(BAD_ESCAPE);
      p += 6;
    } else {
      // " \ / b f n r t
      if (
        escape != 0x22 && escape != 0x5c && escape != 0x2f && escape != 0x62 &&
        escape != 0x66 && escape != 0x6e && escape != 0x72 && escape != 0x74
      ) {
        return fail(BAD_ESCAPE);
      }
      p += 2;
    }
  }
}

/** The value of a hexadecimal digit; over 15 for anything else. */
// @ts-ignore: decorator
@inline
function nibble(c: u8): u32 {
  const digit = (c as u32) - 0x30;
  if (digit <= 9) return digit;
  const letter = ((c as u32) | 0x20) - 0x61;
  return letter <= 5 ? letter + 10 : 255;
}

/** Reads a key and its colon; the key stays in stringStart, stringStop. */
// @ts-ignore: decorator
@inline
function readKey(): bool {
  if (peek() != 0x22) return fail(BAD_KEY);
  if (!readString()) return false;
  if (peek() != 0x3a) return fail(BAD_COLON);
  pos++;
  return true;
}

/** Reads the object at `pos`, whose members go to the node's children. */
function readObject(node: usize): bool {
  pos++;
  if (peek() == 0x7d) {
    pos++;
    return true;
  }
  while (true) {
    if (!readKey()) return false;
    const child = childOf(node);
    if (child != 0) {
      if (!readValue(child)) return false;
    } else if (!skipValue()) return false;
    const after = peek();
    pos++;
    if (after == 0x7d) return true;
    if (after != 0x2c) {
      pos--;
      return fail(BAD_SEPARATOR);
    }
  }
}

function childOf(node: usize): usize {
  const length = stringStop - stringStart;
  const keys = load<u32>(node, NODE_KEYS) as usize;
  if (keys != 0 && length > 0) {
    const table = load<u32>(node, NODE_TABLE) as usize;
    let slot = hashOf(load<u8>(stringStart), load<u8>(stringStop - 1), length as u32);
    while (true) {
      const number = load<u8>(table + slot) as usize;
      if (number == 0) break;
      const key = keys + (number - 1) * KEY_SIZE;
      if ((load<u32>(key, 4) as usize) == length && equal(load<u32>(key) as usize, stringStart, length)) {
        return load<u32>(key, 8) as usize;
      }
      slot = (slot + 1) & 63;
    }
  }
  const any = load<u32>(node, NODE_ANY) as usize;
  if (any != 0) {
    const slot = load<i32>(node, NODE_ANY_SLOT);
    if (slot >= 0) {
      setSlot(slot, stringTag, stringStart, stringStop);
      store<u32>(row + (slot as usize) * SLOT_SIZE, wordNumber(), SLOT_WORDS);
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

/** Reads the value at `pos` for a node of the shape. */
function readValue(node: usize): bool {
  const c = peek();
  const flags = load<u32>(node, NODE_FLAGS);
  if (c == 0x7b) {
    if (load<u32>(node, NODE_KEYS) != 0 || load<u32>(node, NODE_ANY) != 0) return readObject(node);
    if ((flags & FLAG_UNION) != 0) return readUnion(node);
  }
  return readLeaf(node, c, flags);
}

/** `{"string": value}` around a value. */
function readUnion(node: usize): bool {
  pos++;
  if (peek() == 0x7d) return fail(BAD_UNION);
  if (!readKey()) return false;
  const c = peek();
  if (!readLeaf(node, c, load<u32>(node, NODE_FLAGS))) return false;
  if (peek() != 0x7d) return fail(BAD_UNION);
  pos++;
  return true;
}

function readLeaf(node: usize, c: u32, flags: u32): bool {
  const slot = load<i32>(node, NODE_SLOT);
  if (slot < 0) return skipValue();
  const start = pos;
  if (c == 0x22) {
    if (!readString()) return false;
    setSlot(slot, stringTag, stringStart, stringStop);
    if ((flags & FLAG_UUID) != 0) takeUuid(slot);
    else if ((flags & FLAG_INTEGER) != 0) takeInteger(slot, stringStart, stringStop);
    else if ((flags & FLAG_WORD) != 0) store<u32>(row + (slot as usize) * SLOT_SIZE, wordNumber(), SLOT_WORDS);
    return true;
  }
  if (!skipValue()) return false;
  if (c == 0x7b || c == 0x5b) {
    if ((flags & FLAG_RAW) != 0) setSlot(slot, TAG_RAW, start, pos);
  } else if (c == 0x74) setSlot(slot, TAG_TRUE, start, pos);
  else if (c == 0x66) setSlot(slot, TAG_FALSE, start, pos);
  else if (c != 0x6e) {
    setSlot(slot, TAG_NUMBER, start, pos);
    if ((flags & FLAG_INTEGER) != 0) takeInteger(slot, start, pos);
  }
  return true;
}

/** Gives the slot four words if its string is a UUID, with dashes or without. */
function takeUuid(slot: i32): void {
  const length = stringStop - stringStart;
  const at = row + (slot as usize) * SLOT_SIZE;
  let p = stringStart;
  if (length == 36) {
    if (load<u8>(p + 8) != 0x2d || load<u8>(p + 13) != 0x2d) return;
    if (load<u8>(p + 18) != 0x2d || load<u8>(p + 23) != 0x2d) return;
  } else if (length != 32) return;
  const dash: usize = length == 36 ? 1 : 0;
  let bad: u32 = 0;
  for (let word: usize = 0; word < 4; word++) {
    let value: u32 = 0;
    for (let i: usize = 0; i < 8; i++) {
      const digit = nibble(load<u8>(p));
      bad |= digit;
      value = (value << 4) | digit;
      p++;
      // Dashes stand after digits 8, 12, 16 and 20.
      const digits = word * 8 + i + 1;
      if (digits == 8 || digits == 12 || digits == 16 || digits == 20) p += dash;
    }
    store<u32>(at + SLOT_WORDS + word * 4, value);
  }
  if (bad <= 15) store<u32>(at, load<u32>(at, SLOT_TAG) | TAG_UUID, SLOT_TAG);
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
  if (value > (i64.MAX_VALUE as u64)) return; // 19 nines fit 64 bits unsigned, so this test is sound
  store<i64>(at, negative ? -(value as i64) : (value as i64), SLOT_WORDS);
  store<u32>(at, digits as u32, SLOT_DIGITS);
  store<u32>(at, load<u32>(at, SLOT_TAG) | TAG_INTEGER, SLOT_TAG);
}

/** Skips one value of any kind, checking its grammar. */
function skipValue(): bool {
  let depth: i32 = 0;
  let objects: u64 = 0; // one bit a level: set for an object, clear for an array
  while (true) {
    // One value…
    const c = peek();
    if (c == 0x22) {
      if (!readString()) return false;
    } else if (c == 0x7b || c == 0x5b) {
      pos++;
      if (peek() == c + 2) pos++; // in ASCII both closing signs stand two after the opening ones
      else {
        if (depth == MAX_DEPTH) return fail(TOO_DEEP);
        objects = (objects << 1) | (c == 0x7b ? 1 : 0);
        depth++;
        if (c == 0x7b && !readKey()) return false;
        continue;
      }
    } else if (!skipScalar(c)) return false;
    // …and what may follow it, out through any number of closings.
    while (true) {
      if (depth == 0) return true;
      const after = peek();
      const inObject = (objects & 1) != 0;
      if (after == 0x2c) {
        pos++;
        if (inObject && !readKey()) return false;
        break;
      }
      if (after != (inObject ? 0x7d : 0x5d)) return fail(BAD_SEPARATOR);
      pos++;
      objects >>= 1;
      depth--;
    }
  }
}

function skipScalar(c: u32): bool {
  if (c == 0x6e) return skipWord(0x6c6c756e, 4); // null
  if (c == 0x74) return skipWord(0x65757274, 4); // true
  if (c == 0x66) return load<u8>(pos + 4) == 0x65 ? skipWord(0x736c6166, 5) : fail(BAD_VALUE); // false
  return skipNumber();
}

function skipWord(word: u32, length: usize): bool {
  if (load<u32>(pos) != word || pos + length > lineEnd) return fail(BAD_VALUE);
  pos += length;
  return true;
}

function skipNumber(): bool {
  if (load<u8>(pos) == 0x2d) pos++;
  if (load<u8>(pos) == 0x30) pos++;
  else if (!skipDigits()) return false;
  if (load<u8>(pos) == 0x2e) {
    pos++;
    if (!skipDigits()) return false;
  }
  if ((load<u8>(pos) | 0x20) == 0x65) {
    pos++;
    const sign = load<u8>(pos);
    if (sign == 0x2b || sign == 0x2d) pos++;
    if (!skipDigits()) return false;
  }
  return true;
}

function skipDigits(): bool {
  const start = pos;
  while ((load<u8>(pos) as u32) - 0x30 <= 9) pos++;
  return pos > start ? true : fail(BAD_VALUE);
}
