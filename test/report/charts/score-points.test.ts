import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectScores } from '../../../src/report/charts/score-points.js';

const point = fc.record({
  name: fc.string({ maxLength: 3 }),
  score: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(Number.NaN)),
  alert: fc.boolean(),
  time: fc.bigInt({ min: 0n, max: 10n ** 18n }),
});

test('every point is an alert, another point or not finite, and the order is that of sorting', () => {
  fc.assert(
    fc.property(fc.array(point, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (points, keep) => {
      const collected = collectScores(points, keep);
      expect(collected.count + collected.notFinite).toBe(points.length);
      expect(collected.alerts.length + collected.others.scores.length).toBe(collected.count);
      const finite = points.filter((each) => Number.isFinite(each.score));
      const sorted = [...finite].sort((a, b) => b.score - a.score);
      expect(collected.alerts).toEqual(sorted.filter((each) => each.alert));
      expect(collected.nextHighest).toEqual(sorted.filter((each) => !each.alert).slice(0, keep));
      expect(collected.highest).toBe(Math.max(0, ...finite.map((each) => each.score)));
    }),
  );
});

test('a single moment still has a span', () => {
  const collected = collectScores([{ name: 'a', score: 1, alert: false, time: 5_000_000n }], 5);
  expect(collected.others.times).toEqual([5]);
  expect(collected.span).toEqual([-995, 1005]);
});
