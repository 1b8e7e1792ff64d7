import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldPoints } from '../../../src/detect/knn/snapped-points.js';

test('identical rows become one point; points keep the order of their first rows', () => {
  const row = fc.tuple(...Array.from({ length: 3 }, () => fc.integer({ min: -1, max: 1 })));
  fc.assert(
    fc.property(fc.array(row, { maxLength: 80 }), (rows) => {
      const folded = foldPoints(Int32Array.from(rows.flat()), rows.length, 3);
      const texts = rows.map((values) => values.join());
      const distinct = [...new Set(texts)];
      expect(folded.count).toBe(distinct.length);
      const found = distinct.map((_, p) => [...folded.steps.subarray(3 * p, 3 * p + 3)].join());
      expect(found).toEqual(distinct);
      expect([...folded.pointOf]).toEqual(texts.map((text) => distinct.indexOf(text)));
      expect([...folded.multiplicity]).toEqual(
        distinct.map((one) => texts.filter((text) => text === one).length),
      );
    }),
  );
});

test('rows without coordinates are identical', () => {
  expect(foldPoints(new Int32Array(), 5, 0)).toMatchObject({ count: 1, multiplicity: Uint32Array.of(5) });
  expect(foldPoints(new Int32Array(), 0, 4)).toMatchObject({ count: 0, width: 4 });
});
