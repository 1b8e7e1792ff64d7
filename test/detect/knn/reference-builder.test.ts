import { expect, test } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { ReferenceBuilder } from '../../../src/detect/knn/reference-builder.js';
import { buildReference, cloud } from './clouds.js';

const WIDTH = 4;
const rows = cloud(new Random('sample'), { rows: 5000, width: WIDTH });

/** Adds the rows in chunks that end at these rows. */
function buildFrom(ends: readonly number[], most: number, seed = 3) {
  const builder = new ReferenceBuilder(WIDTH, { seed, most });
  ends.forEach((end, i) => {
    builder.add(rows.subarray((i === 0 ? 0 : ends[i - 1]) * WIDTH, end * WIDTH));
  });
  return builder.finish();
}

test('the sample does not depend on how instances are divided into chunks', () => {
  const whole = buildFrom([5000], 300);
  expect(whole.instances).toBe(300);
  const numbers = [...whole.points.example];
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect([...buildFrom([700, 3000, 5000], 300).points.example]).toEqual(numbers);
  expect([...buildFrom([5000], 300, 4).points.example]).not.toEqual(numbers);
  // As likely early as late: with 300 of 5000, about 75 in each quarter.
  for (let quarter = 0; quarter < 4; quarter++) {
    const share = numbers.filter((number) => Math.floor(number / 1250) === quarter).length;
    expect(share).toBeGreaterThan(45);
    expect(share).toBeLessThan(105);
  }
});

test('mean and deviation are those of all instances, not of the sample', () => {
  const small = buildFrom([5000], 10);
  const large = buildFrom([5000], 5000);
  expect(small.standardisation).toEqual(large.standardisation);
  expect(large.instances).toBe(5000);
});

test('points are the standardised rows of the sample, with multiplicity and the lowest instance', () => {
  const doubled = Float32Array.from([
    ...rows.subarray(0, 400),
    ...rows.subarray(0, 400),
    ...rows.subarray(0, 40),
  ]);
  const reference = buildReference(doubled, WIDTH);
  const { points } = reference;
  expect(points.count).toBe(100);
  expect([...points.example]).toEqual(Array.from({ length: 100 }, (_, i) => i));
  expect([...points.multiplicity]).toEqual(Array.from({ length: 100 }, (_, i) => (i < 10 ? 3 : 2)));
  expect(reference.standardise(doubled.subarray(0, 400)).steps).toEqual(points.steps);
});

test('incomplete rows and an empty reference are refused', () => {
  const builder = new ReferenceBuilder(WIDTH, { seed: 0, most: 10 });
  expect(() => builder.add(rows.subarray(0, 6))).toThrow(RangeError);
  expect(() => builder.finish()).toThrow(expect.objectContaining({ code: 'no-edges' }));
});
