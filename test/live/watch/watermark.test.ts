import { expect, it } from 'vitest';
import { floorTo, Watermark } from '../../../src/live/watch/watermark.js';

const SECOND = 1_000_000_000n;

it('follows the slowest host, and the clock where nothing comes', () => {
  const watermark = new Watermark(2000);
  expect(watermark.at(0)).toBeUndefined();
  watermark.see('a', 100n * SECOND, 1000);
  watermark.see('b', 90n * SECOND, 1000);
  expect(watermark.at(1000)).toBe(88n * SECOND);
  expect(watermark.at(6000)).toBe(93n * SECOND);
  watermark.see('b', 80n * SECOND, 6000);
  expect(watermark.at(6000)).toBe(93n * SECOND);
  expect(watermark.latest).toBe(100n * SECOND);
});

it('rounds down, also before 1970', () => {
  expect(floorTo(7n, 5n)).toBe(5n);
  expect(floorTo(-7n, 5n)).toBe(-10n);
});
