import { beforeAll, describe, expect, test } from 'vitest';
import { parseThreshold } from '../../../src/detect/threshold/threshold.js';
import type { MeasureOptions } from '../../../src/evaluate/evaluation.js';
import { parseLabels } from '../../../src/evaluate/labels/parse-labels.js';
import { Measurements } from '../../../src/evaluate/protocol/measurements.js';
import type { ScoredRun } from '../../../src/evaluate/protocol/scored-run.js';
import type { Splits } from '../../../src/evaluate/protocol/splits.js';
import { VariantRunner } from '../../../src/evaluate/protocol/variant-runner.js';
import { INTRUDERS, LOOT, quickVariant, smallWorld } from '../small-world.js';

let splits: Splits;
let run: ScoredRun;
let hashes: Uint32Array;
beforeAll(async () => {
  ({ splits } = await smallWorld());
  const runner = new VariantRunner({ splits, variants: [quickVariant('rarity')], seeds: [0], threads: 1 });
  run = (await runner.runs().next()).value as ScoredRun;
  // Two words per node, so that each node has a behaviour of its own.
  hashes = Uint32Array.from({ length: 2 * splits.test.events.keys.size }, (_, i) => i);
});

const options = (more: Partial<MeasureOptions> = {}): MeasureOptions => ({
  labels: parseLabels([...INTRUDERS, ...LOOT].join('\n'), 'labels.txt'),
  tier: 'all',
  protocol: 'paper',
  matching: 'node',
  threshold: parseThreshold('oracle', { oracle: true }),
  ...more,
});

describe('Measurements', () => {
  test('counts by scores and labels, independent of other measurements', () => {
    const scores = run.nodeScores.scores;
    const isIntruder = (v: number) => INTRUDERS.includes(splits.test.events.uuid(v));
    const one = new Measurements(splits, options());
    const other = new Measurements(
      splits,
      options({ labels: parseLabels(INTRUDERS.join('\n'), 'labels.txt') }),
    );
    for (const each of [one, other]) each.add(run, hashes, []);
    expect(one.measured[0].measured.result).toMatchObject({ seed: 0, tp: 4, fp: 0, fn: 0, f1: 1 });
    const [{ measured }] = other.measured;
    // The stolen files score as high as the intruders, and are not labelled here.
    const { value } = measured.result.threshold;
    const flagged = [...scores.keys()].filter((v) => scores[v] >= (value as number));
    expect(measured.result.tp).toBe(flagged.filter(isIntruder).length);
    expect(measured.result.fp).toBe(flagged.filter((v) => !isIntruder(v)).length);
    expect(measured.result.behaviours).toBe(scores.length);
    expect(measured.result.timings).toEqual(run.seconds);
  });

  test('keeps the curves of every seed, or of the first', () => {
    const counts = [false, true].map((firstCurves) => {
      const measurements = new Measurements(splits, options({ firstCurves }));
      for (const seed of [0, 1, 2]) measurements.add({ ...run, seed }, hashes, []);
      expect(measurements.measured).toHaveLength(3);
      return measurements.curves.rarity.map(({ seed }) => seed);
    });
    expect(counts).toEqual([[0, 1, 2], [0]]);
  });

  test('refuses labels that match no node', () => {
    const labels = parseLabels('nobody\n', 'labels.txt');
    expect(() => new Measurements(splits, options({ labels }))).toThrow(
      expect.objectContaining({ code: 'labels-no-match' }),
    );
  });
});
