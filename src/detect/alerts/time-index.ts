import type { SuspiciousNodes } from './suspicious-nodes.js';

/** Finds the members of a node that are near another member in time. */
export class TimeIndex {
  /** The members of node v, ordered by their first event, are `#offsets[v]` to `#offsets[v + 1]`. */
  readonly #offsets: Uint32Array;
  readonly #sorted: Int32Array;
  /** Nanoseconds since the earliest event: exact for 104 days, and to a microsecond for decades. */
  readonly #first: Float64Array;
  readonly #last: Float64Array;
  readonly #gap: number;
  readonly #longest: number;

  constructor({ length, node, first, last }: SuspiciousNodes, nodeCount: number, gap: bigint) {
    let earliest = length === 0 ? 0n : first[0];
    for (const time of first) if (time < earliest) earliest = time;
    this.#first = Float64Array.from(first, (time) => Number(time - earliest));
    this.#last = Float64Array.from(last, (time) => Number(time - earliest));
    this.#gap = Number(gap);
    this.#longest = this.#first.reduce((most, time, i) => Math.max(most, this.#last[i] - time), 0);
    this.#offsets = new Uint32Array(nodeCount + 1);
    for (let i = 0; i < length; i++) this.#offsets[node[i] + 1]++;
    for (let v = 0; v < nodeCount; v++) this.#offsets[v + 1] += this.#offsets[v];
    this.#sorted = Int32Array.from({ length }, (_, i) => i).sort(
      (a, b) => node[a] - node[b] || this.#first[a] - this.#first[b] || a - b,
    );
  }

  /** Writes the members of a node that are near `member` to `found` and returns their number. */
  near(member: number, node: number, found: number[]): number {
    const start = this.#offsets[node];
    const end = this.#offsets[node + 1];
    if (start === end) return 0;
    const from = this.#first[member] - this.#gap;
    const to = this.#last[member] + this.#gap;
    let count = 0;
    // A member that begins earlier ends before `from`.
    for (let at = this.#firstNotBefore(from - this.#longest, start, end); at < end; at++) {
      const other = this.#sorted[at];
      if (this.#first[other] > to) break;
      if (this.#last[other] >= from) found[count++] = other;
    }
    return count;
  }

  #firstNotBefore(time: number, start: number, end: number): number {
    let [low, high] = [start, end];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#first[this.#sorted[middle]] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
