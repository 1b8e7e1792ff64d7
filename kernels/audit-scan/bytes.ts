// Comparison and search of bytes. All functions may read up to 16 bytes beyond a line, which the block has room for.

export const SPACE: u8 = 0x20;
export const QUOTE: u8 = 0x22;
export const APOSTROPHE: u8 = 0x27;
/** auditd writes this byte before the fields that it translated. */
export const ENRICHED: u8 = 0x1d;

/** Tells whether the bytes at `p` are the `length` bytes of `text`, at most 8. */
// @ts-ignore: decorator
@inline
export function starts(p: usize, text: u64, length: u32): bool {
  return (load<u64>(p) ^ text) << ((8 - length) << 3) == 0;
}

/** The first newline from `p` on. There is one at `end`. */
// @ts-ignore: decorator
@inline
export function findNewline(p: usize, end: usize): usize {
  const newline = i8x16.splat(0x0a);
  while (true) {
    const mask = i8x16.bitmask(i8x16.eq(v128.load(p), newline));
    if (mask != 0) {
      p += ctz(mask) as usize;
      return p < end ? p : end;
    }
    p += 16;
    if (p >= end) return end;
  }
}

/** The first quote from `p` on, or `stop`. */
// @ts-ignore: decorator
@inline
export function findQuote(p: usize, stop: usize): usize {
  const quote = i8x16.splat(QUOTE);
  while (p < stop) {
    const mask = i8x16.bitmask(i8x16.eq(v128.load(p), quote));
    if (mask != 0) {
      p += ctz(mask) as usize;
      return p < stop ? p : stop;
    }
    p += 16;
  }
  return stop;
}

/** The end of a value without quotes: the first space, apostrophe or mark of translated fields, or `stop`. */
// @ts-ignore: decorator
@inline
export function findEnd(p: usize, stop: usize): usize {
  while (p < stop) {
    const byte = load<u8>(p);
    if (byte == SPACE || byte == APOSTROPHE || byte == ENRICHED) return p;
    p++;
  }
  return stop;
}
