import { describe, expect, test } from 'vitest';
import { rhythmSurprise } from '../../../../src/detect/episodes/novelty/rhythm.js';

const SECOND = 1_000_000_000n;
const times = (...seconds: number[]) => seconds.map((second) => BigInt(second) * SECOND);

describe('rhythmSurprise', () => {
  test('is 0 for fewer than four contacts', () => {
    expect(rhythmSurprise(times(0, 90, 180))).toBe(0);
  });

  test('grows with the number of regular contacts, up to a limit', () => {
    const four = rhythmSurprise(times(0, 90, 181, 270));
    expect(four).toBeGreaterThan(3);
    expect(rhythmSurprise(times(...Array.from({ length: 40 }, (_, i) => 90 * i)))).toBe(10);
    expect(four).toBeLessThan(10);
  });

  test('is 0 for contacts at random, whatever their order', () => {
    expect(rhythmSurprise(times(0, 5, 300, 310, 2000))).toBe(0);
    expect(rhythmSurprise(times(310, 0, 2000, 5, 300))).toBe(0);
  });

  test('is 0 for contacts at one time', () => {
    expect(rhythmSurprise(times(7, 7, 7, 7))).toBe(0);
  });
});
