import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ConfigSetting } from '../../../src/base/settings/config-setting.js';
import { DETECTION_SETTINGS } from '../../../src/detect/detection-config.js';
import { TRAINING_SETTINGS } from '../../../src/model/training/training-config.js';

const settings = Object.entries<ConfigSetting>({ ...TRAINING_SETTINGS, ...DETECTION_SETTINGS });
const keysOf = (origin: ConfigSetting['origin']) =>
  settings.filter(([, setting]) => setting.origin === origin).map(([key]) => key);

test('only what the paper gives is marked as its own', () => {
  expect(keysOf('paper')).toEqual([
    'graph',
    'inputBlocks',
    'targetBlocks',
    'balanced',
    'learningRate',
    'epochs',
    'seed',
    'evidence',
    'calibration',
    'tables',
    'gate',
    'fusion',
  ]);
  expect(keysOf('implied')).toEqual(['encoder', 'gamma', 'tail', 'halves', 'rounds']);
  for (const key of ['gateQuantile', 'neighbours', 'maskBase', 'history'])
    expect(keysOf('ours')).toContain(key);
});

test('no reason claims a value for the paper that it does not give', () => {
  for (const [key, { origin, reason }] of settings) {
    expect(reason, key).not.toContain('[p]');
    if (origin !== 'paper') expect(reason, key).not.toMatch(/value of the paper|paper's value/);
  }
});

test('the page of the method and the page of settings agree', () => {
  const read = (path: string) => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8');
  const method = read('concepts/method.md').replace(/\s+/g, ' ');
  expect(method).toContain('Its sweeps imply K = 5 and γ = 0.5');
  expect(method).toContain('the gate at the 90th percentile, the held-out fifth');
  const page = read('reference/settings.md');
  for (const [key, { origin }] of settings) {
    const row = page
      .split('\n')
      .find((line) => new RegExp(`^\\| \`(--)?${key}\` \\|.*\\| ${origin} \\|`).test(line));
    expect(row, key).toBeDefined();
  }
});
