import { finishMix, mixWord } from '../../base/integer-mix.js';

/** Steps of the grid in one deviation (method §7). */
export const GRID = 1_000_000;
/** Coordinates are held to ±2,000 deviations, which 32 bits can hold; whatever lies there is far from everything. */
export const FARTHEST = 2_000_000_000;

/**
 * Distinct points of the grid. Coordinate i of a point is the float64 `steps / GRID`; the squared distance of two points
 * is the float64 sum of squared differences of those, in index order. All else here only saves work.
 */
export interface SnappedPoints {
  readonly width: number;
  readonly count: number;
  /** count × width whole numbers of grid steps. */
  readonly steps: Int32Array;
}

/** Points, and which of them each instance is. */
export interface FoldedPoints extends SnappedPoints {
  readonly pointOf: Int32Array;
  readonly multiplicity: Uint32Array;
}

/** Identical rows become one point; points stand in the order of their first row. */
export function foldPoints(steps: Int32Array, rows: number, width: number): FoldedPoints {
  const pointOf = new Int32Array(rows);
  let slots = 16;
  while (slots < 2 * rows) slots *= 2;
  const table = new Int32Array(slots).fill(-1);
  const first = new Int32Array(rows);
  const multiplicity = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    let slot = hashRow(steps, row * width, width) & (slots - 1);
    while (table[slot] >= 0 && !sameRow(steps, first[table[slot]] * width, row * width, width)) {
      slot = (slot + 1) & (slots - 1);
    }
    if (table[slot] < 0) {
      first[count] = row;
      table[slot] = count++;
    }
    pointOf[row] = table[slot];
    multiplicity[table[slot]]++;
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
