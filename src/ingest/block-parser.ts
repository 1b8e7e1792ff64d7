import { Batch } from './batch.js';
import { formatByName } from './formats.js';
import type { ScanMemory } from './json-scan.js';
import type { Reader, ReaderOptions } from './reader.js';

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

  parse(format: string, block: number, length: number): Batch {
    if (this.#reader === undefined || this.#format !== format) {
      // One reader at a time: readers keep their tables in the memory they share.
      this.#reader = formatByName(format).open(this.#memory, this.#options);
      this.#format = format;
    }
    const batch = new Batch();
    this.#reader.read(this.#memory.blocks[block], length, batch);
    return batch;
  }
}
