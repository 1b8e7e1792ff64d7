// The reader's shape, compiled by src/ingest/scan/shape.ts: which keys it wants, how deep, of what type.

import { equal } from './bytes';

// Node of a shape, as 32-bit words.
export const NODE_SLOT: usize = 0; // slot that takes the value, or -1
export const NODE_FLAGS: usize = 4;
export const NODE_ANY: usize = 8; // child for every key not listed, or 0
export const NODE_ANY_SLOT: usize = 12; // slot that takes the key itself when NODE_ANY is followed, or -1
export const NODE_KEYS: usize = 16; // keys: (address, length, child) triples, or 0 if this node has none
const NODE_TABLE: usize = 20; // 64 bytes: key number + 1 by hash, linear probing
export const NODE_RECORD: usize = 24; // the record in which this node was last entered
export const NODE_FIRST: usize = 28; // the first step of its objects, or 0
export const NODE_UNION: usize = 32; // a step with the beginning of the union around its values, or 0
export const NODE_WORD: usize = 36; // entry of the word that it had last, or 0
const KEY_SIZE: usize = 12;

export const FLAG_UNION: u32 = 1; // a one-member object around the value is an Avro union: look inside
export const FLAG_RAW: u32 = 2; // take objects and arrays as a piece of text
export const FLAG_UUID: u32 = 4;
export const FLAG_INTEGER: u32 = 8;
export const FLAG_WORD: u32 = 16; // one of a small vocabulary: give its number in the dictionary

/** The node for the key between `start` and `stop` among those the shape lists, or 0. */
export function listedChild(node: usize, start: usize, stop: usize): usize {
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

// @ts-ignore: decorator
@inline
function hashOf(first: u8, last: u8, length: u32): usize {
  return (((first as u32) + (last as u32) * 3 + length * 5) & 63) as usize;
}
