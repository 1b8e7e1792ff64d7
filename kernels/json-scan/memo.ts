// Numbers for fields that recur: the same values of the same fields have the same number, from block to block. The host
// keeps what it made of them by that number, so it decodes and describes a process or a file once.

import { same } from './bytes';
import { SLOT_START, SLOT_STOP, SLOT_TAG, slotAt } from './row';

/** The most numbers, and the places to look them up. With more values, all start anew. */
const MOST: u32 = 16384;
const PLACES: u32 = 32768;
/** Attackers choose texts. One whose place takes longer to find gets no number. */
const PROBES: u32 = 32;
/** Longer values rarely recur. */
const LONGEST: u32 = 2048;
const ENTRY: usize = 16; // hash, owner, address and length of the copy
const HEAD: usize = 8; // before the bytes of each field: its tag and its length
/** The results for values without a number, and for a memo that is full. */
const UNNUMBERED: i32 = -1;
const FULL: i32 = -2;

let places: usize = 0;
let entries: usize = 0;
let copies: usize = 0;
let copyFree: usize = 0;
let copyEnd: usize = 0;
let count: u32 = 0;
let seed: u64 = 0;

/** Sets the memory: the places, the entries, then the copies of the values. */
export function configureMemo(address: u32, length: u32, firstSeed: u32, secondSeed: u32): void {
  places = address as usize;
  entries = places + (PLACES as usize) * 2;
  copies = entries + (MOST as usize) * ENTRY;
  copyEnd = places + (length as usize);
  seed = ((firstSeed as u64) << 32) | (secondSeed as u64);
  clearMemo();
}

export function clearMemo(): void {
  memory.fill(places, 0, (PLACES as usize) * 2);
  copyFree = copies;
  count = 0;
}

/** Returns the number of the values of the slots at `list`: their count, then the slots. */
export function groupNumber(list: u32): i32 {
  const slots = load<u32>(list as usize);
  const first = (list as usize) + 4;
  const end = first + ((slots as usize) << 2);
  let hash = seed ^ (list as u64);
  let total: u32 = 0;
  for (let at = first; at < end; at += 4) {
    const slot = slotAt(load<i32>(at));
    const tag = load<u32>(slot, SLOT_TAG);
    const start = load<u32>(slot, SLOT_START);
    const length = tag == 0 ? 0 : load<u32>(slot, SLOT_STOP) - start;
    total += length;
    if (total > LONGEST) return UNNUMBERED;
    hash = mix(hash, ((tag as u64) << 32) | (length as u64));
    if (length > 0) hash = hashOf(hash, start as usize, length);
  }
  const short = (mix(hash, 0) >> 32) as u32;
  let place = short & (PLACES - 1);
  for (let probe: u32 = 0; probe < PROBES; probe++) {
    const number = load<u16>(places + ((place as usize) << 1)) as u32;
    if (number == 0) return addGroup(place, short, first, end, total);
    const entry = entryOf(number);
    if (load<u32>(entry) == short && load<u32>(entry, 4) == list && isGroup(entry, first, end)) return number as i32;
    place = (place + 1) & (PLACES - 1);
  }
  return UNNUMBERED;
}

/** Returns the number of the text between `start` and `stop`. */
export function textNumber(start: u32, stop: u32): i32 {
  const length = stop - start;
  if (length > LONGEST) return UNNUMBERED;
  const hash = hashOf(seed ^ (length as u64), start as usize, length);
  const short = (mix(hash, 0) >> 32) as u32;
  let place = short & (PLACES - 1);
  for (let probe: u32 = 0; probe < PROBES; probe++) {
    const number = load<u16>(places + ((place as usize) << 1)) as u32;
    if (number == 0) {
      if (count == MOST - 1 || copyFree + (length as usize) > copyEnd) return FULL;
      memory.copy(copyFree, start as usize, length as usize);
      return add(place, short, 0, length);
    }
    const entry = entryOf(number);
    if (
      load<u32>(entry) == short &&
      load<u32>(entry, 4) == 0 &&
      load<u32>(entry, 12) == length &&
      same(load<u32>(entry, 8) as usize, start as usize, length)
    ) {
      return number as i32;
    }
    place = (place + 1) & (PLACES - 1);
  }
  return UNNUMBERED;
}

// @ts-ignore: decorator
@inline
function entryOf(number: u32): usize {
  return entries + (number as usize) * ENTRY;
}

/** Adds an entry for the copy at copyFree. `owner` is the list of its slots, 0 for a text. */
function add(place: u32, hash: u32, owner: u32, length: u32): i32 {
  const number = ++count;
  store<u16>(places + ((place as usize) << 1), number as u16);
  const entry = entryOf(number);
  store<u32>(entry, hash);
  store<u32>(entry, owner, 4);
  store<u32>(entry, copyFree as u32, 8);
  store<u32>(entry, length, 12);
  copyFree += length as usize;
  return number as i32;
}

function addGroup(place: u32, hash: u32, first: usize, end: usize, total: u32): i32 {
  const length = total + (((end - first) as u32) >> 2) * (HEAD as u32);
  if (count == MOST - 1 || copyFree + (length as usize) > copyEnd) return FULL;
  let to = copyFree;
  for (let at = first; at < end; at += 4) {
    const slot = slotAt(load<i32>(at));
    const tag = load<u32>(slot, SLOT_TAG);
    const start = load<u32>(slot, SLOT_START);
    const bytes = tag == 0 ? 0 : load<u32>(slot, SLOT_STOP) - start;
    store<u32>(to, tag);
    store<u32>(to, bytes, 4);
    memory.copy(to + HEAD, start as usize, bytes as usize);
    to += HEAD + (bytes as usize);
  }
  return add(place, hash, (first - 4) as u32, length);
}

function isGroup(entry: usize, first: usize, end: usize): bool {
  let copy = load<u32>(entry, 8) as usize;
  for (let at = first; at < end; at += 4) {
    const slot = slotAt(load<i32>(at));
    const tag = load<u32>(slot, SLOT_TAG);
    if (load<u32>(copy) != tag) return false;
    const start = load<u32>(slot, SLOT_START);
    const bytes = tag == 0 ? 0 : load<u32>(slot, SLOT_STOP) - start;
    if (load<u32>(copy, 4) != bytes) return false;
    copy += HEAD;
    if (!same(copy, start as usize, bytes)) return false;
    copy += bytes as usize;
  }
  return true;
}

/** Eight bytes at a time. */
// @ts-ignore: decorator
@inline
function hashOf(from: u64, start: usize, length: u32): u64 {
  let hash = from;
  let p = start;
  const stop = start + (length as usize);
  for (; p + 8 <= stop; p += 8) hash = mix(hash, load<u64>(p));
  const left = (stop - p) as u32;
  // A block has readable bytes after it.
  if (left > 0) hash = mix(hash, load<u64>(p) & (((1 as u64) << (left << 3)) - 1));
  return hash;
}

// @ts-ignore: decorator
@inline
function mix(hash: u64, word: u64): u64 {
  const mixed = (hash ^ word) * 0x9e3779b97f4a7c15;
  return mixed ^ (mixed >> 29);
}
