import { describe, expect, test } from 'vitest';
import { Random } from '../../../../src/base/random.js';
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

  test('counts at most a nat as a nat, and less the fewer benign values there are', () => {
    const growth = (count: number) => {
      const tail = new TailSurprise(new Float64Array(count));
      return tail.of(60) - tail.of(30);
    };
    // 252 ln(312/282), where the largest 250 of many benign values and two assumed ones make the tail.
    expect(growth(10_000)).toBeCloseTo(252 * Math.log((252 + 60) / (252 + 30)), 6);
    expect(growth(100)).toBeLessThan(growth(1000));
    expect(growth(10_000)).toBeLessThan(30);
  });

  test('knows how little five values say of the tail', () => {
    const random = new Random(1);
    const draw = () => 3 * random.exponential(1);
    const draws = 40_000;
    let surprising = 0;
    for (let i = 0; i < draws; i++) {
      const tail = new TailSurprise(Array.from({ length: 50 }, draw));
      if (tail.of(draw()) >= Math.log(1000)) surprising++;
    }
    // One in a thousand would be exact. Taking the estimated mean for the true one gives 5.7.
    expect(surprising / draws).toBeLessThan(0.003);
    expect(surprising / draws).toBeGreaterThan(0.0005);
  });

  test('orders scores after a calibration of a few episodes, or none', () => {
    for (const values of [[], [0, 1, 2]]) {
      const tail = new TailSurprise(values);
      expect(tail.of(9)).toBeGreaterThan(tail.of(4));
    }
  });
});
