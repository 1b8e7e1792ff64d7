// Finds the ends of strings and unescapes keys.

import { BAD_ESCAPE, BAD_STRING, fail } from './failure';
import { rowEnd, TAG_ESCAPED, TAG_STRING, TAG_WIDE } from './row';

/** The tag of the last string: whether it has escapes or bytes outside ASCII. */
export let stringTag: u32 = 0;

/** Skips the string with its opening quote at `p`, and sets stringTag. */
export function skipString(p: usize): usize {
  const quote = i8x16.splat(0x22);
  const backslash = i8x16.splat(0x5c);
  const space = i8x16.splat(0x20);
  let tag = TAG_STRING;
  p++;
  while (true) {
    const bytes = v128.load(p);
    const stops = i8x16.bitmask(
      v128.or(v128.or(i8x16.eq(bytes, quote), i8x16.eq(bytes, backslash)), i8x16.lt_u(bytes, space)),
    );
    const wide = i8x16.bitmask(bytes);
    if (stops == 0) {
      if (wide != 0) tag |= TAG_WIDE;
      p += 16;
      continue;
    }
    const run = ctz(stops);
    if ((wide & ((1 << run) - 1)) != 0) tag |= TAG_WIDE;
    p += run as usize;
    const c = load<u8>(p);
    if (c == 0x22) {
      stringTag = tag;
      return p + 1;
    }
    if (c != 0x5c) return fail(p, BAD_STRING);
    tag |= TAG_ESCAPED;
    const escape = load<u8>(p + 1);
    if (escape == 0x75) {
      for (let i: usize = 2; i < 6; i++) if (!isHex(load<u8>(p + i))) return fail(p, BAD_ESCAPE);
      p += 6;
    } else {
      // " \ / b f n r t
      if (
        escape != 0x22 && escape != 0x5c && escape != 0x2f && escape != 0x62 &&
        escape != 0x66 && escape != 0x6e && escape != 0x72 && escape != 0x74
      ) {
        return fail(p, BAD_ESCAPE);
      }
      p += 2;
    }
  }
}

function isHex(c: u8): bool {
  return (c as u32) - 0x30 <= 9 || ((c as u32) | 0x20) - 0x61 <= 5;
}

const KEY_SCRATCH: usize = 64;

/** Returns the address of the space for a key with escapes. */
// @ts-ignore: decorator
@inline
export function keyScratch(): usize {
  return rowEnd;
}

/**
 * Copies an unescaped key to the scratch space and returns its end there. It cuts long keys and replaces characters
 * outside ASCII, because no known key has them.
 */
export function unescapeKey(start: usize, stop: usize): usize {
  let out = keyScratch();
  const end = out + KEY_SCRATCH;
  for (let p = start; p < stop && out < end; out++) {
    let c = load<u8>(p++);
    if (c == 0x5c) {
      c = load<u8>(p++);
      if (c == 0x75) {
        const code = (hexValue(load<u8>(p)) << 12) | (hexValue(load<u8>(p, 1)) << 8) | (hexValue(load<u8>(p, 2)) << 4) | hexValue(load<u8>(p, 3));
        c = code < 0x80 ? (code as u8) : 0xff;
        p += 4;
      } else if (c == 0x62) c = 0x08;
      else if (c == 0x66) c = 0x0c;
      else if (c == 0x6e) c = 0x0a;
      else if (c == 0x72) c = 0x0d;
      else if (c == 0x74) c = 0x09;
    }
    store<u8>(out, c);
  }
  return out;
}

/** Returns the value of a hexadecimal digit. */
export function hexValue(c: u8): u32 {
  return c <= 0x39 ? (c as u32) - 0x30 : ((c as u32) | 0x20) - 0x57;
}
