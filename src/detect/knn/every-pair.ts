import { BLOCK, interleave, NONE } from './cells.js';
import type { ReferencePoints } from './neighbour-reference.js';
import type { SearchOptions } from './neighbour-search.js';
import { SearchMemory } from './search-memory.js';
import { GRID, type SnappedPoints } from './snapped-points.js';

const BATCH = 65_536;
/** Queries that stay in the second cache while all points pass by: a multiple of the kernel's tile of six. */
const PIECE = 192;

/**
 * Brute force with vectors on all threads: mean distances in float32, every pair worked out. The peer that
 * `NeighbourSearch` is measured against, and a check on it where float64 would take hours.
 */
export class EveryPair {
  readonly #memory: SearchMemory;
  readonly #points: ReferencePoints;

  private constructor(memory: SearchMemory, points: ReferencePoints) {
    this.#memory = memory;
    this.#points = points;
    const { width, count } = points;
    const blockCount = Math.ceil(count / BLOCK);
    const places = blockCount * BLOCK;
    const numbers = new Uint32Array(places).map((_, i) => (i < count ? i : NONE));
    const rows = toFloats(points);
    const halfSquares = squaresOf(rows, width, places).map((square, i) => (i < count ? square / 2 : 1e30));
    const blocks = memory.allocate('f32', places * width);
    // What fills the last block up must not be far away here: q·p − |p|²/2 has to stay small enough to compare.
    interleave(rows, width, numbers, memory.view('f32', blocks, places * width), 0);
    memory.writeSetup({
      width,
      blocks,
      blockCount,
      halfSquares: memory.place(halfSquares),
      multiplicity: memory.place(numbers.map((number) => points.multiplicity[number] ?? 0)),
    });
  }

  static async open(points: ReferencePoints, options: SearchOptions = {}): Promise<EveryPair> {
    return new EveryPair(await SearchMemory.open(options.threads ?? 1, options.portable ?? false), points);
  }

  scores(points: SnappedPoints, k: number): Float64Array {
    const { width } = points;
    const memory = this.#memory;
    const instances = this.#points.multiplicity.reduce((sum, count) => sum + count, 0);
    const neighbours = Math.min(k, instances);
    const scores = new Float64Array(points.count);
    for (let first = 0; first < points.count; first += BATCH) {
      const count = Math.min(BATCH, points.count - first);
      const steps = points.steps.subarray(first * width, (first + count) * width);
      const rows = toFloats({ width, count, steps });
      const rotated = memory.place(rows);
      const norms = memory.place(squaresOf(rows, width, count));
      const results = memory.allocate('f64', count);
      const scratch = 256 + PIECE * (4 * neighbours + 4);
      memory.run('brute', { size: PIECE, count, rotated, norms, k: neighbours, results }, scratch);
      scores.set(memory.view('f64', results, count), first);
      memory.free(rotated, norms, results);
    }
    return scores;
  }

  async close(): Promise<void> {
    await this.#memory.close();
  }
}

/**
 * How far a score of `EveryPair` may be from the float64 one, for a query of this norm. |q|² + |p|² − 2 q·p is off by at
 * most a share of (|q| + |p|)², a neighbour has |p| ≤ |q| + k · score, and a root is off by at most the root of that.
 */
export function everyPairError(width: number, norm: number, score: number, k: number): number {
  return Math.sqrt((width + 8) * 2 ** -24) * (2 * norm + k * score);
}

function toFloats({ steps }: SnappedPoints): Float32Array {
  const floats = new Float32Array(steps.length);
  for (let i = 0; i < steps.length; i++) floats[i] = steps[i] / GRID;
  return floats;
}

function squaresOf(rows: Float32Array, width: number, length: number): Float32Array {
  const squares = new Float32Array(length);
  for (let at = 0; at < rows.length; at++) squares[Math.floor(at / width)] += rows[at] * rows[at];
  return squares;
}
