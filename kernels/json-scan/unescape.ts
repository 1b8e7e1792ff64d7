// Copies the texts of a JSON array of strings, one per line, for another kernel to read them.

import { hexValue } from './strings';

const UNUSUAL: i32 = -1;
/** A byte below a space that audit records have: it separates the fields that the sensor translated. */
const ENRICHED: u32 = 0x1d;

/**
 * Copies the strings of the array between `start` and `stop`, which the scan has checked, to `target`. Returns the length,
 * or UNUSUAL if a string has other bytes than printable ASCII, a value is not a string, or there are more than `most`: the
 * host reads these by itself. The result is not longer than the array, but up to 16 bytes after it are written too.
 */
export function unescapeLines(start: u32, stop: u32, target: u32, most: i32): i32 {
  const quote = i8x16.splat(0x22);
  const backslash = i8x16.splat(0x5c);
  const zero = i8x16.splat(0);
  const end = (stop as usize) - 1;
  let p = (start as usize) + 1;
  let out = target as usize;
  let count = 0;
  while (true) {
    while (p < end && (load<u8>(p) == 0x2c || load<u8>(p) <= 0x20)) p++;
    if (p == end) return (out - (target as usize)) as i32;
    if (load<u8>(p) != 0x22 || ++count > most) return UNUSUAL;
    p++;
    while (true) {
      const bytes = v128.load(p);
      v128.store(out, bytes);
      const stops = i8x16.bitmask(
        v128.or(v128.or(i8x16.eq(bytes, quote), i8x16.eq(bytes, backslash)), i8x16.lt_s(bytes, zero)),
      );
      if (stops == 0) {
        p += 16;
        out += 16;
        continue;
      }
      const run = ctz(stops) as usize;
      p += run;
      out += run;
      const c = load<u8>(p);
      if (c == 0x22) break;
      if (c != 0x5c) return UNUSUAL;
      let code = load<u8>(p, 1) as u32;
      p += 2;
      if (code == 0x75) {
        code = (hexValue(load<u8>(p)) << 12) | (hexValue(load<u8>(p, 1)) << 8) | (hexValue(load<u8>(p, 2)) << 4) | hexValue(load<u8>(p, 3));
        if ((code < 0x20 && code != ENRICHED) || code > 0x7e) return UNUSUAL;
        p += 4;
      } else if (code != 0x22 && code != 0x5c && code != 0x2f) return UNUSUAL;
      store<u8>(out++, code as u8);
    }
    p++;
    store<u8>(out++, 0x0a);
  }
}
