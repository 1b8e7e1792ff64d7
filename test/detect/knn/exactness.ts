import { expect } from 'vitest';
import type { NeighbourSearch } from '../../../src/detect/knn/neighbour-search.js';
import type { SnappedPoints } from '../../../src/detect/knn/snapped-points.js';
import { bruteForceScores } from './brute-force.js';

/**
 * Expects the scores of float64 brute force and, for thresholds at, just below and just above some scores, its
 * candidates. Pass only some points of a large reference (`everyNth`).
 */
export function expectExact(search: NeighbourSearch, points: SnappedPoints, k: number): void {
  const scores = bruteForceScores(search.reference.points, points, k);
  expect(search.scores(points, k)).toEqual(scores);
  const sorted = Float64Array.from(scores).sort();
  for (const share of [0, 0.5, 0.9]) {
    const score = sorted[Math.floor(share * sorted.length)];
    for (const threshold of [score, score * (1 - 2 ** -52), score * (1 + 2 ** -52), score / 2]) {
      const expected = Uint8Array.from(scores, (value) => (value > threshold ? 1 : 0));
      const found = search.candidates(points, k, threshold);
      expect(found.candidate).toEqual(expected);
      expect(found.count).toBe(expected.reduce((sum, one) => sum + one, 0));
      expect(found.pairs).toBeGreaterThan(0);
    }
  }
}

/** At most `most` evenly spaced points. */
export function everyNth({ width, count, steps }: SnappedPoints, most: number): SnappedPoints {
  const taken = Math.min(count, most);
  const some = new Int32Array(taken * width);
  for (let i = 0; i < taken; i++) {
    const from = Math.floor((i * count) / taken) * width;
    some.set(steps.subarray(from, from + width), i * width);
  }
  return { width, count: taken, steps: some };
}
