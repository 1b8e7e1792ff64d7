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
    const scores = [column('paper', 0, 9, 1, 7, -0.5, 2), column('paper', 1, 1, 1, 1, 1, 1)];
    const { fused } = scoreSamples({ scores, labels, errors: [] } as never);
    expect(fused).toMatchObject({ variant: 'paper', seed: 0, zeros: { benign: 0, attack: 1 } });
    expect([...(fused?.attack ?? [])]).toEqual([9]);
    expect([...(fused?.benign ?? [])]).toEqual([1, 2]);
  });

  test('before calibration are the raw errors of each relation, not distances', () => {
    const rows = {
      relations: ['READ', 'EXECUTE'],
      nodes: Int32Array.of(0, 1, 2, 3, 4, 4),
      relation: Uint16Array.of(0, 0, 0, 1, 0, 1),
      errors: Float32Array.of(0.5, 0.25, 9, 1.5, 0.125, 1),
      logP: Float32Array.from([1e-3, 0.5, 1, 1e-2, 1, 0.1], Math.log),
    };
    const scores = [column('wo-cd', 0, 5, 4, 3, 2, 1)];
    const errors = [{ variant: 'paper', seed: 0, rows }];
    const found = scoreSamples({ scores, labels, errors } as never).errors;
    expect(found).toMatchObject({ variant: 'paper', seed: 0, others: 0 });
    expect(found?.samples.map(({ relation, labelled, errors: raw }) => [relation, labelled, ...raw])).toEqual(
      [
        ['READ', false, 0.25, 0.125],
        ['READ', true, 0.5],
        ['EXECUTE', false, 1],
        ['EXECUTE', true, 1.5],
      ],
    );
    expect(found?.samples[1].calibrated[0]).toBeCloseTo(3, 5);
  });

  test('leaves out variants that were not run', () => {
    const scores = [column('rarity', 0, 1, 1, 1, 1, 1)];
    expect(scoreSamples({ scores, labels, errors: [] } as never)).toEqual({
      errors: undefined,
      fused: undefined,
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
