// Skips values that the reader does not need, and checks their grammar.

import { BAD_COLON, BAD_KEY, BAD_SEPARATOR, BAD_VALUE, fail, TOO_DEEP } from './failure';
import { skipString } from './strings';

const MAX_DEPTH: i32 = 64;

/** Returns the position of the first byte from `p` that is not white space. */
// @ts-ignore: decorator
@inline
export function skipSpace(p: usize): usize {
  if (load<u8>(p) > 0x20) return p;
  return skipSpaces(p);
}

function skipSpaces(p: usize): usize {
  while (true) {
    const c = load<u8>(p);
    if (c != 0x20 && c != 0x09 && c != 0x0d) return p;
    p++;
  }
}

/** Skips the colon after a key. */
// @ts-ignore: decorator
@inline
export function skipColon(p: usize): usize {
  const colon = skipSpace(p);
  return load<u8>(colon) == 0x3a ? skipSpace(colon + 1) : fail(colon, BAD_COLON);
}

/** Skips one value of any kind. */
export function skipValue(p: usize): usize {
  const c = load<u8>(p);
  if (c == 0x22) return skipString(p);
  return c == 0x7b || c == 0x5b ? skipNested(p) : skipScalar(p, c);
}

function skipNested(p: usize): usize {
  let depth: i32 = 0;
  let objects: u64 = 0; // one bit per level: 1 for an object, 0 for an array
  while (true) {
    // Skip one value.
    const c = load<u8>(p);
    if (c == 0x22) p = skipString(p);
    else if (c == 0x7b || c == 0x5b) {
      const inside = skipSpace(p + 1);
      if (load<u8>(inside) != c + 2) {
        if (depth == MAX_DEPTH) return fail(p, TOO_DEEP);
        objects = (objects << 1) | (c == 0x7b ? 1 : 0);
        depth++;
        p = c == 0x7b ? skipKey(inside) : inside;
        if (p == 0) return 0;
        continue;
      }
      p = inside + 1; // in ASCII, both closing brackets are the opening ones plus 2
    } else p = skipScalar(p, c);
    if (p == 0) return 0;
    // Skip what follows the value: a comma, or any number of closing brackets.
    while (true) {
      if (depth == 0) return p;
      p = skipSpace(p);
      const after = load<u8>(p);
      const inObject = (objects & 1) != 0;
      if (after == 0x2c) {
        p = skipSpace(p + 1);
        if (inObject) p = skipKey(p);
        if (p == 0) return 0;
        break;
      }
      if (after != (inObject ? 0x7d : 0x5d)) return fail(p, BAD_SEPARATOR);
      p++;
      objects >>= 1;
      depth--;
    }
  }
}

/** Skips a key and its colon. */
function skipKey(p: usize): usize {
  if (load<u8>(p) != 0x22) return fail(p, BAD_KEY);
  p = skipString(p);
  return p == 0 ? 0 : skipColon(p);
}

function skipScalar(p: usize, c: u8): usize {
  if (c == 0x6e) return load<u32>(p) == 0x6c6c756e ? p + 4 : fail(p, BAD_VALUE); // null
  if (c == 0x74) return load<u32>(p) == 0x65757274 ? p + 4 : fail(p, BAD_VALUE); // true
  if (c == 0x66) return load<u32>(p, 1) == 0x65736c61 ? p + 5 : fail(p, BAD_VALUE); // false
  return skipNumber(p);
}

function skipNumber(p: usize): usize {
  if (load<u8>(p) == 0x2d) p++;
  if (load<u8>(p) == 0x30) p++;
  else p = skipDigits(p);
  if (p != 0 && load<u8>(p) == 0x2e) p = skipDigits(p + 1);
  if (p != 0 && (load<u8>(p) | 0x20) == 0x65) {
    const sign = load<u8>(p, 1);
    p = skipDigits(sign == 0x2b || sign == 0x2d ? p + 2 : p + 1);
  }
  return p;
}

function skipDigits(p: usize): usize {
  const start = p;
  while ((load<u8>(p) as u32) - 0x30 <= 9) p++;
  return p > start ? p : fail(p, BAD_VALUE);
}
