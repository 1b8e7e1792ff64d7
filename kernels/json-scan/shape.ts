// The shape of a reader (the keys, their depth and their types), compiled by src/ingest/scan/shape.ts.

import { equal } from './bytes';

// The layout of a node, in 32-bit words.
export const NODE_SLOT: usize = 0; // slot for the value, or -1
export const NODE_FLAGS: usize = 4;
export const NODE_ANY: usize = 8; // child for all keys that are not listed, or 0
export const NODE_ANY_SLOT: usize = 12; // slot for the key that NODE_ANY matches, or -1
export const NODE_KEYS: usize = 16; // keys as (address, length, child) triples, or 0 if there are none
const NODE_TABLE: usize = 20; // 256 bytes: key number + 1 by hash, linear probing
export const NODE_RECORD: usize = 24; // number of the last record with this node
export const NODE_FIRST: usize = 28; // first step of its objects, or 0
export const NODE_UNION: usize = 32; // step with the start of the union around its values, or 0
export const NODE_SYMBOL: usize = 36; // dictionary entry of its last symbol, or 0
const KEY_SIZE: usize = 12;

export const FLAG_UNION: u32 = 1; // an object with one member around the value is an Avro union
export const FLAG_RAW: u32 = 2; // store objects and arrays as text
export const FLAG_UUID: u32 = 4;
export const FLAG_INTEGER: u32 = 8;
export const FLAG_SYMBOL: u32 = 16; // store the number of the symbol in the dictionary

/** Returns the node for the key between `start` and `stop`, or 0 if the shape does not list the key. */
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
      slot = (slot + 1) & 255;
    }
  }
  return 0;
}

// @ts-ignore: decorator
@inline
function hashOf(first: u8, last: u8, length: u32): usize {
  return (((first as u32) + (last as u32) * 3 + length * 5) & 255) as usize;
}
