import { expect, test } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { ScoreScale } from '../../../src/detect/calibration/score-scale.js';

const random = new Random(7);
const scores = Array.from({ length: 2000 }, () => random.exponential(3));

test('below the tail, the scale is the share of benign instances that score at least as much', () => {
  const scale = ScoreScale.of(scores, 4000);
  const atLeast = scores.filter((score) => Math.fround(score) >= 1).length;
  expect(scale.measure(1)).toBeCloseTo(-Math.log((1 + atLeast) / 4001), 12);
  expect(scale.measure(0)).toBe(0);
});

test('the scale rises with the score, even beyond every benign score', () => {
  const scale = ScoreScale.of(scores, 2000);
  let before = 0;
  for (let score = 0.5; score < 200; score *= 1.2) {
    const measured = scale.measure(score);
    expect(measured).toBeGreaterThanOrEqual(before);
    before = measured;
  }
  // For an exponential distribution of mean 3, −ln P(X > 60) is 20.
  expect(scale.measure(60)).toBeGreaterThan(12);
  expect(scale.measure(60)).toBeLessThan(28);
});

test('the scale does not depend on the order of scores', () => {
  expect(ScoreScale.of([...scores].reverse(), 2000)).toEqual(ScoreScale.of(scores, 2000));
});
