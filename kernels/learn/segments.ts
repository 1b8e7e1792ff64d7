// Means over r-neighbours, and their gradient as a gather. Long rows are split into segments as in attention.ts.

import { BATCH, NONE, ROW, addTo, clearRow, madd, ptr, sumPartsOfRow, touch, word } from './simd';

/** part = the sum of `count` rows by number, each multiplied by its scale if `scales` is not 0. */
function sumRows(numbers: usize, count: usize, rows: usize, scales: usize, part: usize): void {
  if (count == 0) clearRow(part);
  for (let i: usize = 0; i < count; i += BATCH) {
    const some = min<usize>(BATCH, count - i);
    if (some > 2) touch(numbers + (i << 2), some, rows);
    if (scales == 0) addRows(numbers + (i << 2), some, rows, part, i > 0);
    else addScaledRows(numbers + (i << 2), some, rows, scales, part, i > 0);
  }
}

/** Stores eight vectors, or adds them. */
// @ts-ignore: decorator
@inline function put(
  out: usize, add: bool, s0: v128, s1: v128, s2: v128, s3: v128, s4: v128, s5: v128, s6: v128, s7: v128,
): void {
  if (add) {
    addTo(out, s0); addTo(out + 16, s1); addTo(out + 32, s2); addTo(out + 48, s3);
    addTo(out + 64, s4); addTo(out + 80, s5); addTo(out + 96, s6); addTo(out + 112, s7);
  } else {
    v128.store(out, s0); v128.store(out, s1, 16); v128.store(out, s2, 32); v128.store(out, s3, 48);
    v128.store(out, s4, 64); v128.store(out, s5, 80); v128.store(out, s6, 96); v128.store(out, s7, 112);
  }
}

function addRows(numbers: usize, count: usize, rows: usize, part: usize, add: bool): void {
  for (let j: usize = 0; j < ROW; j += 128) {
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    for (let i: usize = 0; i < count; i++) {
      const row = rows + <usize>load<u32>(numbers + (i << 2)) * ROW + j;
      s0 = f32x4.add(s0, v128.load(row));
      s1 = f32x4.add(s1, v128.load(row, 16));
      s2 = f32x4.add(s2, v128.load(row, 32));
      s3 = f32x4.add(s3, v128.load(row, 48));
      s4 = f32x4.add(s4, v128.load(row, 64));
      s5 = f32x4.add(s5, v128.load(row, 80));
      s6 = f32x4.add(s6, v128.load(row, 96));
      s7 = f32x4.add(s7, v128.load(row, 112));
    }
    put(part + j, add, s0, s1, s2, s3, s4, s5, s6, s7);
  }
}

function addScaledRows(numbers: usize, count: usize, rows: usize, scales: usize, part: usize, add: bool): void {
  for (let j: usize = 0; j < ROW; j += 128) {
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    for (let i: usize = 0; i < count; i++) {
      const number = <usize>load<u32>(numbers + (i << 2));
      const row = rows + number * ROW + j;
      const scale = v128.load32_splat(scales + (number << 2));
      s0 = madd(scale, v128.load(row), s0);
      s1 = madd(scale, v128.load(row, 16), s1);
      s2 = madd(scale, v128.load(row, 32), s2);
      s3 = madd(scale, v128.load(row, 48), s3);
      s4 = madd(scale, v128.load(row, 64), s4);
      s5 = madd(scale, v128.load(row, 80), s5);
      s6 = madd(scale, v128.load(row, 96), s6);
      s7 = madd(scale, v128.load(row, 112), s7);
    }
    put(part + j, add, s0, s1, s2, s3, s4, s5, s6, s7);
  }
}

/** out[row] = scale · part, or out[row] += scale · part. */
function finishRow(args: usize, part: usize, row: usize): void {
  const out = ptr(args, 8) + row * ROW;
  const scale = ptr(args, 7) == 0 ? f32x4.splat(1) : v128.load32_splat(ptr(args, 7) + (row << 2));
  if (word(args, 12) == 0) {
    for (let j: usize = 0; j < ROW; j += 16) v128.store(out + j, f32x4.mul(v128.load(part + j), scale));
  } else {
    for (let j: usize = 0; j < ROW; j += 16) v128.store(out + j, madd(scale, v128.load(part + j), v128.load(out + j)));
  }
}

/**
 * out[row] = scale[row] · Σ scales[i] · rows[i] over the entries of the row, where i is the entry or sourceRows[entry].
 * Arguments: segments, chunk bounds, split rows, split rows per chunk, entries, sourceRows or 0, rows, scale or 0, out,
 * parts, split count, scales or 0, add.
 */
export function segmentSum(args: usize, chunk: usize, scratch: usize): void {
  const bounds = ptr(args, 1);
  const last = <usize>load<u32>(bounds + (chunk << 2), 4);
  const sourceRows = ptr(args, 5);
  const numbers = scratch + ROW;
  // A plain sum is written directly to the output.
  const isSum = ptr(args, 7) == 0 && word(args, 12) == 0;
  for (let i = <usize>load<u32>(bounds + (chunk << 2)); i < last; i++) {
    const segment = ptr(args, 0) + (i << 4);
    const start = <usize>load<u32>(segment, 4);
    const end = <usize>load<u32>(segment, 8);
    const at = load<u32>(segment, 12);
    const row = <usize>load<u32>(segment);
    const whole = isSum ? ptr(args, 8) + row * ROW : scratch;
    const part = at == NONE ? whole : ptr(args, 9) + <usize>at * ROW;
    const entries = ptr(args, 4) + (start << 2);
    let count = end - start;
    let from = entries;
    if (sourceRows != 0) {
      from = numbers;
      let kept: usize = 0;
      for (let e: usize = 0; e < count; e++) {
        const source = load<u32>(sourceRows + (<usize>load<u32>(entries + (e << 2)) << 2));
        store<u32>(numbers + (kept << 2), source);
        kept += source == NONE ? 0 : 1;
      }
      count = kept;
    }
    // Most rows of a gradient have nothing to add.
    if (count == 0 && at == NONE && word(args, 12) != 0) continue;
    sumRows(from, count, ptr(args, 6), ptr(args, 11), part);
    if (at == NONE && !isSum) finishRow(args, part, row);
  }
}

export function mergeSegments(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 3);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, 10));
  for (let i = chunk * size; i < end; i++) {
    const split = ptr(args, 2) + i * 12;
    const first = ptr(args, 9) + <usize>load<u32>(split, 4) * ROW;
    sumPartsOfRow(first, <usize>load<u32>(split, 8), ROW, scratch);
    finishRow(args, scratch, <usize>load<u32>(split));
  }
}
