import type { ByteSource } from './byte-source.js';

const NEWLINE = 0x0a;
const OPEN_OBJECT = 0x7b;
const END_OF_XML = '</Event>';

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
  /** True if the input may still be written to, so that a last line without a newline may be the start of one. */
  readonly #grows: boolean;
  /** True once a line has ended. A file without any line end is no log that grows. */
  #hasLines = false;
  /** The number of bytes at the end that were left for later. */
  unfinished = 0;

  constructor(source: ByteSource, { grows = false } = {}) {
    this.#source = source;
    this.#grows = grows;
  }

  /** Fills the first `capacity` bytes of a block with as many whole lines as fit. */
  async fill(block: Uint8Array, capacity: number): Promise<FilledBlock> {
    const dropped: number[] = [];
    for (;;) {
      const total = await this.#readInto(block, capacity);
      const last = block.subarray(0, total).lastIndexOf(NEWLINE);
      if (this.#ended) {
        this.#carry = new Uint8Array(0);
        const tail = block.subarray(last + 1, total);
        if (last >= 0) this.#hasLines = true;
        if (!this.#grows || !this.#hasLines || tail.length === 0 || isComplete(tail))
          return { length: total, dropped };
        this.unfinished = tail.length;
        return { length: last + 1, dropped };
      }
      if (last >= 0) {
        this.#hasLines = true;
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

/** Tells whether a line without a newline is a whole record: a JSON object or an XML event. Other text may go on. */
function isComplete(line: Uint8Array): boolean {
  const text = Buffer.from(line).toString('utf8').trim();
  if (text === '' || text.endsWith(END_OF_XML)) return true;
  if (text.charCodeAt(0) !== OPEN_OBJECT) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
