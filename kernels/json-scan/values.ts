// Converts UUIDs and integers, which is faster here than in the host.

import { SLOT_DIGITS, SLOT_TAG, SLOT_WORDS, slotAt, TAG_INTEGER } from './row';

/** Stores a UUID, with or without dashes, in the slot. Returns false if the text is not a UUID. */
export function takeUuid(slot: i32, start: usize, stop: usize): bool {
  const length = stop - start;
  const at = slotAt(slot);
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

/** Returns a mask of the bytes that are hexadecimal digits. */
// @ts-ignore: decorator
@inline
function hexDigits(text: v128): v128 {
  const digit = i8x16.sub(text, i8x16.splat(0x30));
  const letter = i8x16.sub(v128.or(text, i8x16.splat(0x20)), i8x16.splat(0x61));
  return v128.or(i8x16.lt_u(digit, i8x16.splat(10)), i8x16.lt_u(letter, i8x16.splat(6)));
}

/** Converts sixteen hexadecimal digits to a 64-bit number. */
// @ts-ignore: decorator
@inline
function packNibbles(text: v128): u64 {
  // The low four bits of '0' to '9' are the value. Those of a letter are the value minus 9, and bit 6 is set.
  const letter = i8x16.shr_u(v128.and(text, i8x16.splat(0x40)), 6);
  const nine = i8x16.add(i8x16.shl(letter, 3), letter);
  const nibbles = i8x16.add(v128.and(text, i8x16.splat(0x0f)), nine);
  // In each 16-bit lane, the first digit is the low byte and becomes the high half of the result.
  const bytes = v128.and(v128.or(i16x8.shl(nibbles, 4), i16x8.shr_u(nibbles, 8)), i16x8.splat(0xff));
  return bswap<u64>(i64x2.extract_lane(i8x16.narrow_i16x8_u(bytes, bytes), 0) as u64);
}

/** Stores a 64-bit integer in the slot if the text is a plain integer that fits. */
export function takeInteger(slot: i32, start: usize, stop: usize): void {
  const at = slotAt(slot);
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
  // 19 nines fit 64 unsigned bits, so `value` has not overflowed. There is one more negative number than positive ones.
  if (value > (i64.MAX_VALUE as u64) + (negative ? 1 : 0)) return;
  store<i64>(at, negative ? -(value as i64) : (value as i64), SLOT_WORDS);
  store<u32>(at, digits as u32, SLOT_DIGITS);
  store<u32>(at, load<u32>(at, SLOT_TAG) | TAG_INTEGER, SLOT_TAG);
}
