import { Arena } from '../../compute/wasm/arena.js';
import { chooseBuild } from '../../compute/wasm/kernel-module.js';
import { CONTROL_BYTES } from '../../compute/wasm/kernel-threads.js';
import type { Operation } from './knn-module.js';
import { SearchThreads } from './search-threads.js';

/** The kernels' static memory ends before this address. */
const CONTROL_AT = 65_536;
const SETUP_AT = CONTROL_AT + CONTROL_BYTES;
const JOB_AT = SETUP_AT + 128;
const PIECES_AT = JOB_AT + 128;

/** Addresses and counts of the reference, in the order of kernels/knn/setup.ts. */
export interface Setup {
  width: number;
  head: number;
  steps: number;
  blocks: number;
  numbers: number;
  multiplicity: number;
  rings: number;
  cells: number;
  centres: number;
  firstBlocks: number;
  radii: number;
  rotation: number;
  /** The relative error of a float32 distance, and the largest norm. */
  relative: number;
  largest: number;
}

/** Addresses and counts of a job. */
export interface Job {
  /** Queries that a thread takes at a time. */
  size: number;
  count: number;
  steps?: number;
  rotated?: number;
  norms?: number;
  homes?: number;
  homeDistances?: number;
  order?: number;
  k?: number;
  results?: number;
  names?: number;
  weighted?: boolean;
  threshold?: number;
}

/** Computed pairs of a query and a point, or a query and a centre. */
export interface Work {
  points: number;
  centres: number;
}

type Column = 'u8' | 'u32' | 'i32' | 'f32' | 'f64';
const COLUMNS = { u8: Uint8Array, u32: Uint32Array, i32: Int32Array, f32: Float32Array, f64: Float64Array };

/** Shared memory and the threads that work in it. */
export class SearchMemory {
  readonly #arena: Arena;
  readonly #threads: SearchThreads;
  #scratch = { address: 0, bytes: 0 };

  private constructor(arena: Arena, threads: SearchThreads) {
    this.#arena = arena;
    this.#threads = threads;
  }

  static async open(threads: number, portable: boolean): Promise<SearchMemory> {
    const arena = new Arena(PIECES_AT);
    const build = chooseBuild(portable);
    return new SearchMemory(arena, await SearchThreads.start(arena.memory, build, CONTROL_AT, threads));
  }

  get threads(): number {
    return this.#threads.threads;
  }

  allocate(column: Column, length: number): number {
    return this.#arena.allocate(COLUMNS[column].BYTES_PER_ELEMENT * length);
  }

  /** Copies numbers into the memory and returns their address. */
  place(data: Uint32Array | Int32Array | Float32Array | Float64Array): number {
    const address = this.#arena.allocate(data.byteLength);
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    new Uint8Array(this.#arena.memory.buffer, address, data.byteLength).set(bytes);
    return address;
  }

  /** The view is valid until the next allocation. */
  view<C extends Column>(column: C, address: number, length: number): InstanceType<(typeof COLUMNS)[C]> {
    const Column = COLUMNS[column] as unknown as new (
      memory: SharedArrayBuffer,
      address: number,
      length: number,
    ) => InstanceType<(typeof COLUMNS)[C]>;
    return new Column(this.#arena.memory.buffer, address, length);
  }

  free(...addresses: number[]): void {
    for (const address of addresses) this.#arena.free(address);
  }

  writeSetup(setup: Partial<Setup>): void {
    const { relative = 0, largest = 0, ...words } = setup;
    const order = ['width', 'head', 'steps', 'blocks', 'numbers', 'multiplicity', 'rings', 'cells'] as const;
    const rest = ['centres', 'firstBlocks', 'radii', 'rotation'] as const;
    this.view('u32', SETUP_AT, 12).set([...order, ...rest].map((name) => words[name] ?? 0));
    this.view('f64', SETUP_AT + 64, 2).set([relative, largest]);
  }

  /** Runs one operation over all queries of a job on all threads. `scratch` is the bytes that one thread needs. */
  run(operation: Operation, job: Job, scratch: number): Work {
    const bytes = Math.ceil(scratch / 4096) * 4096;
    if (bytes > this.#scratch.bytes) {
      if (this.#scratch.address !== 0) this.#arena.free(this.#scratch.address);
      this.#scratch = { address: this.#arena.allocate(bytes * this.threads), bytes };
    }
    const { steps = 0, rotated = 0, norms = 0, homes = 0, homeDistances = 0, order = 0 } = job;
    const { k = 0, results = 0, names = 0, weighted = false, threshold = 0 } = job;
    this.view('u32', JOB_AT, 14).set([
      0,
      0,
      job.size,
      job.count,
      steps,
      rotated,
      norms,
      homes,
      homeDistances,
      order,
      k,
      results,
      names,
      weighted ? 1 : 0,
    ]);
    this.view('f64', JOB_AT + 64, 1)[0] = threshold;
    this.view('u32', JOB_AT + 72, 4).fill(0);
    this.#threads.run(operation, SETUP_AT, JOB_AT, this.#scratch.address, this.#scratch.bytes);
    const counts = this.view('u32', JOB_AT + 72, 4);
    return { points: counts[0] + counts[1] * 2 ** 32, centres: counts[2] + counts[3] * 2 ** 32 };
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }
}
