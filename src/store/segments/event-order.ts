/** Checks whether events arrive in the order of (time, sequence), so that they need no sorting. */
export class EventOrder {
  #inOrder = true;
  /** Time and sequence of the last event as 32-bit halves, to avoid allocating a BigInt per event. */
  readonly #last = new Int32Array(4);
  #any = false;

  /** True if all events so far arrived in order. */
  get inOrder(): boolean {
    return this.#inOrder;
  }

  /** Adds the next `count` events. */
  add(ts: BigInt64Array, seq: BigInt64Array, count: number): void {
    if (!this.#inOrder || count === 0) return;
    const time = halves(ts);
    const sequence = halves(seq);
    const last = this.#last;
    if (this.#any && compare(last, 0, time, 0) >= 0) {
      const tie = compare(last, 0, time, 0) === 0;
      if (!tie || compare(last, 2, sequence, 0) > 0) this.#inOrder = false;
    }
    for (let i = 2; i < count * 2 && this.#inOrder; i += 2) {
      const order = compare(time, i - 2, time, i);
      if (order > 0 || (order === 0 && compare(sequence, i - 2, sequence, i) > 0)) this.#inOrder = false;
    }
    const end = count * 2 - 2;
    last[0] = time[end];
    last[1] = time[end + 1];
    last[2] = sequence[end];
    last[3] = sequence[end + 1];
    this.#any = true;
  }
}

function halves(column: BigInt64Array): Int32Array {
  return new Int32Array(column.buffer, column.byteOffset, column.length * 2);
}

/** Compares the 64-bit numbers at `a[i]` and `b[j]`, like a sort comparator. */
function compare(a: Int32Array, i: number, b: Int32Array, j: number): number {
  if (a[i + 1] !== b[j + 1]) return a[i + 1] < b[j + 1] ? -1 : 1;
  if (a[i] === b[j]) return 0;
  return a[i] >>> 0 < b[j] >>> 0 ? -1 : 1;
}
