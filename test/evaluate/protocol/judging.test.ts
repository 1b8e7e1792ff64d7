import { beforeAll, describe, expect, test } from 'vitest';
import { parseThreshold } from '../../../src/detect/threshold/threshold.js';
import type { JudgeOptions } from '../../../src/evaluate/evaluation.js';
import { parseLabels } from '../../../src/evaluate/labels/labels.js';
import { Contest, type Verdict } from '../../../src/evaluate/protocol/contest.js';
import { Judging } from '../../../src/evaluate/protocol/judging.js';
import type { Parts } from '../../../src/evaluate/protocol/parts.js';
import { INTRUDERS, LOOT, quickVariant, smallWorld } from '../small-world.js';

let parts: Parts;
let verdict: Verdict;
let hashes: Uint32Array;
beforeAll(async () => {
  ({ parts } = await smallWorld());
  const contest = new Contest({ parts, variants: [quickVariant('rarity')], seeds: [0], threads: 1 });
  verdict = (await contest.verdicts().next()).value as Verdict;
  // Two words a node; each node a behaviour of its own.
  hashes = Uint32Array.from({ length: 2 * parts.test.events.keys.size }, (_, i) => i);
});

const judge = (more: Partial<JudgeOptions> = {}): JudgeOptions => ({
  labels: parseLabels([...INTRUDERS, ...LOOT].join('\n'), 'labels.txt'),
  tier: 'all',
  protocol: 'paper',
  matching: 'node',
  threshold: parseThreshold('oracle', { oracle: true }),
  ...more,
});

describe('Judging', () => {
  test('counts as the scores and the labels say, each judging by itself', () => {
    const scores = verdict.found.scores;
    const isIntruder = (v: number) => INTRUDERS.includes(parts.test.events.uuid(v));
    const one = new Judging(parts, judge());
    const other = new Judging(parts, judge({ labels: parseLabels(INTRUDERS.join('\n'), 'labels.txt') }));
    for (const judging of [one, other]) judging.measure(verdict, hashes);
    expect(one.measured[0].measured.result).toMatchObject({ seed: 0, tp: 4, fp: 0, fn: 0, f1: 1 });
    const [{ measured }] = other.measured;
    // The loot scores as high as who took it, and is not in these labels.
    const { value } = measured.result.threshold;
    const flagged = [...scores.keys()].filter((v) => scores[v] >= (value as number));
    expect(measured.result.tp).toBe(flagged.filter(isIntruder).length);
    expect(measured.result.fp).toBe(flagged.filter((v) => !isIntruder(v)).length);
    expect(measured.result.behaviours).toBe(scores.length);
    expect(measured.result.timings).toEqual(verdict.seconds);
  });

  test('curves of every seed, or of the first', () => {
    const counts = [false, true].map((firstCurves) => {
      const judging = new Judging(parts, judge({ firstCurves }));
      for (const seed of [0, 1, 2]) judging.measure({ ...verdict, seed }, hashes);
      expect(judging.measured).toHaveLength(3);
      return judging.curves.rarity.map(({ seed }) => seed);
    });
    expect(counts).toEqual([[0, 1, 2], [0]]);
  });

  test('labels of nobody are refused at once', () => {
    const labels = parseLabels('nobody\n', 'labels.txt');
    expect(() => new Judging(parts, judge({ labels }))).toThrow(/none of the 1 labels/);
  });
});
