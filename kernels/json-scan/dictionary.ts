// Numbers for symbols, which are strings that recur, such as relations and hosts.

import { equal } from './bytes';

// One dictionary holds all symbols of a shape: entries (address, length), a hash table of entry numbers + 1, and the
// texts. A new symbol gets NO_SYMBOL if the dictionary is full or the symbol is long; then the host numbers it, which is
// slower.
const DICTIONARY_SLOTS: u32 = 16384;
const DICTIONARY_SYMBOLS: u32 = 8192;
const LONGEST: usize = 256;
export const NO_SYMBOL: u32 = 0xffffffff;

let entries: usize = 0;
let entryTable: usize = 0;
let entryCount: u32 = 0;
let textFree: usize = 0;
let textEnd: usize = 0;

/** Before the texts are DICTIONARY_SYMBOLS entries of 8 bytes and DICTIONARY_SLOTS numbers of 2 bytes. */
export function configureDictionary(address: u32, length: u32): void {
  entries = address;
  entryTable = entries + DICTIONARY_SYMBOLS * 8;
  textFree = entryTable + DICTIONARY_SLOTS * 2;
  textEnd = (address as usize) + (length as usize);
  entryCount = 0;
  memory.fill(entryTable, 0, DICTIONARY_SLOTS * 2);
}

/** Returns the number of the symbol between `start` and `stop`. */
export function symbolNumber(start: usize, stop: usize): u32 {
  const length = stop - start;
  if (length > LONGEST) return NO_SYMBOL;
  let hash: u64 = 0x9e3779b97f4a7c15 ^ (length as u64);
  let p = start;
  for (; p + 8 <= stop; p += 8) hash = (hash ^ load<u64>(p)) * 0x9fb21c651e98df25;
  for (; p < stop; p++) hash = (hash ^ (load<u8>(p) as u64)) * 0x9fb21c651e98df25;
  let slot = ((hash ^ (hash >> 32)) as u32) & (DICTIONARY_SLOTS - 1);
  while (true) {
    const number = load<u16>(entryTable + ((slot as usize) << 1)) as u32;
    if (number == 0) break;
    const entry = entryOf(number - 1);
    if ((entryLength(entry) as usize) == length && equal(entryText(entry), start, length)) return number - 1;
    slot = (slot + 1) & (DICTIONARY_SLOTS - 1);
  }
  if (entryCount == DICTIONARY_SYMBOLS || textFree + length + 8 > textEnd) return NO_SYMBOL;
  const entry = entryOf(entryCount);
  store<u32>(entry, textFree as u32);
  store<u32>(entry, length as u32, 4);
  memory.copy(textFree, start, length);
  textFree += length;
  store<u16>(entryTable + ((slot as usize) << 1), (entryCount + 1) as u16);
  return entryCount++;
}

// @ts-ignore: decorator
@inline
export function entryOf(number: u32): usize {
  return entries + ((number as usize) << 3);
}

// @ts-ignore: decorator
@inline
export function entryNumber(entry: usize): u32 {
  return ((entry - entries) >> 3) as u32;
}

// @ts-ignore: decorator
@inline
export function entryText(entry: usize): usize {
  return load<u32>(entry) as usize;
}

// @ts-ignore: decorator
@inline
export function entryLength(entry: usize): u32 {
  return load<u32>(entry, 4);
}
