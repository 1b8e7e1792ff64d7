import { finishMix, mixWord } from '../../base/integer-mix.js';

/** Grid steps per standard deviation (method §7). */
export const GRID = 1_000_000;
/** Coordinates are clamped to ±2,000 deviations, so that they fit 32 bits. */
export const FARTHEST = 2_000_000_000;

/**
 * Distinct points of the grid. Coordinate i of a point is the float64 `steps / GRID`. The squared distance of two points
 * is the float64 sum of squared coordinate differences, in index order.
 */
export interface SnappedPoints {
  readonly width: number;
  readonly count: number;
  /** count × width numbers of grid steps. */
  readonly steps: Int32Array;
}

/** Distinct points, and the point of each instance. */
export interface FoldedPoints extends SnappedPoints {
  readonly pointOf: Int32Array;
  readonly multiplicity: Uint32Array;
}

/** Merges identical rows into one point. Points keep the order of their first rows. */
export function foldPoints(steps: Int32Array, rows: number, width: number): FoldedPoints {
  const pointOf = new Int32Array(rows);
  let buckets = 16;
  while (buckets < 2 * rows) buckets *= 2;
  const table = new Int32Array(buckets).fill(-1);
  const first = new Int32Array(rows);
  const multiplicity = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    let bucket = hashRow(steps, row * width, width) & (buckets - 1);
    while (table[bucket] >= 0 && !sameRow(steps, first[table[bucket]] * width, row * width, width)) {
      bucket = (bucket + 1) & (buckets - 1);
    }
    if (table[bucket] < 0) {
      first[count] = row;
      table[bucket] = count++;
    }
    pointOf[row] = table[bucket];
    multiplicity[table[bucket]]++;
  }
  const distinct = new Int32Array(count * width);
  for (let point = 0; point < count; point++) {
    const at = first[point] * width;
    for (let j = 0; j < width; j++) distinct[point * width + j] = steps[at + j];
  }
  return { width, count, steps: distinct, pointOf, multiplicity: multiplicity.slice(0, count) };
}

function hashRow(steps: Int32Array, at: number, width: number): number {
  let hash = 0;
  for (let j = at; j < at + width; j++) hash = mixWord(hash, steps[j]);
  return finishMix(hash);
}

function sameRow(steps: Int32Array, a: number, b: number, width: number): boolean {
  for (let j = 0; j < width; j++) if (steps[a + j] !== steps[b + j]) return false;
  return true;
}
