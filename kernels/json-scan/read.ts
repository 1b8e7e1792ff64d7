// Reads a record by its shape: each node of the shape reads an object or a value, and values go to the row.
//
// Each function takes a position and returns the position after the part it read, or 0 if the line is malformed.
// Positions are locals, because a global would cost a load and a store at every step. No function checks for the end of
// the line, because the newline at the end is not part of any token.

import { same } from './bytes';
import { entryLength, entryNumber, entryOf, entryText, NO_SYMBOL, symbolNumber } from './dictionary';
import { BAD_KEY, BAD_SEPARATOR, BAD_UNION, fail, NOT_AN_OBJECT, DUPLICATE } from './failure';
import {
  clearSlot, setSlot, setSymbol, TAG_ESCAPED, TAG_FALSE, TAG_NUMBER, TAG_RAW, TAG_STRING, TAG_TRUE, TAG_UUID, symbolOf,
} from './row';
import {
  FLAG_INTEGER, FLAG_RAW, FLAG_UNION, FLAG_UUID, FLAG_SYMBOL, listedChild, NODE_ANY, NODE_ANY_SLOT, NODE_FIRST,
  NODE_FLAGS, NODE_KEYS, NODE_RECORD, NODE_SLOT, NODE_UNION, NODE_SYMBOL,
} from './shape';
import { skipColon, skipSpace, skipValue } from './skip';
import {
  matches, emptyLink, addStep, STEP_CHILD, STEP_LENGTH, STEP_NEXT, STEP_OTHER, STEP_SLOT, STEP_START, STEP_STOP,
  STEP_SYMBOL,
} from './steps';
import { keyScratch, skipString, stringTag, unescapeKey } from './strings';
import { takeInteger, takeUuid } from './values';

let root: usize = 0;
/** The number of the current record. A node stores it to detect a duplicate object. */
let recordNumber: u32 = 0;

export function useShape(rootNode: usize): void {
  root = rootNode;
}

/** Reads the record at `p`. */
export function readRecord(p: usize): usize {
  if (load<u8>(p) != 0x7b) return fail(p, NOT_AN_OBJECT);
  recordNumber++;
  return readObject(p, root);
}

/** Reads the object at `p`. The children of the node read its members. */
function readObject(p: usize, node: usize): usize {
  let link = node + NODE_FIRST; // the address of the first possible next step
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
        setSymbol(slot, load<u32>(step, STEP_SYMBOL));
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
      child = (tag & TAG_ESCAPED) == 0 ? listedChild(node, start, stop) : listedChild(node, keyScratch(), unescapeKey(start, stop));
      const listed = child != 0;
      if (!listed) child = anyChild(node, start, stop);
      p = skipColon(p);
      if (p == 0) return 0;
      link = tag == TAG_STRING ? addStep(link, from, p, child) : emptyLink;
      if (link != emptyLink && !listed && child != 0) setStepKey(link - STEP_NEXT, node, start - from, stop - from);
    }
    first = false;
    p = child != 0 ? readValue(p, child) : skipValue(p);
    if (p == 0) return 0;
    if (load<u8>(p) == 0x7d) return p + 1;
  }
}

/** Returns the node for keys that the shape does not list, or 0. */
function anyChild(node: usize, start: usize, stop: usize): usize {
  const any = load<u32>(node, NODE_ANY) as usize;
  if (any != 0) {
    const slot = load<i32>(node, NODE_ANY_SLOT);
    if (slot >= 0) {
      setSlot(slot, stringTag, start, stop);
      setSymbol(slot, symbolNumber(start, stop));
    }
  }
  return any;
}

/** Stores the key of the step, if the node has a slot for keys: anyChild has just set that slot. */
function setStepKey(step: usize, node: usize, start: usize, stop: usize): void {
  const slot = load<i32>(node, NODE_ANY_SLOT);
  if (slot < 0) return;
  store<i32>(step, slot, STEP_SLOT);
  store<u32>(step, symbolOf(slot), STEP_SYMBOL);
  store<u32>(step, start as u32, STEP_START);
  store<u32>(step, stop as u32, STEP_STOP);
}

/** Reads the value at `p` for a node of the shape. */
function readValue(p: usize, node: usize): usize {
  if (load<u32>(node, NODE_KEYS) != 0 || load<u32>(node, NODE_ANY) != 0) {
    // In JSON the last of two members with the same key counts. For objects, that would mix the fields of two records.
    if (load<u32>(node, NODE_RECORD) == recordNumber) return fail(p, DUPLICATE);
    store<u32>(node, recordNumber, NODE_RECORD);
    return load<u8>(p) == 0x7b ? readMember(p, node) : readLeaf(p, node);
  }
  if (load<u8>(p) == 0x7b && (load<u32>(node, NODE_FLAGS) & FLAG_UNION) != 0) return readUnion(p, node);
  return readLeaf(p, node);
}

/** Reads an object of the shape. A node with a slot also stores the whole object. */
function readMember(p: usize, node: usize): usize {
  const stop = readObject(p, node);
  const slot = load<i32>(node, NODE_SLOT);
  if (stop != 0 && slot >= 0) setSlot(slot, TAG_RAW, p, stop);
  return stop;
}

/** Reads an Avro union around a value: `{"string": value}`. */
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
    if (known == 0) addStep(node + NODE_UNION, from, p, 0);
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
    // A UUID needs no search for the end of the string.
    if ((flags & FLAG_UUID) != 0 && load<u8>(p, 37) == 0x22 && takeUuid(slot, start, start + 36)) {
      setSlot(slot, TAG_STRING | TAG_UUID, start, start + 36);
      return p + 38;
    }
    if ((flags & FLAG_SYMBOL) != 0) return readSymbol(p, node, slot);
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

/** Reads the string at `p` as a symbol. It is usually the same symbol as in the record before. */
function readSymbol(p: usize, node: usize, slot: i32): usize {
  const start = p + 1;
  const last = load<u32>(node, NODE_SYMBOL) as usize;
  if (last != 0) {
    const length = entryLength(last);
    if (load<u8>(start + (length as usize)) == 0x22 && same(start, entryText(last), length)) {
      const stop = start + (length as usize);
      setSlot(slot, TAG_STRING, start, stop);
      setSymbol(slot, entryNumber(last));
      return stop + 1;
    }
  }
  p = skipString(p);
  if (p == 0) return 0;
  setSlot(slot, stringTag, start, p - 1);
  const number = symbolNumber(start, p - 1);
  setSymbol(slot, number);
  const plain = stringTag == TAG_STRING && number != NO_SYMBOL;
  store<u32>(node, plain ? (entryOf(number) as u32) : 0, NODE_SYMBOL);
  return p;
}
