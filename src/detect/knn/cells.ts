/** Points in a block; kernels/knn measures a block at a time. */
export const BLOCK = 16;
/** Coordinate of empty places: farther than any point, and its square still fits a float32. */
const EMPTY = 1e15;

/** Points ordered by their nearest centre, then by distance from it, in blocks of 16. Each block belongs to one cell. */
export interface Cells {
  readonly count: number;
  readonly firstBlocks: Uint32Array;
  /** Upper bound of each cell's radius. */
  readonly radii: Float32Array;
  /** By block: a lower and an upper bound of the distances from the cell's centre. */
  readonly rings: Float32Array;
  /** Number of the point at each place, or NONE. */
  readonly numbers: Uint32Array;
}

export const NONE = 0xffff_ffff;

/** `relative` is the largest relative error of a distance. */
export function arrangeCells(
  homes: Uint32Array,
  distances: Float32Array,
  count: number,
  relative: number,
): Cells {
  const members = sortByCell(homes, distances);
  const sizes = new Uint32Array(count);
  for (const cell of homes) sizes[cell]++;
  const firstBlocks = new Uint32Array(count + 1);
  for (let c = 0; c < count; c++) firstBlocks[c + 1] = firstBlocks[c] + Math.ceil(sizes[c] / BLOCK);
  const blockCount = firstBlocks[count];
  const radii = new Float32Array(count);
  const rings = new Float32Array(2 * blockCount);
  const numbers = new Uint32Array(BLOCK * blockCount).fill(NONE);
  // Twice the error, because the bound itself is rounded to float32.
  const [low, high] = [1 - 2 * relative, 1 + 2 * relative];
  let at = 0;
  for (let c = 0; c < count; c++) {
    for (let block = firstBlocks[c], left = sizes[c]; left > 0; block++, left -= BLOCK) {
      const end = at + Math.min(BLOCK, left);
      rings[2 * block] = distances[members[at]] * low;
      rings[2 * block + 1] = distances[members[end - 1]] * high;
      radii[c] = rings[2 * block + 1];
      for (let place = BLOCK * block; at < end; ) numbers[place++] = members[at++];
    }
  }
  return { count, firstBlocks, radii, rings, numbers };
}

function sortByCell(homes: Uint32Array, distances: Float32Array): Uint32Array {
  // Positive floats sort like their bits, so one number per point holds the cell and the distance.
  const bits = new Uint32Array(distances.buffer, distances.byteOffset, distances.length);
  const keys = new Float64Array(homes.length);
  const members = new Uint32Array(homes.length).map((_, i) => i);
  for (let i = 0; i < homes.length; i++) keys[i] = homes[i] * 2 ** 32 + bits[i];
  return members.sort((a, b) => keys[a] - keys[b] || a - b);
}

/** Writes rows as blocks of 16: for each dimension, one float of each row. */
export function interleave(rows: Float32Array, width: number, numbers: Uint32Array, out: Float32Array): void {
  for (let place = 0; place < numbers.length; place++) {
    const at = Math.floor(place / BLOCK) * BLOCK * width + (place % BLOCK);
    const from = numbers[place] * width;
    const isEmpty = numbers[place] === NONE;
    for (let d = 0; d < width; d++) out[at + d * BLOCK] = isEmpty ? EMPTY : rows[from + d];
  }
}
