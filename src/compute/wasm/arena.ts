import { RecalError } from '../../base/errors.js';

const PAGE = 65_536;
/** The 4 GiB that a 32-bit address reaches, less one page, so that the end has an address too. */
export const ARENA_LIMIT = 65_535 * PAGE;
/** Bytes of a cache line. Buffers start on their own line. */
const LINE = 64;

/** Allocates from one shared memory, first fit. The memory grows when no free piece is large enough. */
export class Arena {
  readonly memory: WebAssembly.Memory;
  /** Free pieces in order of address, never adjacent. */
  #free: { start: number; end: number }[] = [];
  readonly #sizes = new Map<number, number>();
  #end: number;
  used = 0;

  readonly #limit: number;

  /** The arena leaves memory below `base` alone. */
  constructor(base: number, limit = ARENA_LIMIT) {
    this.#limit = limit;
    const pages = Math.ceil(base / PAGE) + 16;
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: 65_536, shared: true });
    this.#end = pages * PAGE;
    this.#free.push({ start: base, end: this.#end });
  }

  allocate(bytes: number): number {
    const size = Math.max(LINE, Math.ceil(bytes / LINE) * LINE);
    let piece = this.#free.find(({ start, end }) => end - start >= size);
    if (piece === undefined) {
      this.#grow(size);
      piece = this.#free[this.#free.length - 1];
    }
    const { start } = piece;
    piece.start += size;
    if (piece.start === piece.end) this.#free = this.#free.filter((other) => other !== piece);
    this.#sizes.set(start, size);
    this.used += size;
    return start;
  }

  free(address: number): void {
    const size = this.#sizes.get(address);
    if (size === undefined) throw new RangeError('Arena.free: this address was not allocated');
    this.#sizes.delete(address);
    this.used -= size;
    this.#insert(address, address + size);
  }

  #grow(size: number): void {
    const last = this.#free[this.#free.length - 1];
    const kept = last?.end === this.#end ? last.end - last.start : 0;
    // Grow by at least an eighth, so that many small buffers do not each grow the memory.
    const wanted = Math.max(size - kept, Math.min(this.#end / 8, this.#limit - this.#end));
    const pages = Math.ceil(wanted / PAGE);
    if (this.#end + pages * PAGE > this.#limit) throw outOfMemory(size, this.used);
    try {
      this.memory.grow(pages);
    } catch (cause) {
      throw outOfMemory(size, this.used, cause);
    }
    this.#insert(this.#end, this.#end + pages * PAGE);
    this.#end += pages * PAGE;
  }

  #insert(start: number, end: number): void {
    const at = this.#free.findIndex((piece) => piece.start > start);
    const index = at < 0 ? this.#free.length : at;
    const before = this.#free[index - 1];
    const after = this.#free[index];
    if (before?.end === start) {
      before.end = end;
      if (after?.start === end) {
        before.end = after.end;
        this.#free.splice(index, 1);
      }
    } else if (after?.start === end) after.start = start;
    else this.#free.splice(index, 0, { start, end });
  }
}

function outOfMemory(bytes: number, used: number, cause?: unknown): RecalError {
  const mebibytes = (count: number) => `${Math.ceil(count / 2 ** 20)} MiB`;
  return new RecalError(
    'device-memory',
    `not enough device memory: ${mebibytes(used)} of 4 GiB are in use, and ${mebibytes(bytes)} more are needed`,
    { hint: 'use shorter windows (--set window=MINUTES), fewer hosts or a shorter time range', cause },
  );
}
