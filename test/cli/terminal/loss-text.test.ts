import { expect, test } from 'vitest';
import { lossTexts } from '../../../src/cli/terminal/loss-text.js';

const loss = (records: number, from = 0n, to = 60_000_000_000n) => ({
  host: 'web\u001b[1m',
  from: String(from),
  to: String(to),
  records,
  reason: 'serial-gap',
});

test('losses are told with their number, time and host', () => {
  expect(lossTexts([loss(1200), loss(0, 5n, 5n)])).toEqual([
    '1,200 records between 1970-01-01T00:00:00Z and 1970-01-01T00:01:00Z on host web\\e[1m (serial-gap)',
    'records at 1970-01-01T00:00:00Z on host web\\e[1m (serial-gap)',
  ]);
});

test('many losses are cut, and the rest is counted', () => {
  const texts = lossTexts(Array.from({ length: 8 }, () => loss(1)));
  expect(texts).toHaveLength(6);
  expect(texts[5]).toBe('3 more losses');
});
