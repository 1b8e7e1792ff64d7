// Comparison of bytes.

/** Tells whether `length` bytes are the same at both addresses. */
export function equal(a: usize, b: usize, length: usize): bool {
  let i: usize = 0;
  for (; i + 8 <= length; i += 8) if (load<u64>(a + i) != load<u64>(b + i)) return false;
  for (; i < length; i++) if (load<u8>(a + i) != load<u8>(b + i)) return false;
  return true;
}

/** Like `equal`, but 16 bytes at a time: it reads up to 16 bytes beyond the end. */
// @ts-ignore: decorator
@inline
export function same(a: usize, b: usize, length: u32): bool {
  while (true) {
    const equal = i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b))) as u32;
    if (length <= 16) return ((equal | (0xffff << length)) & 0xffff) == 0xffff;
    if (equal != 0xffff) return false;
    a += 16;
    b += 16;
    length -= 16;
  }
}
