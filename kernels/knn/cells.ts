// Cells: points grouped by their nearest centre. A query searches only cells whose ball can hold a near point.

import { measureBlock } from './blocks';
import { FAR, insertCopies, worstOf } from './nearest-list';
import {
  blocksOf, cellsOf, centresOf, firstBlocksOf, headOf, multiplicityOf, radiiOf, relativeOf, ringsOf, widthOf,
} from './setup';

/** Finds the nearest centre. Writes its squared distance to `found` and returns the number of its cell. */
export function nearestCentre(s: usize, query: usize, lanes: usize, found: usize): u32 {
  const width = widthOf(s);
  const head = headOf(s);
  const cells = cellsOf(s);
  let best: f32 = FAR;
  let cell: u32 = 0;
  let block = centresOf(s);
  for (let first: usize = 0; first < cells; first += 16, block += width << 6) {
    let mask = measureBlock(query, block, width, head, best, lanes);
    while (mask != 0) {
      const lane = ctz(mask);
      mask &= mask - 1;
      const value = load<f32>(lanes + (<usize>lane << 2));
      if (value < best) {
        best = value;
        cell = <u32>first + lane;
      }
    }
  }
  store<f32>(found, best);
  return cell;
}

/**
 * Builds a heap of the cells that can hold a point nearer than `reach`, ordered by a lower bound of the distance to their
 * points. Each entry has 16 bytes: bound f64, distance of the centre f32, cell u32. Returns the number of entries.
 */
export function listCells(s: usize, query: usize, reach: f64, lanes: usize, heap: usize): usize {
  const width = widthOf(s);
  const cells = cellsOf(s);
  const radii = radiiOf(s);
  const relative = relativeOf(s);
  let block = centresOf(s);
  let count: usize = 0;
  for (let first: usize = 0; first < cells; first += 16, block += width << 6) {
    measureBlock(query, block, width, width, FAR, lanes);
    const end = min<usize>(16, cells - first);
    for (let lane: usize = 0; lane < end; lane++) {
      const distance = sqrt<f64>(<f64>load<f32>(lanes + (lane << 2)));
      const bound = distance * (1 - relative) - <f64>load<f32>(radii + ((first + lane) << 2));
      if (bound >= reach) continue;
      const at = heap + (count << 4);
      store<f64>(at, bound);
      store<f32>(at, <f32>distance, 8);
      store<u32>(at, <u32>(first + lane), 12);
      count++;
    }
  }
  for (let i = <isize>(count >> 1) - 1; i >= 0; i--) sink(heap, <usize>i, count);
  return count;
}

/** Removes the first entry of the heap. */
export function dropFirst(heap: usize, count: usize): void {
  const last = heap + ((count - 1) << 4);
  store<u64>(heap, load<u64>(last));
  store<u64>(heap, load<u64>(last, 8), 8);
  sink(heap, 0, count - 1);
}

function sink(heap: usize, from: usize, count: usize): void {
  const key = load<f64>(heap + (from << 4));
  const rest = load<u64>(heap + (from << 4), 8);
  let i = from;
  for (;;) {
    let child: usize = (i << 1) + 1;
    if (child >= count) break;
    if (child + 1 < count && load<f64>(heap + ((child + 1) << 4)) < load<f64>(heap + (child << 4))) child++;
    if (!(load<f64>(heap + (child << 4)) < key)) break;
    memory.copy(heap + (i << 4), heap + (child << 4), 16);
    i = child;
  }
  store<f64>(heap + (i << 4), key);
  store<u64>(heap + (i << 4), rest, 8);
}

/** A lower bound of the distance to any point of the block, by the triangle inequality and the error of `centre`. */
// @ts-ignore: decorator
@inline export function ringBound(s: usize, block: usize, centre: f64): f64 {
  const ring = ringsOf(s) + (block << 3);
  const relative = relativeOf(s);
  return max<f64>(
    centre * (1 - relative) - <f64>load<f32>(ring, 4),
    <f64>load<f32>(ring) - centre * (1 + relative),
  );
}

/** Adds the points of a cell to the list of the nearest. Returns the number of computed pairs. */
export function searchCell(s: usize, query: usize, cell: u32, centre: f64, list: usize, k: usize, lanes: usize): u64 {
  const width = widthOf(s);
  const head = headOf(s);
  const firsts = firstBlocksOf(s) + (<usize>cell << 2);
  const end = <usize>load<u32>(firsts, 4);
  const relative = relativeOf(s);
  let pairs: u64 = 0;
  let worst = worstOf(list, k);
  let reach = sqrt<f64>(<f64>worst) * (1 - relative);
  for (let block = <usize>load<u32>(firsts); block < end; block++) {
    if (ringBound(s, block, centre) >= reach) continue;
    pairs += 16;
    let mask = measureBlock(query, blocksOf(s) + block * (width << 6), width, head, worst, lanes);
    if (mask == 0) continue;
    while (mask != 0) {
      const lane = <usize>ctz(mask);
      mask &= mask - 1;
      insertCopies(list, k, load<f32>(lanes + (lane << 2)), load<u32>(multiplicityOf(s) + (((block << 4) + lane) << 2)));
    }
    worst = worstOf(list, k);
    reach = sqrt<f64>(<f64>worst) * (1 - relative);
  }
  return pairs;
}
