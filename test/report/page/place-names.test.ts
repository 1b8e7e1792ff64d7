import fc from 'fast-check';
import { expect, test } from 'vitest';
import { placeNames } from '../../../src/report/page/place-names.js';

const bounds = { left: 0, right: 500, top: 0, bottom: 300 };

test('a name is right of its mark, else left, up to the limit', () => {
  expect(placeNames([{ x: 100, y: 50, text: 'abc' }], bounds, 5)).toEqual([{ x: 110, y: 50, text: 'abc' }]);
  expect(placeNames([{ x: 490, y: 50, text: 'abc' }], bounds, 5)).toEqual([{ x: 459, y: 50, text: 'abc' }]);
  const many = Array.from({ length: 10 }, (_, i) => ({ x: 50, y: 20 + 25 * i, text: 'x' }));
  expect(placeNames(many, bounds, 3)).toHaveLength(3);
});

test('names are inside the bounds and cover neither each other nor a mark', () => {
  const mark = fc.record({
    x: fc.integer({ min: 0, max: 500 }),
    y: fc.integer({ min: 0, max: 300 }),
    text: fc.string({ minLength: 1, maxLength: 40 }),
  });
  fc.assert(
    fc.property(fc.array(mark, { maxLength: 25 }), (marks) => {
      const placed = placeNames(marks, bounds, 100);
      for (const [i, name] of placed.entries()) {
        const width = name.text.length * 7;
        expect(name.x).toBeGreaterThanOrEqual(0);
        expect(name.x + width).toBeLessThanOrEqual(500);
        for (const other of placed.slice(i + 1)) {
          const apart =
            Math.abs(name.y - other.y) >= 15 ||
            name.x + width <= other.x ||
            other.x + other.text.length * 7 <= name.x;
          expect(apart).toBe(true);
        }
        for (const { x, y } of marks) {
          expect(Math.abs(y - name.y) >= 14.5 || x + 7 <= name.x || x - 7 >= name.x + width).toBe(true);
        }
      }
    }),
  );
});
