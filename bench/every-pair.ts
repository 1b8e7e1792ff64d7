import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Arena } from '../dist/compute/wasm/arena.js';
import { type Build, chooseBuild, instantiate } from '../dist/compute/wasm/kernel-module.js';
import { CONTROL_BYTES, KernelThreads } from '../dist/compute/wasm/kernel-threads.js';
import type { ReferencePoints } from '../dist/detect/knn/neighbour-reference.js';
import { GRID, type SnappedPoints } from '../dist/detect/knn/snapped-points.js';

const ROOT = new URL('../', import.meta.url);
const CONTROL_AT = 65_536;
const JOB_AT = CONTROL_AT + CONTROL_BYTES;
const BATCH = 65_536;
const BLOCK = 16;
/** Queries that fit into the second-level cache: a multiple of the kernel's tile of six. */
const PIECE = 192;

/** SIMD brute force: mean kNN distances in float32 over every pair. The peer and the check of `NeighbourSearch`. */
export class EveryPair {
  readonly #arena: Arena;
  readonly #threads: KernelThreads;
  readonly #kernel: EveryPairKernel;
  readonly #instances: number;
  /** The words of kernels/bench/every-pair.ts that describe the reference. */
  readonly #reference: readonly number[];
  readonly #width: number;

  private constructor(
    arena: Arena,
    threads: KernelThreads,
    kernel: EveryPairKernel,
    points: ReferencePoints,
  ) {
    this.#arena = arena;
    this.#threads = threads;
    this.#kernel = kernel;
    const { width, count, multiplicity } = points;
    this.#width = width;
    this.#instances = multiplicity.reduce((sum: number, copies: number) => sum + copies, 0);
    const blockCount = Math.ceil(count / BLOCK);
    const places = blockCount * BLOCK;
    const rows = toFloats(points);
    const blocks = new Float32Array(places * width);
    for (let point = 0; point < count; point++) {
      const at = Math.floor(point / BLOCK) * BLOCK * width + (point % BLOCK);
      for (let d = 0; d < width; d++) blocks[at + d * BLOCK] = rows[point * width + d];
    }
    // The padding of the last block has this value, so that no query is near it.
    const halfSquares = new Float32Array(places).fill(1e30);
    squaresOf(rows, width).forEach((square, point) => {
      halfSquares[point] = square / 2;
    });
    const copies = new Uint32Array(places);
    copies.set(multiplicity);
    this.#reference = [blockCount, this.#place(blocks), this.#place(halfSquares), this.#place(copies)];
  }

  static async open(points: ReferencePoints, threads: number): Promise<EveryPair> {
    const arena = new Arena(JOB_AT + 64);
    const build = chooseBuild(false);
    compileKernel(build);
    const worker = new URL('./every-pair-worker.js', import.meta.url);
    const setup = { memory: arena.memory, build, control: CONTROL_AT };
    const started = await KernelThreads.start(worker, setup, threads);
    return new EveryPair(arena, started, loadEveryPair(build, arena.memory), points);
  }

  scores(points: SnappedPoints, k: number): Float64Array {
    const width = this.#width;
    const neighbours = Math.min(k, this.#instances);
    const scores = new Float64Array(points.count);
    for (let first = 0; first < points.count; first += BATCH) {
      const count = Math.min(BATCH, points.count - first);
      const steps = points.steps.subarray(first * width, (first + count) * width);
      const rows = toFloats({ width, count, steps });
      const queries = [this.#place(rows), this.#place(squaresOf(rows, width))];
      const results = this.#arena.allocate(8 * count);
      const job = [0, PIECE, count, width, neighbours, ...this.#reference, ...queries, results];
      this.#run(job, Math.ceil((256 + PIECE * (4 * neighbours + 4)) / 4096) * 4096);
      scores.set(new Float64Array(this.#arena.memory.buffer, results, count), first);
      for (const address of [...queries, results]) this.#arena.free(address);
    }
    return scores;
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }

  #run(job: readonly number[], scratchBytes: number): void {
    const scratch = this.#arena.allocate(scratchBytes * this.#threads.threads);
    new Uint32Array(this.#arena.memory.buffer, JOB_AT, job.length).set(job);
    this.#threads.run([JOB_AT, scratch, scratchBytes], () => this.#kernel(JOB_AT, scratch));
    this.#arena.free(scratch);
  }

  #place(data: Float32Array | Uint32Array): number {
    const address = this.#arena.allocate(data.byteLength);
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    new Uint8Array(this.#arena.memory.buffer, address, data.byteLength).set(bytes);
    return address;
  }
}

export type EveryPairKernel = (job: number, scratch: number) => void;

export function loadEveryPair(build: Build, memory: Arena['memory']): EveryPairKernel {
  return instantiate(new URL(`./every-pair-${build}.wasm`, import.meta.url), memory)
    .everyPair as EveryPairKernel;
}

function compileKernel(build: Build): void {
  const flags = build === 'relaxed-simd' ? ['--enable', 'relaxed-simd'] : [];
  const out = fileURLToPath(new URL(`./every-pair-${build}.wasm`, import.meta.url));
  const compiler = ['node_modules/assemblyscript/bin/asc.js', 'kernels/bench/every-pair.ts'];
  const args = [...compiler, '--target', 'release', ...flags, '-o', out];
  const { status } = spawnSync(process.execPath, args, { cwd: fileURLToPath(ROOT), stdio: 'inherit' });
  if (status !== 0) throw new Error('cannot compile kernels/bench/every-pair.ts');
}

/**
 * A bound on the rounding error of a score of `EveryPair`, for a query of this norm. The error of |q|² + |p|² − 2 q·p is at
 * most a share of (|q| + |p|)², a neighbour has |p| ≤ |q| + k · score, and the root has at most the root of that error.
 */
export function everyPairError(width: number, norm: number, score: number, k: number): number {
  return Math.sqrt((width + 8) * 2 ** -24) * (2 * norm + k * score);
}

/** The score of one query in float64 (method §7). */
export function exactScore(reference: ReferencePoints, { width, steps }: SnappedPoints, k: number): number {
  const distances: { distance: number; copies: number }[] = [];
  for (let point = 0; point < reference.count; point++) {
    let sum = 0;
    for (let d = 0; d < width; d++) sum += (reference.steps[point * width + d] / GRID - steps[d] / GRID) ** 2;
    distances.push({ distance: Math.sqrt(sum), copies: reference.multiplicity[point] });
  }
  distances.sort((a, b) => a.distance - b.distance);
  let [sum, count] = [0, 0];
  for (const { distance, copies } of distances) {
    for (let copy = 0; copy < copies && count < k; copy++, count++) sum += distance;
  }
  return sum / count;
}

function toFloats({ steps }: SnappedPoints): Float32Array {
  return Float32Array.from(steps, (step) => step / GRID);
}

function squaresOf(rows: Float32Array, width: number): Float32Array {
  const squares = new Float32Array(rows.length / width);
  for (let at = 0; at < rows.length; at++) squares[Math.floor(at / width)] += rows[at] * rows[at];
  return squares;
}
