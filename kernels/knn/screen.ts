// Finds candidates: queries whose mean distance to the k nearest points is above the threshold (method §7).

import { dropFirst, listCells, searchCell } from './cells';
import { clearList, lowerMean, upperMean, worstOf } from './nearest-list';
import {
  countPairs, cellsOf, endOf, homeDistancesOf, homesOf, largestOf, neighboursOf, normsOf, orderOf, relativeOf,
  resultsOf, rotatedOf, takeFirst, thresholdOf, countOf, widthOf,
} from './setup';

const HARMLESS: u8 = 0;
const CANDIDATE: u8 = 1;
/** float32 cannot decide. */
const UNDECIDED: u8 = 2;
const ULP: f64 = 1.1 / 16777216;

/** The largest error of a distance from rounding coordinates to float32. */
// @ts-ignore: decorator
@inline export function absoluteError(s: usize, j: usize, q: usize): f64 {
  return ULP * (<f64>load<f32>(normsOf(j) + (q << 2)) + largestOf(s)) + 1e-12;
}

/** Scratch: 64 bytes of lanes, k floats, a heap of cells. */
export function screen(s: usize, j: usize, scratch: usize): void {
  for (;;) {
    const first = takeFirst(j);
    if (first >= countOf(j)) return;
    const end = endOf(j, first);
    for (let i = first; i < end; i++) {
      const q = <usize>load<u32>(orderOf(j) + (i << 2));
      store<u8>(resultsOf(j) + q, screenOne(s, j, q, scratch));
    }
  }
}

function screenOne(s: usize, j: usize, q: usize, lanes: usize): u8 {
  const k = neighboursOf(j);
  const list = lanes + 64;
  const heap = (list + (k << 2) + 15) & ~15;
  const query = rotatedOf(j) + q * (widthOf(s) << 2);
  const threshold = thresholdOf(j);
  const relative = relativeOf(s);
  const absolute = absoluteError(s, j, q);
  clearList(list, k);
  const home = load<u32>(homesOf(j) + (q << 2));
  let pairs = searchCell(s, query, home, <f64>load<f32>(homeDistancesOf(j) + (q << 2)), list, k, lanes);
  if (upperMean(list, k, relative, absolute) <= threshold) {
    countPairs(j, pairs, 0);
    return HARMLESS;
  }
  let result = UNDECIDED;
  let left = listCells(s, query, sqrt<f64>(<f64>worstOf(list, k)) * (1 - relative), lanes, heap);
  for (; left > 0; dropFirst(heap, left), left--) {
    const bound = load<f64>(heap);
    if (bound >= sqrt<f64>(<f64>worstOf(list, k)) * (1 - relative)) break;
    // Unvisited points are at least `bound` away; the home cell is already visited.
    if (lowerMean(list, k, bound, relative, absolute) > threshold) {
      result = CANDIDATE;
      break;
    }
    const cell = load<u32>(heap, 12);
    if (cell == home) continue;
    const found = searchCell(s, query, cell, <f64>load<f32>(heap, 8), list, k, lanes);
    pairs += found;
    if (found > 0 && upperMean(list, k, relative, absolute) <= threshold) {
      result = HARMLESS;
      break;
    }
  }
  if (result == UNDECIDED && lowerMean(list, k, Infinity, relative, absolute) > threshold) result = CANDIDATE;
  countPairs(j, pairs, <u64>cellsOf(s));
  return result;
}
