// The row of slots for the fields of a record. The host reads it: see JsonScan in src/ingest/scan/json-scan.ts.

// The layout of a slot, in 32-bit words.
export const SLOT_TAG: usize = 0;
export const SLOT_START: usize = 4;
export const SLOT_STOP: usize = 8;
export const SLOT_DIGITS: usize = 12;
export const SLOT_WORDS: usize = 16; // UUID: four words, most significant first; integer: 64 bits; symbol: its number
const SLOT_SIZE: usize = 32;

export const TAG_STRING: u32 = 1;
export const TAG_NUMBER: u32 = 2;
export const TAG_TRUE: u32 = 3;
export const TAG_FALSE: u32 = 4;
export const TAG_RAW: u32 = 5;
export const TAG_ESCAPED: u32 = 0x10;
export const TAG_WIDE: u32 = 0x20; // contains bytes outside ASCII
export const TAG_UUID: u32 = 0x40;
export const TAG_INTEGER: u32 = 0x80;

let row: usize = 0;
/** After the row is space for a key with escapes. */
export let rowEnd: usize = 0;

export function placeRow(address: usize, slots: usize): void {
  row = address;
  rowEnd = row + slots * SLOT_SIZE;
}

export function clearRow(): void {
  const zero = i64x2.splat(0);
  for (let at = row; at < rowEnd; at += SLOT_SIZE) {
    v128.store(at, zero);
    v128.store(at, zero, 16);
  }
}

// @ts-ignore: decorator
@inline
export function slotAt(slot: i32): usize {
  return row + (slot as usize) * SLOT_SIZE;
}

// @ts-ignore: decorator
@inline
export function setSlot(slot: i32, tag: u32, start: usize, stop: usize): void {
  const at = slotAt(slot);
  store<u32>(at, tag, SLOT_TAG);
  store<u32>(at, start as u32, SLOT_START);
  store<u32>(at, stop as u32, SLOT_STOP);
}

/** Clears a slot. A null clears the value of an earlier member with the same key, because the last one counts. */
// @ts-ignore: decorator
@inline
export function clearSlot(slot: i32): void {
  store<u32>(slotAt(slot), 0, SLOT_TAG);
}

// @ts-ignore: decorator
@inline
export function setSymbol(slot: i32, number: u32): void {
  store<u32>(slotAt(slot), number, SLOT_WORDS);
}

// @ts-ignore: decorator
@inline
export function symbolOf(slot: i32): u32 {
  return load<u32>(slotAt(slot), SLOT_WORDS);
}
