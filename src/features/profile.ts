import type { EventTable } from '../store/event-table.js';

export interface ProfileOptions {
  /** L, the events of a node that are remembered. */
  readonly history: number;
  /** λ, per second. Zero: an old transition counts like a new one. */
  readonly decay: number;
  /** |R| + 1: the relations of training and `<new>`, the last. */
  readonly relationCount: number;
}

/** Method §2: L = 20, λ = ln 2 / 900 s. */
export const PROFILE_DEFAULTS = { history: 20, decay: Math.LN2 / 900 } as const;

const PAGE_BITS = 12;
const PAGE_NODES = 1 << PAGE_BITS;
const PAGE_MASK = PAGE_NODES - 1;
const SECONDS = 1e-9;

interface Page {
  readonly relations: Uint16Array;
  readonly times: Float64Array;
  /** Events ever seen, modulo 2L once the buffer has gone round: where the next one goes, and whether it is full. */
  readonly counts: Uint32Array;
}

/**
 * p_v, the transition profile (method §2): for each node a ring buffer of its L most recent (relation, time), filled
 * in one pass over events in order of o, and read whenever a window ends. It can be fed event by event: nodes may be
 * added at any time. Buffers lie in pages that are made when first needed.
 */
export class TransitionProfile {
  readonly relationCount: number;
  readonly #history: number;
  readonly #decay: number;
  readonly #pages: (Page | undefined)[] = [];
  /** Reused by `read`. */
  readonly #columns: Uint32Array;
  readonly #values: Float64Array;

  constructor({ history, decay, relationCount }: ProfileOptions) {
    if (history < 2) throw new RangeError(`a history of ${history} holds no transition`);
    this.relationCount = relationCount;
    this.#history = history;
    this.#decay = decay;
    this.#columns = new Uint32Array(history);
    this.#values = new Float64Array(history);
  }

  /** (|R| + 1)² */
  get width(): number {
    return this.relationCount ** 2;
  }

  /**
   * One event, in order of o. Every entity it involves remembers it once: also the subject of two objects, both ends
   * of a self-loop, and a subject without an object. −1 stands for none; time is nanoseconds since any fixed origin.
   */
  push(relation: number, time: number, subject: number, object: number, object2: number): void {
    // Without a subject only two objects make an event of the graph; a lone object is skipped there, and here.
    if (subject < 0 && (object < 0 || object2 < 0)) return;
    if (subject >= 0) this.#remember(subject, relation, time);
    if (object >= 0 && object !== subject) this.#remember(object, relation, time);
    if (object2 >= 0 && object2 !== object && object2 !== subject) this.#remember(object2, relation, time);
  }

  /**
   * The non-zeros of p_v, at most L − 1, columns r·(|R|+1) + r′ ascending. The two arrays are views that the next call
   * overwrites.
   */
  read(node: number): { readonly columns: Uint32Array; readonly values: Float64Array } {
    const page = this.#pages[node >>> PAGE_BITS];
    const columns = this.#columns;
    const values = this.#values;
    const L = this.#history;
    const local = node & PAGE_MASK;
    const count = page === undefined ? 0 : page.counts[local];
    const length = Math.min(count, L);
    let used = 0;
    if (page !== undefined && length > 1) {
      const base = local * L;
      const newest = page.times[base + ((count - 1) % L)];
      let before = page.relations[base + ((count - length) % L)];
      for (let i = count - length + 1; i < count; i++) {
        const at = base + (i % L);
        const relation = page.relations[at];
        const weight = Math.exp(-this.#decay * (newest - page.times[at]) * SECONDS);
        used = addEntry(columns, values, used, before * this.relationCount + relation, weight);
        before = relation;
      }
    }
    return { columns: columns.subarray(0, used), values: values.subarray(0, used) };
  }

  /** Forgets everything: the start of a split. */
  clear(): void {
    this.#pages.length = 0;
  }

  #remember(node: number, relation: number, time: number): void {
    const L = this.#history;
    this.#pages[node >>> PAGE_BITS] ??= {
      relations: new Uint16Array(PAGE_NODES * L),
      times: new Float64Array(PAGE_NODES * L),
      counts: new Uint32Array(PAGE_NODES),
    };
    const page = this.#pages[node >>> PAGE_BITS] as Page;
    const local = node & PAGE_MASK;
    const count = page.counts[local];
    const at = local * L + (count % L);
    page.relations[at] = relation;
    page.times[at] = time;
    // Kept between L and 2L − 1 once full: a busy node may see more events than 32 bits count.
    page.counts[local] = count + 1 === 2 * L ? L : count + 1;
  }
}

/** Adds to an entry of a short list sorted by column, or puts it in its place. Gives the new length. */
function addEntry(
  columns: Uint32Array,
  values: Float64Array,
  length: number,
  column: number,
  value: number,
): number {
  let at = length;
  while (at > 0 && columns[at - 1] > column) at--;
  if (at > 0 && columns[at - 1] === column) {
    values[at - 1] += value;
    return length;
  }
  for (let i = length; i > at; i--) {
    columns[i] = columns[i - 1];
    values[i] = values[i - 1];
  }
  columns[at] = column;
  values[at] = value;
  return length + 1;
}

/**
 * Times of a table as nanoseconds after `origin`, as doubles: exact for a hundred days, and the profile only looks at
 * differences of times, never at their order.
 */
export function elapsedTimes(table: Pick<EventTable, 'ts' | 'length'>, origin: bigint): Float64Array {
  const words = new Uint32Array(table.ts.buffer, table.ts.byteOffset, table.length * 2);
  const start = new Uint32Array(BigInt64Array.of(origin).buffer);
  const elapsed = new Float64Array(table.length);
  for (let row = 0; row < table.length; row++) {
    // By halves: arithmetic on BigInt would take as long as everything else here together.
    const high = (words[2 * row + 1] | 0) - (start[1] | 0);
    elapsed[row] = high * 0x1_0000_0000 + (words[2 * row] - start[0]);
  }
  return elapsed;
}
