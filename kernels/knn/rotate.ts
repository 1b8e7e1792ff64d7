// Rotates grid points to their principal axes in float64 and rounds them once to float32.

import { nearestCentre } from './cells';
import {
  countOf, countPairs, cellsOf, endOf, homeDistancesOf, homesOf, normsOf, queryStepsOf, rotatedOf, rotationOf,
  takeFirst, widthOf,
} from './setup';

const GRID: f64 = 1000000;

/** Scratch: the point, then the rotated point, in float64, each padded to an even width. */
export function rotate(s: usize, j: usize, scratch: usize): void {
  const width = widthOf(s);
  const even = (width + 1) & ~1;
  const rotated = scratch + (even << 3);
  for (;;) {
    const first = takeFirst(j);
    if (first >= countOf(j)) return;
    const end = endOf(j, first);
    for (let q = first; q < end; q++) {
      const from = queryStepsOf(j) + q * (width << 2);
      const to = rotatedOf(j) + q * (width << 2);
      let square: f64 = 0;
      for (let i: usize = 0; i < width; i++) {
        const value = <f64>load<i32>(from + (i << 2)) / GRID;
        store<f64>(scratch + (i << 3), value);
        square += value * value;
      }
      multiply(scratch, rotationOf(s), width, even, rotated);
      for (let i: usize = 0; i < width; i++) store<f32>(to + (i << 2), <f32>load<f64>(rotated + (i << 3)));
      store<f32>(normsOf(j) + (q << 2), <f32>(sqrt<f64>(square) * 1.000001));
    }
  }
}

/** out = x · matrix, whose rows have `even` columns. Eight columns at a time stay in registers. */
function multiply(x: usize, matrix: usize, width: usize, even: usize, out: usize): void {
  const stride = even << 3;
  let column: usize = 0;
  for (; column + 8 <= even; column += 8) {
    let a0 = f64x2.splat(0);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let row = matrix + (column << 3);
    for (let i: usize = 0; i < width; i++, row += stride) {
      const value = v128.load64_splat(x + (i << 3));
      a0 = f64x2.add(a0, f64x2.mul(value, v128.load(row)));
      a1 = f64x2.add(a1, f64x2.mul(value, v128.load(row, 16)));
      a2 = f64x2.add(a2, f64x2.mul(value, v128.load(row, 32)));
      a3 = f64x2.add(a3, f64x2.mul(value, v128.load(row, 48)));
    }
    v128.store(out + (column << 3), a0);
    v128.store(out + (column << 3), a1, 16);
    v128.store(out + (column << 3), a2, 32);
    v128.store(out + (column << 3), a3, 48);
  }
  for (; column < even; column += 2) {
    let a = f64x2.splat(0);
    let row = matrix + (column << 3);
    for (let i: usize = 0; i < width; i++, row += stride) {
      a = f64x2.add(a, f64x2.mul(v128.load64_splat(x + (i << 3)), v128.load(row)));
    }
    v128.store(out + (column << 3), a);
  }
}

/** Finds the nearest cell of each rotated query. Scratch: lanes. */
export function assignCells(s: usize, j: usize, scratch: usize): void {
  const width = widthOf(s);
  for (;;) {
    const first = takeFirst(j);
    if (first >= countOf(j)) return;
    const end = endOf(j, first);
    for (let q = first; q < end; q++) {
      const cell = nearestCentre(s, rotatedOf(j) + q * (width << 2), scratch, scratch + 64);
      store<u32>(homesOf(j) + (q << 2), cell);
      store<f32>(homeDistancesOf(j) + (q << 2), <f32>sqrt<f64>(<f64>load<f32>(scratch + 64)));
    }
    countPairs(j, 0, <u64>(end - first) * <u64>cellsOf(s));
  }
}
