import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectScores } from '../../../src/report/charts/score-points.js';

const point = fc.record({
  name: fc.string({ maxLength: 3 }),
  score: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(Number.NaN)),
  alert: fc.boolean(),
});

test('every node is loud, quiet or unplaced, and ranks and the next highest are as sorting says', () => {
  fc.assert(
    fc.property(fc.array(point, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (points, keep) => {
      const scored = collectScores(points, 'rank', keep);
      expect(scored.loud.length + scored.quiet.scores.length + scored.unplaced).toBe(points.length);
      const finite = points.filter((each) => Number.isFinite(each.score));
      const sorted = [...finite].sort((a, b) => b.score - a.score);
      for (const { point: each, x } of scored.loud) expect(sorted[x - 1]).toBe(each);
      expect(scored.next).toEqual(sorted.filter((each) => !each.alert).slice(0, keep));
      expect(scored.alerts).toBe(finite.filter((each) => each.alert).length);
    }),
  );
});

test('over time a node needs a time; one moment still has a span', () => {
  const scored = collectScores(
    [
      { name: 'a', score: 1, alert: false, time: 5_000_000n },
      { name: 'b', score: 1, alert: false },
    ],
    'time',
    5,
  );
  expect(scored.unplaced).toBe(1);
  expect(scored.quiet.places).toEqual([5]);
  expect(scored.span).toEqual([-995, 1005]);
});
