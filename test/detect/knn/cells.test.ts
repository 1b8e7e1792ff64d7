import { expect, test } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { arrangeCells, BLOCK, interleave, NONE } from '../../../src/detect/knn/cells.js';

test('each point has one place, in its cell, between bounds of its distance', () => {
  const random = new Random('cells');
  const homes = Uint32Array.from({ length: 700 }, () => [0, 1, 1, 2, 4][random.below(5)]);
  const distances = Float32Array.from({ length: 700 }, (_, i) => (i % 9 === 0 ? 0 : random.exponential(3)));
  const relative = 1e-6;
  const cells = arrangeCells(homes, distances, 5, relative);
  expect(cells.firstBlocks[4]).toBe(cells.firstBlocks[3]); // cell 3 has no points
  const seen = new Set<number>();
  for (let c = 0; c < 5; c++) {
    let before = 0;
    for (let block = cells.firstBlocks[c]; block < cells.firstBlocks[c + 1]; block++) {
      const [near, far] = cells.rings.subarray(2 * block, 2 * block + 2);
      for (let place = block * BLOCK; place < (block + 1) * BLOCK; place++) {
        const number = cells.numbers[place];
        if (number === NONE) continue;
        seen.add(number);
        expect(homes[number]).toBe(c);
        const distance = distances[number];
        expect(distance).toBeGreaterThanOrEqual(before);
        before = distance;
        expect(near).toBeLessThanOrEqual(distance * (1 - relative));
        expect(far).toBeGreaterThanOrEqual(distance * (1 + relative));
        expect(cells.radii[c]).toBeGreaterThanOrEqual(far);
      }
    }
  }
  expect(seen.size).toBe(700);
  expect(cells.numbers).toHaveLength(cells.firstBlocks[5] * BLOCK);
});

test('a block holds, for each dimension, one float of each row', () => {
  const rows = Float32Array.from({ length: 60 }, (_, i) => i);
  const numbers = new Uint32Array(32).fill(NONE);
  numbers.set([7, 3], 0);
  numbers.set([19], 16);
  const out = new Float32Array(32 * 3);
  interleave(rows, 3, numbers, out);
  const empty = Math.fround(1e15);
  expect([...out.subarray(0, 3)]).toEqual([21, 9, empty]);
  expect([...out.subarray(16, 19)]).toEqual([22, 10, empty]);
  expect([...out.subarray(48 + 32, 48 + 34)]).toEqual([59, empty]);
});
