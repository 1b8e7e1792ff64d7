import type { EventTable } from '../store/event-table.js';

export interface ProfileOptions {
  /** L, the number of recent events that are kept per node. */
  readonly history: number;
  /** λ, per second. With 0, old transitions weigh as much as new ones. */
  readonly decay: number;
  /** |R| + 1: the relations in training, and `<new>` as the last. */
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
  /** Number of events, kept between L and 2L − 1 once the buffer is full. Gives the next position in the buffer. */
  readonly counts: Uint32Array;
}

/**
 * p_v, the transition profile (method §2): a ring buffer of the L most recent (relation, time) of each node. It is
 * filled in one pass over the events in order of o, and read at the end of each window. Nodes may be added at any time;
 * their buffers lie in pages that are allocated on first use.
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
    if (history < 2) throw new RangeError(`the history must be at least 2 events, got ${history}`);
    this.relationCount = relationCount;
    this.#history = history;
    this.#decay = decay;
    this.#columns = new Uint32Array(history);
    this.#values = new Float64Array(history);
  }

  /**
   * Adds the next event in order of o. It enters the buffer of each of its entities once, also for a subject with two
   * objects, a self-loop, or a subject without an object. −1 stands for an absent entity; time is nanoseconds since any
   * fixed origin.
   */
  push(relation: number, time: number, subject: number, object: number, object2: number): void {
    // The graph skips these events too (method §1).
    if (subject < 0 && (object < 0 || object2 < 0)) return;
    if (subject >= 0) this.#record(subject, relation, time);
    if (object >= 0 && object !== subject) this.#record(object, relation, time);
    if (object2 >= 0 && object2 !== object && object2 !== subject) this.#record(object2, relation, time);
  }

  /** The non-zeros of p_v, at most L − 1, by ascending column r·(|R|+1) + r′. The next call overwrites both arrays. */
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

  #record(node: number, relation: number, time: number): void {
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
    // A busy node may have more events than 32 bits can count.
    page.counts[local] = count + 1 === 2 * L ? L : count + 1;
  }
}

/** Adds a value to a short list sorted by column. Returns the new length. */
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

/** The times of a table in nanoseconds since `origin`, as doubles. They are exact for a hundred days. */
export function elapsedTimes(table: Pick<EventTable, 'ts' | 'length'>, origin: bigint): Float64Array {
  const words = new Uint32Array(table.ts.buffer, table.ts.byteOffset, table.length * 2);
  const start = new Uint32Array(BigInt64Array.of(origin).buffer);
  const elapsed = new Float64Array(table.length);
  for (let row = 0; row < table.length; row++) {
    // 32-bit halves, because BigInt arithmetic is slow.
    const high = (words[2 * row + 1] | 0) - (start[1] | 0);
    elapsed[row] = high * 0x1_0000_0000 + (words[2 * row] - start[0]);
  }
  return elapsed;
}
