import type { Batch } from '../batch.js';
import type { Format, Reader, ReaderOptions } from '../formats/reader.js';
import type { ScanMemory } from '../scan/json-scan.js';

/** Parses the blocks of a memory with the reader of their format. */
export class BlockParser {
  readonly #memory: ScanMemory;
  readonly #options: ReaderOptions;
  #format: Format | undefined;
  #reader: Reader | undefined;

  constructor(memory: ScanMemory, options: ReaderOptions) {
    this.#memory = memory;
    this.#options = options;
  }

  /** Adds the records of a block to an empty batch. */
  parse(format: Format, block: number, length: number, batch: Batch): void {
    if (this.#reader === undefined || this.#format !== format) {
      // Only one reader at a time, because readers have their tables in the same memory.
      this.#reader = format.open(this.#memory, this.#options);
      this.#format = format;
    }
    this.#reader.read(this.#memory.blocks[block], length, batch);
  }
}
