/** Longer rows are split. The scratch memory of kernels/learn/attention.ts has room for this many logits. */
export const SEGMENT_ENTRIES = 1024;
/** The fixed cost of a row, in entries. */
const ROW_COST = 4;
const CHUNK_COST = 8192;
const MAX_CHUNKS = 256;
const WHOLE_ROW = 0xffffffff;

/**
 * Rows of entries, divided into chunks of about equal cost. Long rows are split, because provenance graphs have hubs.
 * The division depends on the rows alone, so results do not depend on the number of threads.
 */
export interface WorkList<Column = Uint32Array> {
  /** (row, first entry, end entry, part), rows ascending. The part is 0xffffffff if the segment is a whole row. */
  readonly segments: Column;
  readonly segmentCount: number;
  /** The segments of chunk i are bounds[i] to bounds[i + 1]. */
  readonly bounds: Column;
  readonly chunkCount: number;
  /** Rows that were split: (row, first part, number of parts). */
  readonly split: Column;
  readonly splitCount: number;
  readonly partCount: number;
  readonly rows: number;
}

/** Row i has the entries starts[i] to ends[i] and may be empty. Its number is numbers[i] (ascending), or i. */
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
  const chunkCost = Math.max(CHUNK_COST, Math.ceil(cost / MAX_CHUNKS));
  const segments = new Uint32Array(4 * segmentCount);
  const split = new Uint32Array(3 * splitCount);
  const bounds = [0];
  let at = 0;
  let splitRows = 0;
  let part = 0;
  let chunkSoFar = 0;
  for (let row = 0; row < rows; row++) {
    const end = ends[row];
    const isSplit = end - starts[row] > SEGMENT_ENTRIES;
    const firstPart = part;
    let start = starts[row];
    do {
      const stop = Math.min(end, start + SEGMENT_ENTRIES);
      segments[4 * at] = numbers?.[row] ?? row;
      segments[4 * at + 1] = start;
      segments[4 * at + 2] = stop;
      segments[4 * at + 3] = isSplit ? part++ : WHOLE_ROW;
      at++;
      chunkSoFar += stop - start + ROW_COST;
      start = stop;
      if (chunkSoFar >= chunkCost) {
        bounds.push(at);
        chunkSoFar = 0;
      }
    } while (start < end);
    if (isSplit) {
      split.set([numbers?.[row] ?? row, firstPart, part - firstPart], 3 * splitRows);
      splitRows++;
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
