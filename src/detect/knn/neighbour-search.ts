import type { NeighbourReference } from './neighbour-reference.js';
import { placeReference } from './search-index.js';
import { type Job, SearchMemory, type Setup } from './search-memory.js';
import type { SnappedPoints } from './snapped-points.js';

/** Queries in memory at a time. */
const BATCH = 65_536;
/** Queries that a thread takes at a time. */
const PIECE = 64;
const UNDECIDED = 2;

export interface SearchOptions {
  /** Threads that search, including the calling one. Default: 1. */
  readonly threads?: number;
  /** Never use relaxed SIMD. It does not change answers, only the number of computed pairs. */
  readonly portable?: boolean;
}

export interface Neighbour {
  /** Index of a point of the reference. */
  readonly point: number;
  readonly distance: number;
}

/** The queries that score above the threshold, and what finding them cost. */
export interface Candidates {
  /** By query: 1 for a candidate. */
  readonly candidate: Uint8Array;
  readonly count: number;
  /** Pairs of a query and a reference point whose distance was computed at least in part. */
  readonly pairs: number;
  /** Computed pairs of a query and the centre of a cell. */
  readonly centrePairs: number;
  /** Queries that float32 could not decide. */
  readonly rechecked: number;
}

/** Finds exact nearest neighbours in a reference (method §7). Close it after use: it holds memory and threads. */
export class NeighbourSearch {
  readonly reference: NeighbourReference;
  readonly #memory: SearchMemory;
  readonly #setup: Setup;

  private constructor(reference: NeighbourReference, memory: SearchMemory) {
    this.reference = reference;
    this.#memory = memory;
    this.#setup = placeReference(memory, reference.points);
  }

  static async open(reference: NeighbourReference, options: SearchOptions = {}): Promise<NeighbourSearch> {
    const memory = await SearchMemory.open(options.threads ?? 1, options.portable ?? false);
    return new NeighbourSearch(reference, memory);
  }

  get cells(): number {
    return this.#setup.cells;
  }

  /** By query, the mean distance to the k nearest training instances. */
  scores(points: SnappedPoints, k: number): Float64Array {
    const scores = new Float64Array(points.count);
    this.#inBatches(points, (job, first) => {
      scores.set(this.#exactScores(job, k), first);
    });
    return scores;
  }

  /** Finds exactly the queries that score above the threshold, without computing most scores. */
  candidates(points: SnappedPoints, k: number, threshold: number): Candidates {
    const candidate = new Uint8Array(points.count);
    const cost = { pairs: 0, centrePairs: 0, rechecked: 0 };
    this.#inBatches(points, (job, first) => {
      const screened = this.#screen(job, k, threshold, cost);
      candidate.set(screened, first);
    });
    const count = candidate.reduce((sum, one) => sum + one, 0);
    return { candidate, count, ...cost };
  }

  /** The `count` reference points nearest to query `q`, nearest first; ties by index. */
  nearest(points: SnappedPoints, q: number, count: number): Neighbour[] {
    const { width } = points;
    const one = { width, count: 1, steps: points.steps.subarray(q * width, (q + 1) * width) };

    const k = Math.min(count, this.reference.points.count);
    const found: Neighbour[] = [];
    this.#inBatches(one, (job) => {
      const results = this.#memory.allocate('f64', k);
      const names = this.#memory.allocate('u32', k);
      this.#memory.run('exact', { ...job, k, results, names }, this.#exactScratch(k));
      const distances = this.#memory.view('f64', results, k);
      this.#memory.view('u32', names, k).forEach((point, i) => {
        found.push({ point, distance: distances[i] });
      });
      this.#memory.free(results, names);
    });
    return found;
  }

  async close(): Promise<void> {
    await this.#memory.close();
  }

  /** Runs `work` on batches of queries, rotated and with their nearest cells. */
  #inBatches(points: SnappedPoints, work: (job: Job & { order: number }, first: number) => void): void {
    const { width } = this.reference.points;
    if (points.width !== width) {
      throw new RangeError(
        `NeighbourSearch: the queries have ${points.width} dimensions, the reference has ${width}`,
      );
    }
    const memory = this.#memory;
    for (let first = 0; first < points.count; first += BATCH) {
      const count = Math.min(BATCH, points.count - first);
      const steps = memory.place(points.steps.subarray(first * width, (first + count) * width));
      const rotated = memory.allocate('f32', count * width);
      const norms = memory.allocate('f32', count);
      const homes = memory.allocate('u32', count);
      const homeDistances = memory.allocate('f32', count);
      const order = memory.allocate('u32', count);
      const job = { size: PIECE, count, steps, rotated, norms, homes, homeDistances, order };
      memory.run('rotate', job, 16 * (width + 1) + 64);
      memory.run('assignCells', job, 128);
      // Queries of the same cell follow each other, so that its points are still in the cache.
      memory.view('u32', order, count).set(orderByCell(memory.view('u32', homes, count), this.cells));
      work(job, first);
      memory.free(steps, rotated, norms, homes, homeDistances, order);
    }
  }

  #screen(
    job: Job & { order: number },
    k: number,
    threshold: number,
    cost: { pairs: number; centrePairs: number; rechecked: number },
  ): Uint8Array {
    const memory = this.#memory;
    const results = memory.allocate('u8', job.count);
    const neighbours = this.#neighbours(k);
    const scratch = 64 + 4 * neighbours + 32 + 16 * this.cells;
    const work = memory.run('screen', { ...job, k: neighbours, threshold, results }, scratch);
    cost.pairs += work.points;
    cost.centrePairs += work.centres + job.count * this.cells;
    const screened = Uint8Array.from(memory.view('u8', results, job.count));
    memory.free(results);
    const undecided = Uint32Array.from(screened.keys()).filter((q) => screened[q] === UNDECIDED);
    cost.rechecked += undecided.length;
    if (undecided.length > 0) {
      memory.view('u32', job.order, undecided.length).set(undecided);
      const scores = this.#exactScores(job, k, undecided.length);
      for (const q of undecided) screened[q] = scores[q] > threshold ? 1 : 0;
    }
    return screened;
  }

  /** By query, the scores of the first `count` queries in the job's order. */
  #exactScores(job: Job, k: number, count = job.count): Float64Array {
    const results = this.#memory.allocate('f64', job.count);
    const neighbours = this.#neighbours(k);
    const exact = { ...job, count, k: neighbours, results, weighted: true };
    this.#memory.run('exact', exact, this.#exactScratch(neighbours));
    const scores = Float64Array.from(this.#memory.view('f64', results, job.count));
    this.#memory.free(results);
    return scores;
  }

  #exactScratch(k: number): number {
    return 64 + 4 * k + 16 * k + 8 * this.reference.points.width + 16 * this.cells + 64;
  }

  /** With fewer than k instances, all of them are neighbours. */
  #neighbours(k: number): number {
    if (!Number.isInteger(k) || k < 1) throw new RangeError(`NeighbourSearch: k must be 1 or more, not ${k}`);
    return Math.min(k, this.reference.instances);
  }
}

function orderByCell(homes: Uint32Array, cells: number): Uint32Array {
  const next = new Uint32Array(cells + 1);
  for (const cell of homes) next[cell + 1]++;
  for (let c = 0; c < cells; c++) next[c + 1] += next[c];
  const order = new Uint32Array(homes.length);
  for (let q = 0; q < homes.length; q++) order[next[homes[q]]++] = q;
  return order;
}
