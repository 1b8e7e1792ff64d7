import { expect, test } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { bruteForceScores } from '../../../src/detect/knn/brute-force.js';
import { EveryPair, everyPairError } from '../../../src/detect/knn/every-pair.js';
import { buildReference } from '../../../src/detect/knn/reference-builder.js';
import { GRID } from '../../../src/detect/knn/snapped-points.js';
import { cloud } from './clouds.js';

test('vectors give the scores of float64 within the error they state', async () => {
  const random = new Random('every pair');
  for (const [width, rows] of [
    [64, 503],
    [5, 333],
  ] as const) {
    const cloudy = cloud(random, { rows, width, middles: 9 });
    cloudy.copyWithin(0, 50 * width, 200 * width); // some stand twice
    const { points, standardisation } = buildReference(cloudy, width, { seed: 0 });
    const queries = standardisation.snap(cloud(random, { rows: 61, width, middles: 7, spread: 1 }));
    for (const k of [1, 10, 700]) {
      for (const portable of [false, true]) {
        const peer = await EveryPair.open(points, { portable });
        const rough = peer.scores(queries, k);
        const scores = bruteForceScores(points, queries, k);
        for (let q = 0; q < queries.count; q++) {
          const steps = queries.steps.subarray(q * width, (q + 1) * width);
          const norm = Math.sqrt(steps.reduce((sum, step) => sum + (step / GRID) ** 2, 0));
          expect(Math.abs(rough[q] - scores[q])).toBeLessThan(everyPairError(width, norm, scores[q], k));
        }
        await peer.close();
      }
    }
  }
});
