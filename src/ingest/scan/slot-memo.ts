import type { JsonScan } from './json-scan.js';
import type { Slot } from './shape.js';

/**
 * Keeps what a reader made of some fields of a record, by their bytes. Logs repeat the same process or file in record after
 * record, so that a reader decodes and describes it once. Bounded: a full memo starts anew.
 */
export class SlotMemo<T> {
  readonly #scan: JsonScan;
  readonly #group: number;

  constructor(scan: JsonScan, slots: readonly Slot[]) {
    this.#scan = scan;
    this.#group = scan.group(slots);
  }

  /** Returns what `make` made of the same fields, or calls it. It must depend on these fields only. */
  of(make: () => T): T {
    return this.#scan.memo(this.#group, make);
  }
}
