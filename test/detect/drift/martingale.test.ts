import { describe, expect, test } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { ScoreMartingale } from '../../../src/detect/drift/martingale.js';
import type { BenignCurve } from '../../../src/detect/threshold/threshold.js';

const SIZE = 50;

/** Benign scores of graphs with different loads, described as calibration does. */
function benignOf(random: Random, graphs: number): BenignCurve {
  const all = Array.from({ length: graphs }, () => windowOf(random));
  const descending = (of: readonly number[][]) => Float32Array.from(of.flat()).sort().reverse();
  const scores = descending(all);
  const thresholds = scores.filter((score, i) => i === 0 || score !== scores[i - 1]);
  const days = (count: number) => count / 48;
  return {
    scores,
    thresholds,
    graphs,
    instances: scores.length,
    hostDays: days(graphs),
    incidents: Uint32Array.from(thresholds, (_, i) => i + 1),
    without: all.map((_, left) => {
      const rest = descending(all.filter((_, graph) => graph !== left));
      return {
        hostDays: days(graphs - 1),
        instances: rest.length,
        incidents: new Uint32Array(0),
        above: countAbove(rest, thresholds),
      };
    }),
  };
}

/** Both arrays descend. */
function countAbove(scores: Float32Array, thresholds: Float32Array): Uint32Array {
  let above = 0;
  return Uint32Array.from(thresholds, (tau) => {
    while (above < scores.length && scores[above] >= tau) above++;
    return above;
  });
}

function windowOf(random: Random, by = 1): number[] {
  const load = 0.8 + 0.4 * random.float();
  return Array.from({ length: SIZE }, () => by * load * random.exponential(1));
}

const NANOS = 1_800_000_000_000n;

describe('the martingale', () => {
  test('rarely reaches 1/level without change, even over a long time', () => {
    let reached = 0;
    for (let seed = 0; seed < 40; seed++) {
      const random = new Random(seed);
      const martingale = new ScoreMartingale(benignOf(random, 20), 0.05);
      for (let window = 0; window < 150; window++) martingale.add(windowOf(random), BigInt(window) * NANOS);
      const { reachedTs, most, windows } = martingale.finish();
      expect(windows).toBe(150);
      expect(reachedTs !== null).toBe(most >= 20);
      if (reachedTs !== null) reached++;
    }
    expect(reached / 40).toBeLessThanOrEqual(0.1);
  });

  test('finds and dates a change', () => {
    for (let seed = 0; seed < 10; seed++) {
      const random = new Random(seed);
      const martingale = new ScoreMartingale(benignOf(random, 20), 0.01);
      for (let window = 0; window < 140; window++) {
        martingale.add(windowOf(random, window < 80 ? 1 : 2), BigInt(window) * NANOS);
      }
      const { sinceTs, reachedTs, above, against } = martingale.finish();
      expect(Number((sinceTs as bigint) / NANOS)).toBeGreaterThanOrEqual(60);
      expect(Number((sinceTs as bigint) / NANOS)).toBeLessThanOrEqual(86);
      expect(Number((reachedTs as bigint) / NANOS)).toBeLessThanOrEqual(120);
      expect(above.p90).toBeGreaterThan(against.p90);
    }
  });

  test('gains nothing from lower scores or an empty window', () => {
    const random = new Random(1);
    const martingale = new ScoreMartingale(benignOf(random, 20), 0.01);
    for (let window = 0; window < 50; window++) martingale.add(windowOf(random, 0.2), 0n);
    martingale.add([], 0n);
    const { most, windows, sinceTs } = martingale.finish();
    expect([most, windows, sinceTs]).toEqual([1, 50, null]);
  });

  test('does not overflow', () => {
    const martingale = new ScoreMartingale(benignOf(new Random(1), 20), 0.01);
    for (let window = 0; window < 300; window++) martingale.add(new Array(SIZE).fill(1e6), 0n);
    expect(martingale.finish().capital).toBeGreaterThan(1e11);
    expect(Number.isFinite(martingale.finish().most)).toBe(true);
  });

  test('starts at a capital of 1', () => {
    const none = new ScoreMartingale(benignOf(new Random(1), 2), 0.01).finish();
    expect(none).toMatchObject({ windows: 0, capital: 1, most: 1, sinceTs: null, above: { p90: 0, p99: 0 } });
  });
});
