import type { Device, Floats, Integers, Kernels, KernelTime } from '../device.js';
import { ARENA_LIMIT, Arena } from './arena.js';
import { at, CALLS, type Caller, type Placed, ROW } from './calls.js';
import { callCosineLoss } from './cosine-calls.js';
import { type Build, chooseBuild } from './kernel-module.js';
import { CONTROL_BYTES } from './kernel-threads.js';
import { LearnThreads } from './learn-threads.js';
import { type Argument, COMMAND_BYTES, type Command, type Operation, writeCommands } from './operations.js';

/** The kernels' own static memory ends well before; then the control block, the list of commands, and the buffers. */
const CONTROL_AT = 65_536;
const LIST_AT = CONTROL_AT + CONTROL_BYTES;
const MOST_COMMANDS = 512;
const BUFFERS_AT = LIST_AT + MOST_COMMANDS * COMMAND_BYTES;

/** A room that is not there. */
const NO_ROOM = { address: 0, bytes: 0 };

/** What the kernels are written for (kernels/learn/simd.ts). */
export const WASM_SHAPE = { hidden: 64, heads: 4 };

type PlacedFloats = Floats & Placed;
type PlacedIntegers = Integers & Placed;

/** float32 in one shared memory, kernels in WebAssembly with SIMD, on this thread and others. */
export class WasmDevice implements Device {
  readonly kind = 'wasm';
  readonly build: Build;
  readonly #arena: Arena;
  readonly #threads: LearnThreads;
  readonly #caller: Caller;
  #commands: Command[] = [];
  #parts = NO_ROOM;
  #scratch = NO_ROOM;
  #tables = NO_ROOM;
  #tableBytes = 0;
  #times: Map<string, KernelTime> | undefined;

  private constructor(arena: Arena, threads: LearnThreads, build: Build) {
    this.#arena = arena;
    this.#threads = threads;
    this.build = build;
    this.#caller = {
      transposed: arena.allocate(2 * 64 * ROW),
      call: (operation, chunks, args) => this.#call(operation, chunks, args),
      parts: (bytes) => this.#reserveParts(bytes),
      table: (words) => this.#writeTable(words),
      scratch: (bytes) => this.#reserveScratch(bytes),
    };
  }

  static async open(threads: number, portable: boolean, limit = ARENA_LIMIT): Promise<WasmDevice> {
    const build = chooseBuild(portable);
    const arena = new Arena(BUFFERS_AT, limit);
    return new WasmDevice(arena, await LearnThreads.start(arena.memory, build, CONTROL_AT, threads), build);
  }

  get threads(): number {
    return this.#threads.threads;
  }

  get used(): number {
    return this.#arena.used;
  }

  floats(length: number): Floats {
    const buffer: PlacedFloats = { kind: 'floats', length, address: this.#allocate(4 * length) };
    return buffer;
  }

  integers(length: number): Integers {
    const buffer: PlacedIntegers = { kind: 'integers', length, address: this.#allocate(4 * length) };
    return buffer;
  }

  view<B extends Floats | Integers>(buffer: B, start: number, length: number): B {
    return { ...buffer, length, address: at(buffer) + 4 * start };
  }

  write(buffer: Floats, data: ArrayLike<number>): void {
    this.run();
    this.#view(buffer).set(data);
  }

  writeIntegers(buffer: Integers, data: ArrayLike<number>): void {
    this.run();
    new Uint32Array(this.#arena.memory.buffer, at(buffer), buffer.length).set(data);
  }

  read(buffer: Floats): Float32Array {
    this.run();
    return new Float32Array(this.#view(buffer));
  }

  free(buffer: Floats | Integers): void {
    this.run();
    this.#arena.free(at(buffer));
  }

  enqueue<K extends keyof Kernels>(kernel: K, args: Kernels[K]): void {
    const { hidden = WASM_SHAPE.hidden, heads = WASM_SHAPE.heads } = args as Partial<typeof WASM_SHAPE>;
    if (hidden !== WASM_SHAPE.hidden || heads !== WASM_SHAPE.heads) {
      throw new RangeError(`no kernels for ${hidden} hidden units in ${heads} heads`); // see checkDeviceShape
    }
    if (kernel === 'cosineLoss') callCosineLoss(this.#caller, args as Kernels['cosineLoss']);
    else (CALLS[kernel as keyof typeof CALLS] as (to: Caller, args: Kernels[K]) => void)(this.#caller, args);
  }

  run(): void {
    const commands = this.#commands;
    if (commands.length === 0) return;
    this.#commands = [];
    this.#tableBytes = 0;
    if (this.#times === undefined) {
      this.#execute(commands);
      return;
    }
    for (const command of commands) {
      const started = performance.now();
      this.#execute([command]);
      const time = this.#times.get(command.operation) ?? { calls: 0, milliseconds: 0 };
      time.calls++;
      time.milliseconds += performance.now() - started;
      this.#times.set(command.operation, time);
    }
  }

  release(): void {
    this.run();
    this.#drop(this.#parts);
    this.#parts = NO_ROOM;
  }

  profile(on: boolean): Map<string, KernelTime> {
    this.run();
    const measured = this.#times ?? new Map();
    this.#times = on ? new Map() : undefined;
    return measured;
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }

  /** Room for parts stays as large as the largest graph so far needed it, and is given up where something else needs it. */
  #allocate(bytes: number): number {
    try {
      return this.#arena.allocate(bytes);
    } catch (error) {
      if (this.#parts.address === 0) throw error;
      this.release();
      return this.#arena.allocate(bytes);
    }
  }

  #view(buffer: Floats): Float32Array {
    return new Float32Array(this.#arena.memory.buffer, at(buffer), buffer.length);
  }

  #execute(commands: readonly Command[]): void {
    writeCommands(this.#arena.memory.buffer, LIST_AT, commands);
    this.#threads.run(LIST_AT, commands.length, this.#scratch.address, this.#scratch.bytes);
  }

  #call(operation: Operation, chunks: number, args: readonly Argument[]): void {
    if (chunks === 0) return;
    this.#commands.push({ operation, chunks, args });
    if (this.#commands.length === MOST_COMMANDS) this.run();
  }

  #reserveParts(bytes: number): number {
    if (bytes > this.#parts.bytes) {
      this.release();
      this.#parts = { address: this.#arena.allocate(bytes), bytes };
    }
    return this.#parts.address;
  }

  #reserveScratch(bytes: number): void {
    const each = Math.ceil(bytes / 4096) * 4096;
    if (each > this.#scratch.bytes) {
      this.run(); // what is on the list still uses the old room
      this.#drop(this.#scratch);
      this.#scratch = NO_ROOM;
      this.#scratch = { address: this.#arena.allocate(each * this.#threads.threads), bytes: each };
    }
  }

  #writeTable(words: ArrayLike<number>): number {
    const bytes = 4 * words.length;
    if (this.#tableBytes + bytes > this.#tables.bytes) {
      const room = Math.max(65_536, bytes);
      this.run(); // likewise
      this.#drop(this.#tables);
      this.#tables = NO_ROOM;
      this.#tables = { address: this.#arena.allocate(room), bytes: room };
      this.#tableBytes = 0;
    }
    const address = this.#tables.address + this.#tableBytes;
    new Uint32Array(this.#arena.memory.buffer, address, words.length).set(words);
    this.#tableBytes += bytes;
    return address;
  }

  #drop({ address }: { address: number }): void {
    if (address !== 0) this.#arena.free(address);
  }
}
