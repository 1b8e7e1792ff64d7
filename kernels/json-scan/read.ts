// Reads a record along the shape: its members go to the children of a node, its values to the row.
//
// All readers take a position and give the one behind what they read, or 0 if the line is malformed. Positions live in
// locals: a global would be a load and a store at every step. None looks for the end of the line, because the newline
// there is no part of any token.

import { same } from './bytes';
import { entryLength, entryNumber, entryOf, entryText, NO_WORD, wordNumber } from './dictionary';
import { BAD_KEY, BAD_SEPARATOR, BAD_UNION, fail, NOT_AN_OBJECT, TWICE } from './failure';
import {
  clearSlot, setSlot, setWord, TAG_ESCAPED, TAG_FALSE, TAG_NUMBER, TAG_RAW, TAG_STRING, TAG_TRUE, TAG_UUID, wordOf,
} from './row';
import {
  FLAG_INTEGER, FLAG_RAW, FLAG_UNION, FLAG_UUID, FLAG_WORD, listedChild, NODE_ANY, NODE_ANY_SLOT, NODE_FIRST,
  NODE_FLAGS, NODE_KEYS, NODE_RECORD, NODE_SLOT, NODE_UNION, NODE_WORD,
} from './shape';
import { skipColon, skipSpace, skipValue } from './skip';
import {
  matches, nowhere, remember, STEP_CHILD, STEP_LENGTH, STEP_NEXT, STEP_OTHER, STEP_SLOT, STEP_START, STEP_STOP,
  STEP_WORD,
} from './steps';
import { keyScratch, skipString, stringTag, unescapeKey } from './strings';
import { takeInteger, takeUuid } from './values';

let root: usize = 0;
/** By which a node knows that it has been entered in this record already. */
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
        setWord(slot, load<u32>(step, STEP_WORD));
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
      link = tag == TAG_STRING ? remember(link, from, p, child) : nowhere;
      if (link != nowhere && !listed && child != 0) rememberKey(link - STEP_NEXT, node, start - from, stop - from);
    }
    first = false;
    p = child != 0 ? readValue(p, child) : skipValue(p);
    if (p == 0) return 0;
    if (load<u8>(p) == 0x7d) return p + 1;
  }
}

/** The node for keys that the shape does not list, or 0. */
function anyChild(node: usize, start: usize, stop: usize): usize {
  const any = load<u32>(node, NODE_ANY) as usize;
  if (any != 0) {
    const slot = load<i32>(node, NODE_ANY_SLOT);
    if (slot >= 0) {
      setSlot(slot, stringTag, start, stop);
      setWord(slot, wordNumber(start, stop));
    }
  }
  return any;
}

/** The step's key goes to a slot of its own: see anyChild, which has just put it there. */
function rememberKey(step: usize, node: usize, start: usize, stop: usize): void {
  const slot = load<i32>(node, NODE_ANY_SLOT);
  if (slot < 0) return;
  store<i32>(step, slot, STEP_SLOT);
  store<u32>(step, wordOf(slot), STEP_WORD);
  store<u32>(step, start as u32, STEP_START);
  store<u32>(step, stop as u32, STEP_STOP);
}

/** Reads the value at `p` for a node of the shape. */
function readValue(p: usize, node: usize): usize {
  if (load<u32>(node, NODE_KEYS) != 0 || load<u32>(node, NODE_ANY) != 0) {
    // JSON lets a member come twice and the last one count. For objects that would mix the fields of two records.
    if (load<u32>(node, NODE_RECORD) == recordNumber) return fail(p, TWICE);
    store<u32>(node, recordNumber, NODE_RECORD);
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
    const length = entryLength(last);
    if (load<u8>(start + (length as usize)) == 0x22 && same(start, entryText(last), length)) {
      const stop = start + (length as usize);
      setSlot(slot, TAG_STRING, start, stop);
      setWord(slot, entryNumber(last));
      return stop + 1;
    }
  }
  p = skipString(p);
  if (p == 0) return 0;
  setSlot(slot, stringTag, start, p - 1);
  const number = wordNumber(start, p - 1);
  setWord(slot, number);
  const plain = stringTag == TAG_STRING && number != NO_WORD;
  store<u32>(node, plain ? (entryOf(number) as u32) : 0, NODE_WORD);
  return p;
}
