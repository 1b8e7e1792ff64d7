import { expect, test } from 'vitest';
import { halvesOf } from '../../../src/detect/calibration/halves.js';

test('the graphs of one host alternate', () => {
  expect(halvesOf([3, 3, 3, 3])).toEqual([0, 1, 0, 1]);
});

test('both halves have graphs of every host, even if hosts alternate', () => {
  const hosts = Array.from({ length: 16 }, (_, g) => g % 2);
  const halves = halvesOf(hosts);
  for (const host of [0, 1]) {
    const own = halves.filter((_, g) => hosts[g] === host);
    expect(own.filter((half) => half === 0)).toHaveLength(4);
  }
});

test('hosts with one graph each alternate', () => {
  expect(halvesOf([0, 1, 2, 3])).toEqual([0, 1, 0, 1]);
});
