import type { Device, Floats, Integers, Kernels, KernelTime } from '../device.js';
import { ARENA_LIMIT, Arena } from './arena.js';
import { CALLS } from './calls.js';
import { type Addressed, addressOf } from './device-buffer.js';
import { H, HEADS, type OperationQueue, ROW } from './kernel-call.js';
import { type Build, chooseBuild } from './kernel-module.js';
import { CONTROL_BYTES } from './kernel-threads.js';
import { LearnThreads } from './learn-threads.js';
import { type Argument, COMMAND_BYTES, type Command, type Operation, writeCommands } from './operations.js';

/** Memory layout: the static memory of the kernels, the control block, the command list, the buffers. */
const CONTROL_AT = 65_536;
const LIST_AT = CONTROL_AT + CONTROL_BYTES;
const MAX_COMMANDS = 512;
const BUFFERS_AT = LIST_AT + MAX_COMMANDS * COMMAND_BYTES;

/** A piece of memory that the device keeps for its kernels. */
interface Reserved {
  readonly address: number;
  readonly bytes: number;
}

const NOTHING: Reserved = { address: 0, bytes: 0 };

/** Runs WebAssembly SIMD kernels in float32 over one shared memory, on the calling thread and on worker threads. */
export class WasmDevice implements Device {
  readonly kind = 'wasm';
  readonly build: Build;
  readonly #arena: Arena;
  readonly #threads: LearnThreads;
  readonly #queue: OperationQueue;
  #commands: Command[] = [];
  #parts = NOTHING;
  #scratch = NOTHING;
  #tables = NOTHING;
  #tableBytes = 0;
  #times: Map<string, KernelTime> | undefined;

  private constructor(arena: Arena, threads: LearnThreads, build: Build) {
    this.#arena = arena;
    this.#threads = threads;
    this.build = build;
    this.#queue = {
      transposed: arena.allocate(2 * H * ROW),
      add: (operation, chunks, args) => this.#add(operation, chunks, args),
      reserveParts: (bytes) => this.#reserveParts(bytes),
      writeTable: (integers) => this.#writeTable(integers),
      reserveScratch: (bytes) => this.#reserveScratch(bytes),
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
    const buffer: Floats & Addressed = { kind: 'floats', length, address: this.#allocate(4 * length) };
    return buffer;
  }

  integers(length: number): Integers {
    const buffer: Integers & Addressed = { kind: 'integers', length, address: this.#allocate(4 * length) };
    return buffer;
  }

  view<B extends Floats | Integers>(buffer: B, start: number, length: number): B {
    return { ...buffer, length, address: addressOf(buffer) + 4 * start };
  }

  write(buffer: Floats, data: ArrayLike<number>): void {
    this.run();
    this.#view(buffer).set(data);
  }

  writeIntegers(buffer: Integers, data: ArrayLike<number>): void {
    this.run();
    new Uint32Array(this.#arena.memory.buffer, addressOf(buffer), buffer.length).set(data);
  }

  read(buffer: Floats): Float32Array {
    this.run();
    return new Float32Array(this.#view(buffer));
  }

  free(buffer: Floats | Integers): void {
    this.run();
    this.#arena.free(addressOf(buffer));
  }

  enqueue<K extends keyof Kernels>(kernel: K, args: Kernels[K]): void {
    const { hidden = H, heads = HEADS } = args as { hidden?: number; heads?: number };
    if (hidden !== H || heads !== HEADS) {
      throw new RangeError(`the kernels need ${H} hidden units in ${HEADS} heads, not ${hidden} in ${heads}`);
    }
    CALLS[kernel](this.#queue, args);
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
    this.#discard(this.#parts);
    this.#parts = NOTHING;
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

  /** The memory for parts stays as large as the largest graph needed it. A buffer that needs the space replaces it. */
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
    return new Float32Array(this.#arena.memory.buffer, addressOf(buffer), buffer.length);
  }

  #execute(commands: readonly Command[]): void {
    writeCommands(this.#arena.memory.buffer, LIST_AT, commands);
    this.#threads.run(LIST_AT, commands.length, this.#scratch.address, this.#scratch.bytes);
  }

  #add(operation: Operation, chunks: number, args: readonly Argument[]): void {
    if (chunks === 0) return;
    this.#commands.push({ operation, chunks, args });
    if (this.#commands.length === MAX_COMMANDS) this.run();
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
      this.run(); // queued commands still use the old memory
      this.#discard(this.#scratch);
      this.#scratch = NOTHING;
      this.#scratch = { address: this.#arena.allocate(each * this.#threads.threads), bytes: each };
    }
  }

  #writeTable(integers: ArrayLike<number>): number {
    const bytes = 4 * integers.length;
    if (this.#tableBytes + bytes > this.#tables.bytes) {
      const size = Math.max(65_536, bytes);
      this.run(); // queued commands still use the old memory
      this.#discard(this.#tables);
      this.#tables = NOTHING;
      this.#tables = { address: this.#arena.allocate(size), bytes: size };
      this.#tableBytes = 0;
    }
    const address = this.#tables.address + this.#tableBytes;
    new Uint32Array(this.#arena.memory.buffer, address, integers.length).set(integers);
    this.#tableBytes += bytes;
    return address;
  }

  #discard({ address }: Reserved): void {
    if (address !== 0) this.#arena.free(address);
  }
}
