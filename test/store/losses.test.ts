import { expect, test } from 'vitest';
import { LossCollector } from '../../src/store/losses.js';

const SECOND = 1_000_000_000n;
const loss = (
  from: bigint,
  to: bigint,
  records: number,
  reason = 'serial-gap',
  host: string | undefined = 'web',
) => ({
  host,
  from,
  to,
  records,
  reason,
});

test('neighbouring losses of one host and reason are one', () => {
  const losses = new LossCollector();
  losses.add(loss(0n, SECOND, 5), undefined);
  losses.add(loss(40n * SECOND, 50n * SECOND, 2), undefined);
  losses.add(loss(41n * SECOND, 42n * SECOND, 1, 'throttle'), undefined);
  losses.add(loss(500n * SECOND, 501n * SECOND, 9), undefined);
  expect(losses.stored).toEqual([
    { host: 'web', from: '0', to: String(50n * SECOND), records: 7, reason: 'serial-gap' },
    { host: 'web', from: String(41n * SECOND), to: String(42n * SECOND), records: 1, reason: 'throttle' },
    { host: 'web', from: String(500n * SECOND), to: String(501n * SECOND), records: 9, reason: 'serial-gap' },
  ]);
});

test('the given host replaces that of the log, and a loss without a host has an unknown one', () => {
  const losses = new LossCollector();
  losses.add({ ...loss(0n, 1n, 1, 'drop'), host: undefined }, undefined);
  losses.add(loss(0n, 1n, 1, 'drop', 'a'), 'given');
  expect(losses.stored.map(({ host }) => host)).toEqual(['unknown', 'given']);
});

test('a log full of losses stays small, and no record is lost from the count', () => {
  const losses = new LossCollector();
  for (let i = 0n; i < 3000n; i++) losses.add(loss(i * 1000n * SECOND, i * 1000n * SECOND, 1), undefined);
  const { stored } = losses;
  expect(stored).toHaveLength(1000);
  expect(stored.reduce((sum, { records }) => sum + records, 0)).toBe(3000);
});
