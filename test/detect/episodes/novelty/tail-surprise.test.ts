import { describe, expect, test } from 'vitest';
import { TailSurprise } from '../../../../src/detect/episodes/novelty/tail-surprise.js';

describe('TailSurprise', () => {
  test('is −ln of the share of benign values at least as high', () => {
    const tail = new TailSurprise(Array.from({ length: 1000 }, (_, i) => i / 1000));
    expect(tail.of(0.5)).toBeCloseTo(Math.log(1001 / 500.5), 6);
  });

  test('grows beyond the highest benign value', () => {
    const tail = new TailSurprise(Array.from({ length: 200 }, (_, i) => i / 20));
    expect(tail.of(40)).toBeGreaterThan(tail.of(20) + 5);
  });

  test('counts a nat as a nat where benign episodes are never new', () => {
    const tail = new TailSurprise(new Float64Array(500));
    expect(tail.of(60) - tail.of(30)).toBeCloseTo(30, 6);
  });

  test('orders scores after a calibration of a few episodes, or none', () => {
    for (const values of [[], [0, 1, 2]]) {
      const tail = new TailSurprise(values);
      expect(tail.of(9)).toBeGreaterThan(tail.of(4));
    }
  });
});
