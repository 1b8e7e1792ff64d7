// Squared distances from one query to 16 points at a time.

// @ts-ignore: decorator
@inline function madd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

/**
 * Writes 16 squared distances to `out` and returns a bit for each that is at most `limit`. Sums of squares only grow, so
 * that a block whose points are all too far after `head` dimensions returns 0 early and leaves `out` unchanged.
 */
export function measureBlock(query: usize, block: usize, width: usize, head: usize, limit: f32, out: usize): i32 {
  const most = f32x4.splat(limit);
  let s0 = f32x4.splat(0);
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  let at = block;
  let q = query;
  let end = query + (head << 2);
  for (;;) {
    for (; q < end; q += 4, at += 64) {
      const x = v128.load32_splat(q);
      const d0 = f32x4.sub(v128.load(at), x);
      const d1 = f32x4.sub(v128.load(at, 16), x);
      const d2 = f32x4.sub(v128.load(at, 32), x);
      const d3 = f32x4.sub(v128.load(at, 48), x);
      s0 = madd(d0, d0, s0);
      s1 = madd(d1, d1, s1);
      s2 = madd(d2, d2, s2);
      s3 = madd(d3, d3, s3);
    }
    const nearest = f32x4.pmin(f32x4.pmin(s0, s1), f32x4.pmin(s2, s3));
    if (!v128.any_true(f32x4.le(nearest, most))) return 0;
    const last = query + (width << 2);
    if (q == last) break;
    end = last;
  }
  v128.store(out, s0);
  v128.store(out, s1, 16);
  v128.store(out, s2, 32);
  v128.store(out, s3, 48);
  return (
    i32x4.bitmask(f32x4.le(s0, most)) |
    (i32x4.bitmask(f32x4.le(s1, most)) << 4) |
    (i32x4.bitmask(f32x4.le(s2, most)) << 8) |
    (i32x4.bitmask(f32x4.le(s3, most)) << 12)
  );
}
