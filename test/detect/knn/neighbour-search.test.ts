import { afterEach, describe, expect, test } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { NeighbourReference } from '../../../src/detect/knn/neighbour-reference.js';
import { NeighbourSearch } from '../../../src/detect/knn/neighbour-search.js';
import { Standardisation } from '../../../src/detect/knn/standardisation.js';
import { bruteForceNearest } from './brute-force.js';
import { buildReference, cloud } from './clouds.js';
import { everyNth, expectExact } from './exactness.js';

const open: NeighbourSearch[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((search) => search.close()));
});

async function searchOf(reference: NeighbourReference, portable = false): Promise<NeighbourSearch> {
  const search = await NeighbourSearch.open(reference, { portable });
  open.push(search);
  return search;
}

/** A reference of these grid steps: every dimension has mean 0 and deviation 1. */
function referenceAt(steps: Int32Array, width: number, multiplicity?: Uint32Array): NeighbourReference {
  const count = width === 0 ? (multiplicity?.length ?? 1) : steps.length / width;
  return new NeighbourReference(
    new Standardisation(new Float32Array(width), new Float32Array(width).fill(1)),
    {
      width,
      count,
      steps,
      multiplicity: multiplicity ?? new Uint32Array(count).fill(1),
      example: new Int32Array(count).map((_, i) => i),
    },
  );
}

describe('results equal float64 brute force', () => {
  const random = new Random('knn');
  for (const [name, shape] of [
    ['clusters', { rows: 2000, width: 64, middles: 40 }],
    ['tight clusters', { rows: 1000, width: 64, middles: 20, spread: 1e-5 }],
    ['a uniform box', { rows: 1000, width: 64 }],
    ['few dimensions', { rows: 2500, width: 3, middles: 10 }],
    ['one dimension', { rows: 1500, width: 1 }],
    ['an odd width', { rows: 1500, width: 37, middles: 12 }],
    ['a wide space', { rows: 400, width: 150, middles: 5 }],
  ] as const) {
    for (const portable of [false, true]) {
      test(`${name}, portable ${portable}`, async () => {
        const stream = random.stream(name);
        const rows = cloud(stream, shape);
        const half = Math.floor(shape.rows / 2) * shape.width;
        const reference = buildReference(rows.subarray(0, half), shape.width, 1);
        const search = await searchOf(reference, portable);
        const questions = [
          ...rows.subarray(half, half + 100 * shape.width),
          ...rows.subarray(0, 30 * shape.width),
        ];
        const points = reference.standardise(Float32Array.from(questions));
        expectExact(search, points, 10);
        expectExact(search, points, 1);
      });
    }
  }

  test('with many duplicates among points and queries', async () => {
    const stream = random.stream('duplicates');
    const few = cloud(stream, { rows: 60, width: 16, middles: 5 });
    const rows = new Float32Array(4000 * 16);
    for (let row = 0; row < 4000; row++) {
      const from = Math.floor(60 * stream.float() ** 3) * 16;
      rows.set(few.subarray(from, from + 16), row * 16);
    }
    const reference = buildReference(rows, 16, 1);
    expect(reference.points.count).toBeLessThanOrEqual(60);
    expect(reference.instances).toBe(4000);
    const points = reference.standardise(rows);
    expect(points.count).toBe(reference.points.count);
    expectExact(await searchOf(reference), points, 10);
    expectExact(
      await searchOf(reference),
      reference.standardise(cloud(stream, { rows: 200, width: 16 })),
      500,
    );
  });

  test('with many equal distances', async () => {
    // The distances of a box's corners take few values, so that many tie.
    const steps = new Int32Array(1024 * 10).map((_, i) => (((i / 10) >> (i % 10)) & 1) * 1_000_000);
    const search = await searchOf(referenceAt(steps, 10));
    const middle = { width: 10, count: 1, steps: new Int32Array(10).fill(500_000) };
    expectExact(search, middle, 10);
    expectExact(search, { width: 10, count: 40, steps: steps.slice(0, 400) }, 11);
    expect(search.nearest(middle, 0, 5).map(({ point }) => point)).toEqual([0, 1, 2, 3, 4]);
  });

  test('with one point, k above the number of points, far outliers and no dimensions', async () => {
    const one = await searchOf(referenceAt(Int32Array.of(3_000_000, -4_000_000), 2));
    const origin = { width: 2, count: 1, steps: new Int32Array(2) };
    expect(one.scores(origin, 10)[0]).toBe(5);
    expect(one.candidates(origin, 10, 5).count).toBe(0);
    expect(one.candidates(origin, 10, 4.9).count).toBe(1);

    const steps = cloud(random.stream('far'), { rows: 300, width: 8 }).map((x) => x * 1e6);
    const far = Int32Array.from(steps);
    far.fill(2_000_000_000, 0, 8);
    far.fill(-2_000_000_000, 8, 16);
    const multiplicity = new Uint32Array(300).map((_, i) => 1 + (i % 4));
    const search = await searchOf(referenceAt(far, 8, multiplicity));
    const points = { width: 8, count: 300, steps: far };
    expectExact(search, points, 10);
    expectExact(search, everyNth(points, 20), 10_000);

    const flat = buildReference(new Float32Array(40).fill(7), 4, 0);
    expect(flat.points).toMatchObject({ width: 0, count: 1 });
    const constant = await searchOf(flat);
    const same = flat.standardise(Float32Array.of(7, 7, 7, 7, 1, 2, 3, 4));
    expect(constant.scores(same, 10)).toEqual(new Float64Array(same.count));
    expect(constant.candidates(same, 10, 0).count).toBe(0);
    expect(constant.candidates(same, 10, -1).count).toBe(same.count);
  });
});

test('nearest() finds the points of brute force', async () => {
  const stream = new Random('nearest');
  const rows = cloud(stream, { rows: 900, width: 20, middles: 9 });
  rows.copyWithin(500 * 20, 0, 400 * 20); // the last 400 rows repeat the first 400
  const reference = buildReference(rows, 20, 5);
  const search = await searchOf(reference);
  const points = reference.standardise(cloud(stream, { rows: 50, width: 20, middles: 9, spread: 1 }));
  for (let q = 0; q < points.count; q++) {
    expect(search.nearest(points, q, 7)).toEqual(bruteForceNearest(reference.points, points, q, 7));
  }
  expect(search.nearest(points, 0, 10_000)).toHaveLength(reference.points.count);
});

test('no queries give no results; queries of another width and k = 0 are refused', async () => {
  const search = await searchOf(buildReference(cloud(new Random(1), { rows: 50, width: 4 }), 4, 0));
  const none = { width: 4, count: 0, steps: new Int32Array() };
  expect(search.scores(none, 10)).toEqual(new Float64Array());
  expect(search.candidates(none, 10, 1)).toMatchObject({ count: 0, pairs: 0 });
  const odd = { width: 3, count: 1, steps: new Int32Array(3) };
  expect(() => search.scores(odd, 10)).toThrow(RangeError);
  expect(() => search.scores({ width: 4, count: 1, steps: new Int32Array(4) }, 0)).toThrow(RangeError);
});
