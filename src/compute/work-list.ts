/** Longer rows are cut. The scratch of kernels/learn/attention.ts has room for as many logits. */
export const SEGMENT_ENTRIES = 1024;
/** What a row costs beside its entries, in entries. */
const ROW_COST = 4;
const CHUNK_COST = 8192;
const MOST_CHUNKS = 256;
const WHOLE = 0xffffffff;

/**
 * Rows of entries as work of about equal size: cut by entries, not by rows, because provenance graphs have hubs.
 * It depends on the rows alone, so that results do not depend on the number of threads.
 */
export interface WorkList<Column = Uint32Array> {
  /** (row, first entry, end entry, part); the part is 0xffffffff where the segment is its whole row. Rows ascend. */
  readonly segments: Column;
  readonly segmentCount: number;
  /** The segments of chunk i are bounds[i] to bounds[i + 1]. */
  readonly bounds: Column;
  readonly chunkCount: number;
  /** Rows that were cut: (row, first part, parts). */
  readonly split: Column;
  readonly splitCount: number;
  readonly partCount: number;
  readonly rows: number;
}

/** Row i has entries starts[i] to ends[i]; empty rows are rows too. Rows may have other numbers than their own, which ascend. */
export function planWork(
  rows: number,
  starts: Uint32Array,
  ends: Uint32Array,
  numbers?: Uint32Array,
): WorkList {
  let segmentCount = 0;
  let splitCount = 0;
  let cost = 0;
  for (let row = 0; row < rows; row++) {
    const length = ends[row] - starts[row];
    segmentCount += Math.max(1, Math.ceil(length / SEGMENT_ENTRIES));
    if (length > SEGMENT_ENTRIES) splitCount++;
    cost += length + ROW_COST;
  }
  const chunkCost = Math.max(CHUNK_COST, Math.ceil(cost / MOST_CHUNKS));
  const segments = new Uint32Array(4 * segmentCount);
  const split = new Uint32Array(3 * splitCount);
  const bounds = [0];
  let at = 0;
  let cut = 0;
  let part = 0;
  let held = 0;
  for (let row = 0; row < rows; row++) {
    const end = ends[row];
    const isCut = end - starts[row] > SEGMENT_ENTRIES;
    const firstPart = part;
    let start = starts[row];
    do {
      const stop = Math.min(end, start + SEGMENT_ENTRIES);
      segments[4 * at] = numbers?.[row] ?? row;
      segments[4 * at + 1] = start;
      segments[4 * at + 2] = stop;
      segments[4 * at + 3] = isCut ? part++ : WHOLE;
      at++;
      held += stop - start + ROW_COST;
      start = stop;
      if (held >= chunkCost) {
        bounds.push(at);
        held = 0;
      }
    } while (start < end);
    if (isCut) {
      split.set([numbers?.[row] ?? row, firstPart, part - firstPart], 3 * cut);
      cut++;
    }
  }
  if (bounds[bounds.length - 1] < at) bounds.push(at);
  return {
    segments,
    segmentCount,
    split,
    splitCount,
    rows,
    partCount: part,
    bounds: Uint32Array.from(bounds),
    chunkCount: bounds.length - 1,
  };
}
