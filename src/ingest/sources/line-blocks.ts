import type { ByteSource } from './byte-source.js';

const NEWLINE = 0x0a;

/** What `fill` put into a block. */
export interface FilledBlock {
  /** Bytes of whole lines; 0 when the input has ended. */
  length: number;
  /** Lengths of lines too long for any block, left out just before these lines. */
  dropped: number[];
}

/** Cuts a byte source into blocks of whole lines, so that each block can be read on its own, by any thread. */
export class LineBlocks {
  readonly #source: ByteSource;
  /** The beginning of a line whose end is in the next block. */
  #carry: Uint8Array = new Uint8Array(0);
  #ended = false;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Fills a block with as many whole lines as its first `capacity` bytes take. */
  async fill(block: Uint8Array, capacity: number): Promise<FilledBlock> {
    const dropped: number[] = [];
    for (;;) {
      const total = await this.#gather(block, capacity);
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

  async #gather(block: Uint8Array, capacity: number): Promise<number> {
    block.set(this.#carry);
    const carried = this.#carry.length;
    if (this.#ended) return carried;
    const read = await this.#source.read(block.subarray(carried, capacity));
    if (read < capacity - carried) this.#ended = true; // a source is short only at its end
    return carried + read;
  }

  /** Passes over the rest of a line that fills the whole block; gives its length. */
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
