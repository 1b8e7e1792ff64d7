// Numbers the texts of a block. The same bytes give the same number. The host decodes each number once.

/** Texts of a block that get a number. The host decodes further ones each time. */
const MOST: u32 = 8192;
const SLOTS: u32 = 16384;
/** Attackers choose texts. One whose place takes longer to find gets no number. */
const PROBES: u32 = 32;
const ENTRY: usize = 16;
export const UNNUMBERED: i32 = -1;

let slots: usize = 0;
let entries: usize = 0;
let seed: u64 = 0;
let count: u32 = 0;

export function placeTexts(address: usize, first: u32, second: u32): void {
  slots = address;
  entries = address + SLOTS * 4;
  seed = ((first as u64) << 32) | (second as u64);
}

export function clearTexts(): void {
  memory.fill(slots, 0, SLOTS * 4);
  count = 0;
}

/** Returns the number of the bytes from `start` to `stop`, or UNNUMBERED. */
export function textNumber(start: usize, stop: usize): i32 {
  const length = (stop - start) as u32;
  let hash = seed ^ (length as u64);
  let p = start;
  for (; p + 8 <= stop; p += 8) hash = mix(hash, load<u64>(p));
  const left = (stop - p) as u32;
  if (left > 0) hash = mix(hash, load<u64>(p) << ((8 - left) << 3));
  const short = (hash >> 32) as u32;
  let slot = short & (SLOTS - 1);
  for (let probe: u32 = 0; probe < PROBES; probe++) {
    const number = load<u32>(slots + ((slot as usize) << 2));
    if (number == 0) return add(slot, short, start, length);
    const entry = entries + (number as usize) * ENTRY;
    if (
      load<u32>(entry, 8) == short &&
      load<u32>(entry, 4) == length &&
      same(load<u32>(entry) as usize, start, length)
    )
      return number as i32;
    slot = (slot + 1) & (SLOTS - 1);
  }
  return UNNUMBERED;
}

function add(slot: u32, hash: u32, start: usize, length: u32): i32 {
  if (count >= MOST - 1) return UNNUMBERED;
  const number = ++count;
  store<u32>(slots + ((slot as usize) << 2), number);
  const entry = entries + (number as usize) * ENTRY;
  store<u32>(entry, start as u32);
  store<u32>(entry, length, 4);
  store<u32>(entry, hash, 8);
  return number as i32;
}

// @ts-ignore: decorator
@inline
function mix(hash: u64, word: u64): u64 {
  const mixed = (hash ^ word) * 0x9e3779b97f4a7c15;
  return mixed ^ (mixed >> 29);
}

// @ts-ignore: decorator
@inline
function same(a: usize, b: usize, length: u32): bool {
  let left = length;
  while (left >= 8) {
    if (load<u64>(a) != load<u64>(b)) return false;
    a += 8;
    b += 8;
    left -= 8;
  }
  return left == 0 || (load<u64>(a) ^ load<u64>(b)) << ((8 - left) << 3) == 0;
}
