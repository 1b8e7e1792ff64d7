import type { ByteSource } from './byte-source.js';

const NEWLINE = 0x0a;

/** The result of filling a block. */
export interface FilledBlock {
  /** The number of bytes of whole lines. 0 at the end of the input. */
  length: number;
  /** The lengths of the lines that are too long for a block. They were dropped just before the lines of the block. */
  dropped: number[];
}

/** Splits a byte source into blocks of whole lines, which any thread can read on its own. */
export class LineBlocks {
  readonly #source: ByteSource;
  /** The start of a line that continues in the next block. */
  #carry: Uint8Array = new Uint8Array(0);
  #ended = false;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Fills the first `capacity` bytes of a block with as many whole lines as fit. */
  async fill(block: Uint8Array, capacity: number): Promise<FilledBlock> {
    const dropped: number[] = [];
    for (;;) {
      const total = await this.#readInto(block, capacity);
      const last = block.subarray(0, total).lastIndexOf(NEWLINE);
      if (this.#ended) {
        this.#carry = new Uint8Array(0);
        return { length: total, dropped };
      }
      if (last >= 0) {
        this.#carry = block.slice(last + 1, total);
        return { length: last + 1, dropped };
      }
      dropped.push(await this.#dropLine(block, capacity, total));
    }
  }

  async #readInto(block: Uint8Array, capacity: number): Promise<number> {
    block.set(this.#carry);
    const carried = this.#carry.length;
    if (this.#ended) return carried;
    const read = await this.#source.read(block.subarray(carried, capacity));
    if (read < capacity - carried) this.#ended = true;
    return carried + read;
  }

  /** Skips the rest of a line that fills the whole block, and returns the length of the line. */
  async #dropLine(block: Uint8Array, capacity: number, before: number): Promise<number> {
    let length = before;
    this.#carry = new Uint8Array(0);
    for (;;) {
      const read = await this.#source.read(block.subarray(0, capacity));
      const newline = block.subarray(0, read).indexOf(NEWLINE);
      if (newline >= 0) {
        this.#carry = block.slice(newline + 1, read);
        return length + newline;
      }
      length += read;
      if (read < capacity) {
        this.#ended = true;
        return length;
      }
    }
  }
}
