import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventOrder } from '../../../src/store/segments/event-order.js';

/** A few values around every boundary of the 32-bit halves. */
const number = fc.constantFrom(
  0n,
  1n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 63n - 1n,
  -1n,
  -(2n ** 32n),
  -(2n ** 63n),
);
const events = fc.array(fc.tuple(number, number), { maxLength: 12 });

describe('EventOrder', () => {
  it('compares (time, sequence), however the events are split into batches', () => {
    const sorted = events.map((list) =>
      list.sort(([a, x], [b, y]) => (a < b || (a === b && x < y) ? -1 : a === b && x === y ? 0 : 1)),
    );
    fc.assert(
      fc.property(fc.oneof(sorted, events), fc.nat(12), fc.nat(12), (list, first, second) => {
        const order = new EventOrder();
        const cuts = [0, first, second, list.length].map((cut) => Math.min(cut, list.length));
        cuts.sort((a, b) => a - b);
        for (let k = 1; k < cuts.length; k++) {
          const part = list.slice(cuts[k - 1], cuts[k]);
          // Columns may be longer than the number of events.
          const ts = BigInt64Array.from([...part.map(([t]) => t), -5n]);
          const seq = BigInt64Array.from([...part.map(([, s]) => s), -5n]);
          order.add(ts, seq, part.length);
        }
        const inOrder = list.every(([t, s], i) => {
          const [before, sequence] = list[i - 1] ?? [t, s];
          return before < t || (before === t && sequence <= s);
        });
        expect(order.inOrder).toBe(inOrder);
      }),
      { numRuns: 2000 },
    );
  });
});
