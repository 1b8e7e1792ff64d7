import { expect, test } from 'vitest';
import { isModelled } from '../../src/detect/alert-evidence.js';

test.each([
  ['counted', { p: 8 / 347, n: 346, draws: 1, benignQuantile: 339 / 346 }, false],
  ['the floor', { p: 1 / 347, n: 346, draws: 1, benignQuantile: 1 }, false],
  ['inside the sample, below the floor', { p: 3.4e-4, n: 346, draws: 1, benignQuantile: 345 / 346 }, true],
  ['beyond the sample', { p: 1e-6, n: 346, draws: 1, benignQuantile: 1 }, true],
  [
    'counted, the largest of several',
    { p: 1 - (1 - 8 / 347) ** 5, n: 346, draws: 5, benignQuantile: 339 / 346 },
    false,
  ],
  ['nothing to compare with', { p: 1, n: 0, draws: 1, benignQuantile: 0 }, false],
])('%s', (_, evidence, modelled) => {
  expect(isModelled(evidence)).toBe(modelled);
});
