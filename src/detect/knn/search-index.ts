import { arrangeCells, BLOCK, type Cells, interleave, NONE } from './cells.js';
import type { ReferencePoints } from './neighbour-reference.js';
import { principalAxes } from './principal-axes.js';
import type { SearchMemory, Setup } from './search-memory.js';

/** Dimensions after which most distances are already too large. */
const HEAD = 16;
/** Cells per square root of the number of points. It balances the cost of centres against that of points. */
const CELLS = 2;
const LLOYD_ROUNDS = 2;
/** Sampled points per centre that move the centres. */
const LLOYD_POINTS = 16;
const PIECE = 256;

/** Writes a reference into a search's memory: rotated, in cells and blocks. The cells change no answer. */
export function placeReference(memory: SearchMemory, points: ReferencePoints): Setup {
  const { width, count } = points;
  const even = width + (width % 2);
  const setup: Partial<Setup> = {
    width,
    head: Math.min(HEAD, width),
    relative: (width + 8) * 2 ** -24,
    steps: memory.place(points.steps),
    rotation: memory.place(principalAxes(points, even)),
  };
  memory.writeSetup(setup);
  const rotated = memory.allocate('f32', count * width);
  const norms = memory.allocate('f32', count);
  memory.run('rotate', { size: PIECE, count, steps: setup.steps as number, rotated, norms }, 16 * even + 64);
  setup.largest = memory.view('f32', norms, count).reduce((most, norm) => Math.max(most, norm), 0);
  const cells = findCells(memory, setup, rotated, count, width);
  setup.firstBlocks = memory.place(cells.firstBlocks);
  setup.radii = memory.place(cells.radii);
  setup.rings = memory.place(cells.rings);
  setup.numbers = memory.place(cells.numbers);
  setup.multiplicity = memory.place(
    cells.numbers.map((number) => (number === NONE ? 0 : points.multiplicity[number])),
  );
  setup.blocks = memory.allocate('f32', cells.numbers.length * width);
  interleave(
    memory.view('f32', rotated, count * width),
    width,
    cells.numbers,
    memory.view('f32', setup.blocks, cells.numbers.length * width),
  );
  memory.free(rotated, norms);
  memory.writeSetup(setup);
  return setup as Setup;
}

/** Chooses centres from a sample by Lloyd's algorithm and assigns every point to its nearest centre. */
function findCells(
  memory: SearchMemory,
  setup: Partial<Setup>,
  rotated: number,
  count: number,
  width: number,
): Cells {
  const wanted = Math.max(1, Math.min(count, Math.round(CELLS * Math.sqrt(count))));
  const places = Math.ceil(wanted / BLOCK) * BLOCK;
  const rows = spread(memory.view('f32', rotated, count * width), count, width, LLOYD_POINTS * wanted);
  const sample = memory.place(rows);
  const sampled = width === 0 ? count : rows.length / width;
  const order = new Uint32Array(places).map((_, i) => (i < wanted ? i : NONE));
  // The first centres are evenly spaced rows of the sample.
  const centres = spread(rows, sampled, width, wanted).slice(0, wanted * width);
  setup.cells = wanted;
  setup.centres = memory.allocate('f32', places * width);
  const homes = memory.allocate('u32', count);
  const homeDistances = memory.allocate('f32', count);
  const assignCells = (points: number, length: number) => {
    interleave(centres, width, order, memory.view('f32', setup.centres as number, places * width));
    memory.writeSetup(setup);
    memory.run('assignCells', { size: PIECE, count: length, rotated: points, homes, homeDistances }, 128);
  };
  for (let round = 0; round < LLOYD_ROUNDS; round++) {
    assignCells(sample, sampled);
    moveCentres(centres, width, rows, memory.view('u32', homes, sampled));
  }
  assignCells(rotated, count);
  const cells = arrangeCells(
    memory.view('u32', homes, count),
    Float32Array.from(memory.view('f32', homeDistances, count)),
    wanted,
    setup.relative as number,
  );
  memory.free(sample, homes, homeDistances);
  return cells;
}

/** At most `most` evenly spaced rows. */
function spread(rows: Float32Array, count: number, width: number, most: number): Float32Array {
  const taken = Math.min(count, most);
  const some = new Float32Array(taken * width);
  for (let i = 0; i < taken; i++) {
    const from = Math.floor((i * count) / taken) * width;
    some.set(rows.subarray(from, from + width), i * width);
  }
  return some;
}

/** Moves each centre to the mean of the rows nearest to it. A centre without rows stays. */
function moveCentres(centres: Float32Array, width: number, rows: Float32Array, homes: Uint32Array): void {
  const sums = new Float64Array(centres.length);
  const sizes = new Uint32Array(width === 0 ? 1 : centres.length / width);
  for (let i = 0; i < homes.length; i++) {
    sizes[homes[i]]++;
    for (let d = 0; d < width; d++) sums[homes[i] * width + d] += rows[i * width + d];
  }
  for (let c = 0; c < sizes.length; c++) {
    if (sizes[c] === 0) continue;
    for (let d = 0; d < width; d++) centres[c * width + d] = sums[c * width + d] / sizes[c];
  }
}
