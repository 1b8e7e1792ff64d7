import fc from 'fast-check';
import { expect } from 'vitest';
import type { GraphView } from '../../../src/detect/graph-view.js';

/** Expects that arrays with one changed number are refused, or still give finite surprises of at least 0. */
export function expectHarmlessTampering<P extends object>(
  sound: { [K in keyof P]: P[K] & (Int32Array | Uint32Array) },
  read: (arrays: P) => { surprises(view: GraphView): Float64Array },
  view: GraphView,
): void {
  let refused = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...(Object.keys(sound) as (keyof P)[])),
      fc.nat(100),
      fc.integer({ min: -3, max: 40 }),
      (column, at, value) => {
        const arrays = structuredClone(sound);
        arrays[column][at % arrays[column].length] = value;
        let surprise: ReturnType<typeof read>;
        try {
          surprise = read(arrays);
        } catch (error) {
          expect(error).toMatchObject({ code: 'model-damaged' });
          refused++;
          return;
        }
        const u = surprise.surprises(view);
        expect(u.every((value) => value >= 0 && Number.isFinite(value))).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
  expect(refused).toBeGreaterThan(100);
}
