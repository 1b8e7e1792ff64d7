import { describe, expect, test } from 'vitest';
import { defineSettings, resolveSettings } from '../../../src/base/settings/settings.js';
import { selectionOf, selectionSettings } from '../../../src/cli/settings/selection.js';

const settings = defineSettings(selectionSettings);
const selected = (flags: Record<string, string>) =>
  selectionOf(resolveSettings(settings, { flags, env: {} }).values);

describe('times', () => {
  test.each([
    ['2018-04-06', 1_522_972_800_000_000_000n],
    ['2018-04-06T00:00:00Z', 1_522_972_800_000_000_000n],
    ['2018-04-06T02:00:00.000000001+02:00', 1_522_972_800_000_000_001n],
    ['1522972800000000001', 1_522_972_800_000_000_001n],
    ['-1', -1n],
    [' 0 ', 0n],
  ])('%s', (text, time) => {
    expect(selected({ from: text }).from).toBe(time);
  });

  test.each(['yesterday', '2018-02-30', '2018-04-06T00:00:00', '12345678901234567890', '1e9', ''])(
    'not %j',
    (text) => {
      expect(() => selected({ to: text })).toThrow('option --to: expected 2018-04-06');
    },
  );
});

test('what is not said is not selected by', () => {
  expect(selected({ split: 'train' })).toEqual({ split: 'train' });
});
