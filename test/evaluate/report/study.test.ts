import { describe, expect, test } from 'vitest';
import { leadingVariant, relationCounts, scoreSamples } from '../../../src/evaluate/report/study.js';
import { smallWorld } from '../small-world.js';
import { resultOf } from './sample-result.js';

describe('scoreSamples', () => {
  const labels = { positives: Uint8Array.of(1, 0, 0, 1, 0), ignored: Uint8Array.of(0, 0, 1, 0, 0) };
  const column = (variant: string, seed: number, ...scores: number[]) => ({
    variant,
    seed,
    ranking: Float64Array.from(scores),
  });

  test('separates labelled nodes, drops ignored ones, and uses the first seed', () => {
    const scores = [
      column('paper', 0, 9, 1, 7, -0.5, 2),
      column('paper', 1, 1, 1, 1, 1, 1),
      column('wo-cd', 0, 5, 4, 3, 2, 1),
    ];
    const { before, after } = scoreSamples({ scores, labels } as never);
    expect(before).toMatchObject({ variant: 'wo-cd', seed: 0 });
    expect([...(before?.attack ?? [])]).toEqual([5, 2]);
    expect([...(before?.benign ?? [])]).toEqual([4, 1]);
    expect(after).toMatchObject({ variant: 'paper', seed: 0 });
    expect([...(after?.attack ?? [])]).toEqual([9]);
    expect([...(after?.benign ?? [])]).toEqual([1, 2]);
    expect([before?.zeros, after?.zeros]).toEqual([
      { benign: 0, attack: 0 },
      { benign: 0, attack: 1 },
    ]);
  });

  test('leaves out variants that were not run', () => {
    expect(scoreSamples({ scores: [column('rarity', 0, 1, 1, 1, 1, 1)], labels } as never)).toEqual({
      before: undefined,
      after: undefined,
    });
  });
});

test('relationCounts: raw events, most frequent first', async () => {
  const { splits } = await smallWorld();
  // Sixty processes open once, read three times and write once.
  expect(relationCounts(splits.train)).toEqual([
    { name: 'EVENT_READ', events: 180 },
    { name: 'EVENT_OPEN', events: 60 },
    { name: 'EVENT_WRITE', events: 60 },
  ]);
});

test('leadingVariant: recal, or paper beside published results, else the first', () => {
  const leads = (names: readonly string[], host?: 'cadets') =>
    leadingVariant(resultOf(Object.fromEntries(names.map((name) => [name, [1]]))), host)[0];
  expect(leads(['paper', 'recal'])).toBe('recal');
  expect(leads(['recal', 'paper'], 'cadets')).toBe('paper');
  expect(leads(['rarity', 'paper'])).toBe('paper');
  expect(leads(['rarity', 'recal'], 'cadets')).toBe('recal');
  expect(leads(['velox', 'rarity'])).toBe('velox');
});
