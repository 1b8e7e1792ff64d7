// The gradients of the scores of the encoder `rgat` (method §4), where each (node, ρ) is a row with two scores: s, which the
// entries out of the node under ρ read, and d, which the entries into it under the reverse of ρ read. Both kinds of entries
// are listed by one work list, because the graph is bidirectional: REVERSES holds the reverse of each entry.

import { WEIGHT } from './attention-grad';
import { CENTRE, FOUR, lastEntry } from './attention-scores';
import { narrow, sumDoubles } from './float64';
import { NONE, ptr, touchEach, word } from './simd';

/** Bytes of a part of a split row, in float64: ds, then dd. */
const PART: usize = 2 * FOUR;
/** Entries that are prefetched together, because single rows are too short. */
const AHEAD: usize = 32;

// Arguments after the work list by row (0 to 3). NODES: the node of each row. INNER: see attendInner.
const NEIGHBOURS = 4, REVERSES = 5, NODES = 6, WEIGHTS = 7, INNER = 8, DS = 9, DD = 10, PARTS = 11, SPLIT_COUNT = 12;

/** Arguments: segments, chunk bounds, split rows, split rows per chunk, then as above. */
export function relationScores(args: usize, chunk: usize, scratch: usize): void {
  const bounds = ptr(args, 1);
  const last = <usize>load<u32>(bounds + (chunk << 2), 4);
  for (let i = <usize>load<u32>(bounds + (chunk << 2)); i < last; i++) {
    const segment = ptr(args, 0) + (i << 4);
    const row = <usize>load<u32>(segment);
    const start = <usize>load<u32>(segment, 4), end = <usize>load<u32>(segment, 8);
    const at = load<u32>(segment, 12);
    const part = at == NONE ? scratch : ptr(args, PARTS) + <usize>at * PART;
    sumOutgoing(args, start, end, lastEntry(args, last), part);
    sumIncoming(args, row, start, end, lastEntry(args, last), part + FOUR);
    if (at == NONE) finish(args, row, part);
  }
}

/** Merges the parts of split rows. Argument 3 is the number of split rows per chunk. */
export function mergeRelationScores(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 3);
  const end = min<usize>((chunk + 1) * size, <usize>word(args, SPLIT_COUNT));
  for (let i = chunk * size; i < end; i++) {
    const split = ptr(args, 2) + i * 12;
    sumDoubles(ptr(args, PARTS) + <usize>load<u32>(split, 4) * PART, <usize>load<u32>(split, 8), PART, scratch);
    finish(args, <usize>load<u32>(split), scratch);
  }
}

function finish(args: usize, row: usize, part: usize): void {
  v128.store(ptr(args, DS) + (row << 4), narrow(v128.load(part), v128.load(part, 16)));
  v128.store(ptr(args, DD) + (row << 4), narrow(v128.load(part, 32), v128.load(part, 48)));
}

/** Two heads of g = λ α (dα − S) / Σ α. The sign of the stored α selects λ. */
// @ts-ignore: decorator
@inline function gradient(weight: usize, centre: usize): v128 {
  const s = v128.load(weight);
  const l = f64x2.mul(f64x2.pmax(s, f64x2.mul(s, f64x2.splat(-0.2))), v128.load(centre, FOUR));
  return f64x2.mul(l, f64x2.sub(v128.load(weight, 32), v128.load(centre)));
}

function sumOutgoing(args: usize, start: usize, end: usize, stop: usize, to: usize): void {
  const neighbours = ptr(args, NEIGHBOURS), inner = ptr(args, INNER);
  let sum0 = f64x2.splat(0), sum1 = f64x2.splat(0);
  for (let e = start; e < end; e++) {
    if ((e & (AHEAD - 1)) == 0) touchEach(neighbours + (e << 2), min<usize>(AHEAD, stop - e), inner, CENTRE);
    const weight = ptr(args, WEIGHTS) + e * WEIGHT;
    const centre = inner + <usize>load<u32>(neighbours + (e << 2)) * CENTRE;
    sum0 = f64x2.add(sum0, gradient(weight, centre));
    sum1 = f64x2.add(sum1, gradient(weight + 16, centre + 16));
  }
  v128.store(to, sum0);
  v128.store(to, sum1, 16);
}

function sumIncoming(args: usize, row: usize, start: usize, end: usize, stop: usize, to: usize): void {
  const reverses = ptr(args, REVERSES), weights = ptr(args, WEIGHTS);
  const centre = ptr(args, INNER) + <usize>load<u32>(ptr(args, NODES) + (row << 2)) * CENTRE;
  let sum0 = f64x2.splat(0), sum1 = f64x2.splat(0);
  for (let e = start; e < end; e++) {
    if ((e & (AHEAD - 1)) == 0) touchEach(reverses + (e << 2), min<usize>(AHEAD, stop - e), weights, WEIGHT);
    const weight = weights + <usize>load<u32>(reverses + (e << 2)) * WEIGHT;
    sum0 = f64x2.add(sum0, gradient(weight, centre));
    sum1 = f64x2.add(sum1, gradient(weight + 16, centre + 16));
  }
  v128.store(to, sum0);
  v128.store(to, sum1, 16);
}
