import fc from 'fast-check';
import { expect, it } from 'vitest';
import { groupIndices } from '../../src/base/group-indices.js';

it('finds where each number occurs', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(9), fc.boolean())), fc.boolean(), (all, some) => {
      const numbers = Int32Array.from(all, ([number]) => number);
      const isTaken = Uint8Array.from(all, ([, taken]) => Number(taken));
      const of = some ? groupIndices(numbers, isTaken) : groupIndices(numbers);
      for (let number = -1; number <= 10; number++) {
        const wanted = all.flatMap(([each, taken], i) => (each === number && (taken || !some) ? [i] : []));
        expect([...of(number)]).toEqual(wanted);
      }
    }),
  );
});
