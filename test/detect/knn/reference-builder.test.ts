import { expect, test } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { buildReference, ReferenceBuilder } from '../../../src/detect/knn/reference-builder.js';
import { cloud } from './clouds.js';

const WIDTH = 4;
const rows = cloud(new Random('sample'), { rows: 5000, width: WIDTH });

/** Adds chunks [from, to) of rows in this order. */
function buildFrom(chunks: readonly (readonly [number, number])[], most: number, seed = 3) {
  const builder = new ReferenceBuilder(WIDTH, { seed, most });
  for (const [from, to] of chunks) builder.add(rows.subarray(from * WIDTH, to * WIDTH), from);
  return builder.finish();
}

test('the same instances are in the sample, however they come', () => {
  const whole = buildFrom([[0, 5000]], 300);
  expect(whole.instances).toBe(300);
  const numbers = [...whole.points.example];
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  const parts = buildFrom(
    [
      [3000, 5000],
      [0, 700],
      [700, 3000],
    ],
    300,
  );
  expect([...parts.points.example]).toEqual(numbers);
  expect([...buildFrom([[0, 5000]], 300, 4).points.example]).not.toEqual(numbers);
  // As likely early as late: with 300 of 5000, some 75 in each quarter.
  for (let quarter = 0; quarter < 4; quarter++) {
    const share = numbers.filter((number) => Math.floor(number / 1250) === quarter).length;
    expect(share).toBeGreaterThan(45);
    expect(share).toBeLessThan(105);
  }
});

test('mean and deviation are those of all instances, not of the sample', () => {
  const small = buildFrom([[0, 5000]], 10);
  const large = buildFrom([[0, 5000]], 5000);
  expect(small.standardisation).toEqual(large.standardisation);
  expect(large.instances).toBe(5000);
});

test('points are the standardised rows of the sample, with multiplicity and the smallest instance', () => {
  const doubled = Float32Array.from([
    ...rows.subarray(0, 400),
    ...rows.subarray(0, 400),
    ...rows.subarray(0, 40),
  ]);
  const reference = buildReference(doubled, WIDTH, { seed: 0 });
  const { points } = reference;
  expect(points.count).toBe(100);
  expect([...points.example]).toEqual(Array.from({ length: 100 }, (_, i) => i));
  expect([...points.multiplicity]).toEqual(Array.from({ length: 100 }, (_, i) => (i < 10 ? 3 : 2)));
  expect(reference.standardise(doubled.subarray(0, 400)).steps).toEqual(points.steps);
});

test('numbers of instances can be anything', () => {
  const builder = new ReferenceBuilder(WIDTH, { seed: 0 });
  builder.add(rows.subarray(0, 2 * WIDTH), Int32Array.of(70, 5));
  expect([...builder.finish().points.example]).toEqual([5, 70]);
  expect(() => builder.add(rows.subarray(0, 6))).toThrow(/not a row per instance/);
  expect(() => builder.add(rows.subarray(0, 8), Int32Array.of(1))).toThrow(/not a row per instance/);
});

test('nothing to compare with is an error', () => {
  expect(() => new ReferenceBuilder(WIDTH, { seed: 0 }).finish()).toThrow(/no training instance/);
});
