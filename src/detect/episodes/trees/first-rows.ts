import { enlarge } from '../../../base/enlarge.js';
import { PairTable } from '../../evidence/pair-table.js';

/** The first row at which a process wrote each file. A busy host writes millions of files, so there are no objects. */
export class FirstRows {
  readonly #pairs = new PairTable();
  #rows = new Int32Array(256);
  /** By file its first pair, and by pair the next one of the same file; -1 for none. Made when they are first needed. */
  #index: { readonly heads: Int32Array; readonly next: Int32Array } | undefined;

  note(file: number, process: number, row: number): void {
    const before = this.#pairs.size;
    if (this.#pairs.intern(file, process) < before) return;
    if (before === this.#rows.length) this.#rows = enlarge(this.#rows);
    this.#rows[before] = row;
    this.#index = undefined;
  }

  /** Calls `visit` for each process that wrote the file, in the order of their first rows. */
  eachOf(file: number, visit: (process: number, row: number) => void): void {
    const { heads, next } = this.#links();
    const processes = this.#pairs.seconds;
    for (let pair = heads[file] ?? -1; pair >= 0; pair = next[pair]) visit(processes[pair], this.#rows[pair]);
  }

  /** The files, in the order of their first rows. */
  *files(): Generator<number> {
    const { heads } = this.#links();
    const files = this.#pairs.firsts;
    for (let pair = 0; pair < files.length; pair++) if (heads[files[pair]] === pair) yield files[pair];
  }

  #links(): { readonly heads: Int32Array; readonly next: Int32Array } {
    if (this.#index !== undefined) return this.#index;
    const files = this.#pairs.firsts;
    const heads = new Int32Array(files.reduce((most, file) => Math.max(most, file), -1) + 1).fill(-1);
    const next = new Int32Array(files.length);
    for (let pair = files.length - 1; pair >= 0; pair--) {
      next[pair] = heads[files[pair]];
      heads[files[pair]] = pair;
    }
    this.#index = { heads, next };
    return this.#index;
  }
}
