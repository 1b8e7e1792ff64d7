import { expect, test } from 'vitest';
import { Random } from '../../../src/base/random.js';
import type { NeighbourSearch } from '../../../src/detect/knn/neighbour-search.js';
import type { ReferenceBuilder } from '../../../src/detect/knn/reference-builder.js';
import { built } from '../../built.js';
import { cloud } from './clouds.js';

// Threads start from built files, so that this test imports the search from dist/.
const search = (await import(built('detect/knn/neighbour-search.js'))) as {
  NeighbourSearch: typeof NeighbourSearch;
};
const builder = (await import(built('detect/knn/reference-builder.js'))) as {
  ReferenceBuilder: typeof ReferenceBuilder;
};

test('results and work do not depend on the number of threads', async () => {
  const random = new Random('threads');
  const rows = cloud(random, { rows: 6000, width: 64, middles: 60 });
  const collected = new builder.ReferenceBuilder(64, { seed: 1, most: 200_000 });
  collected.add(rows.subarray(0, 64 * 4000));
  const reference = collected.finish();
  const points = reference.standardise(rows.subarray(64 * 3000));
  const answers = async (threads: number) => {
    const opened = await search.NeighbourSearch.open(reference, { threads });
    const scores = opened.scores(points, 10);
    const threshold = Float64Array.from(scores).sort()[Math.floor(0.9 * scores.length)];
    const found = opened.candidates(points, 10, threshold);
    const nearest = opened.nearest(points, 5, 3);
    await opened.close();
    return { scores, threshold, nearest, found };
  };
  const one = await answers(1);
  expect(one.found.candidate).toEqual(
    Uint8Array.from(one.scores, (score) => (score > one.threshold ? 1 : 0)),
  );
  expect(one.found.count).toBe(299);
  for (const threads of [2, 3]) expect(await answers(threads)).toEqual(one);
});
