import type { Batch } from '../batch.js';
import { formatByName } from '../formats/known-formats.js';
import type { Reader, ReaderOptions } from '../formats/reader.js';
import type { ScanMemory } from '../scan/json-scan.js';

/** Reads blocks of one memory, in whatever format each is. */
export class BlockParser {
  readonly #memory: ScanMemory;
  readonly #options: ReaderOptions;
  #format = '';
  #reader: Reader | undefined;

  constructor(memory: ScanMemory, options: ReaderOptions) {
    this.#memory = memory;
    this.#options = options;
  }

  /** Adds what is in the block to an empty batch. */
  parse(format: string, block: number, length: number, batch: Batch): void {
    if (this.#reader === undefined || this.#format !== format) {
      // One reader at a time: readers keep their tables in the memory they share.
      this.#reader = formatByName(format).open(this.#memory, this.#options);
      this.#format = format;
    }
    this.#reader.read(this.#memory.blocks[block], length, batch);
  }
}
