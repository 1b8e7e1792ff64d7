// The exact k nearest points: float32 finds those that can be among them, float64 in index order gives their distances.

import { measureBlock } from './blocks';
import { dropFirst, listCells, ringBound, searchCell } from './cells';
import { clearList, FAR, worstOf } from './nearest-list';
import { absoluteError } from './screen';
import {
  blocksOf, cellsOf, countOf, countPairs, endOf, firstBlocksOf, headOf, homeDistancesOf, homesOf, multiplicityOf,
  namesOf, neighboursOf, numbersOf, orderOf, queryStepsOf, relativeOf, resultsOf, rotatedOf, stepsOf, takeFirst,
  weightedOf, widthOf,
} from './setup';

const NONE: u32 = 0xffffffff;
const GRID: f64 = 1000000;

/** Scratch: lanes, k floats, k × (distance f64, number u32 + 4), the query in float64, a heap of cells. */
export function exact(s: usize, j: usize, scratch: usize): void {
  for (;;) {
    const first = takeFirst(j);
    if (first >= countOf(j)) return;
    const end = endOf(j, first);
    for (let i = first; i < end; i++) exactOne(s, j, <usize>load<u32>(orderOf(j) + (i << 2)), scratch);
  }
}

/** The float64 distance of a point from the query, summed in index order. */
function distance(steps: usize, query: usize, width: usize): f64 {
  let sum: f64 = 0;
  const end = steps + (width << 2);
  for (; steps < end; steps += 4, query += 8) {
    const difference = <f64>load<i32>(steps) / GRID - load<f64>(query);
    sum += difference * difference;
  }
  return sqrt<f64>(sum);
}

/** Inserts a point into the list, which is ordered by (distance, number). */
function insertPoint(list: usize, k: usize, value: f64, number: u32, copies: u32): void {
  for (let c: u32 = 0; c < copies; c++) {
    let at = list + ((k - 1) << 4);
    if (!comesBefore(value, number, at)) return;
    while (at > list && comesBefore(value, number, at - 16)) {
      memory.copy(at, at - 16, 16);
      at -= 16;
    }
    store<f64>(at, value);
    store<u32>(at, number, 8);
  }
}

// @ts-ignore: decorator
@inline function comesBefore(value: f64, number: u32, at: usize): bool {
  const other = load<f64>(at);
  return value < other || (value == other && number < load<u32>(at, 8));
}

function exactOne(s: usize, j: usize, q: usize, lanes: usize): void {
  const k = neighboursOf(j);
  const width = widthOf(s);
  const weighted = weightedOf(j);
  const rough = lanes + 64;
  const list = (rough + (k << 2) + 15) & ~15;
  const wide = list + (k << 4);
  const heap = wide + ((width << 3) + 15) & ~15;
  const query = rotatedOf(j) + q * (width << 2);
  const relative = relativeOf(s);
  const absolute = absoluteError(s, j, q);
  const from = queryStepsOf(j) + q * (width << 2);
  for (let i: usize = 0; i < width; i++) store<f64>(wide + (i << 3), <f64>load<i32>(from + (i << 2)) / GRID);
  for (let i: usize = 0; i < k; i++) {
    store<f64>(list + (i << 4), Infinity);
    store<u32>(list + (i << 4), NONE, 8);
  }
  let reach: f64 = Infinity;
  let pairs: u64 = 0;
  if (weighted) {
    // A float32 search of the home cell first saves most float64 distances.
    clearList(rough, k);
    const home = load<u32>(homesOf(j) + (q << 2));
    pairs += searchCell(s, query, home, <f64>load<f32>(homeDistancesOf(j) + (q << 2)), rough, k, lanes);
    const worst = worstOf(rough, k);
    if (worst < FAR) reach = sqrt<f64>(<f64>worst) * (1 + relative) + absolute;
  }
  let left = listCells(s, query, reach + absolute, lanes, heap);
  for (; left > 0; dropFirst(heap, left), left--) {
    if (load<f64>(heap) - absolute > reach) break;
    const firsts = firstBlocksOf(s) + (<usize>load<u32>(heap, 12) << 2);
    const centre = <f64>load<f32>(heap, 8);
    const end = <usize>load<u32>(firsts, 4);
    for (let block = <usize>load<u32>(firsts); block < end; block++) {
      if (ringBound(s, block, centre) - absolute > reach) continue;
      const bound = (reach + absolute) * (1 + 2 * relative);
      const limit = min<f64>(<f64>FAR, bound * bound * (1 + 1e-6));
      pairs += 16;
      let mask = measureBlock(query, blocksOf(s) + block * (width << 6), width, headOf(s), <f32>limit, lanes);
      while (mask != 0) {
        const place = (block << 4) + <usize>ctz(mask);
        mask &= mask - 1;
        const number = load<u32>(numbersOf(s) + (place << 2));
        const copies = weighted ? load<u32>(multiplicityOf(s) + (place << 2)) : 1;
        insertPoint(list, k, distance(stepsOf(s) + <usize>number * (width << 2), wide, width), number, copies);
      }
      reach = min<f64>(reach, load<f64>(list + ((k - 1) << 4)));
    }
  }
  countPairs(j, pairs, <u64>cellsOf(s));
  if (namesOf(j) == 0) {
    let sum: f64 = 0;
    for (let i: usize = 0; i < k; i++) sum += load<f64>(list + (i << 4));
    store<f64>(resultsOf(j) + (q << 3), sum / <f64>k);
    return;
  }
  for (let i: usize = 0; i < k; i++) {
    store<f64>(resultsOf(j) + ((q * k + i) << 3), load<f64>(list + (i << 4)));
    store<u32>(namesOf(j) + ((q * k + i) << 2), load<u32>(list + (i << 4), 8));
  }
}
