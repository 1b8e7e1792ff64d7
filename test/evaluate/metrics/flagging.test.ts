import { describe, expect, test } from 'vitest';
import type { BenignScores } from '../../../src/detect/threshold/benign-scores.js';
import { parseThreshold } from '../../../src/detect/threshold/threshold.js';
import { flag } from '../../../src/evaluate/metrics/flagging.js';
import { NodeScoreCollector, type NodeScores } from '../../../src/evaluate/metrics/node-scores.js';
import type { CalibrationOutcome } from '../../../src/evaluate/protocol/variant-group.js';
import { KeyTable } from '../../../src/store/key-table.js';

/** 1,000 benign instances in a day. Ten of them score 1 to 10. */
const scores = Float32Array.of(10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
const benign: BenignScores = {
  scores,
  instances: 1000,
  hostDays: 1,
  graphs: 4,
  inSample: false,
  thresholds: scores,
  incidents: Uint32Array.from(scores, (_, i) => i + 1),
  without: [],
};
const outcome: CalibrationOutcome = { benign, over: 'highest' };

const keys = new KeyTable();
for (let node = 0; node < 4; node++) keys.intern(0, 0, 0, 0, node + 1);

/** Four nodes in one graph. */
function context(values: readonly number[]) {
  const nodes = Int32Array.of(0, 1, 2, 3);
  const collector = new NodeScoreCollector(4, 'highest');
  collector.add(nodes, { scores: Float64Array.from(values) });
  const found: NodeScores = collector.finish();
  const times = new BigInt64Array(4);
  return { found, context: { graphs: [{ nodes, first: times, last: times }], keys, oracle: null } };
}

const flagOf = (rule: string, values: readonly number[], given = outcome) => {
  const { found, context: of } = context(values);
  return flag(parseThreshold(rule, { oracle: true }), found, given, of);
};

describe('flag', () => {
  test('a budget counts benign incidents', () => {
    const { nodes, threshold, note } = flagOf('budget:3/day', [9, 8, 7.9, 0]);
    expect(nodes).toEqual(Uint8Array.of(1, 1, 0, 0));
    expect(threshold).toEqual({
      kind: 'budget',
      asked: 'budget:3/day',
      value: 8,
      oracle: false,
      mark: null,
    });
    expect(note).toBeNull();
  });

  test('a budget below the resolution of the calibrate split is marked', () => {
    const { threshold, note, nodes } = flagOf('budget:1/week', [10, 11, 0, 0]);
    expect(threshold.mark).toBe('unresolved');
    expect(note).toContain('budget:1/week');
    expect(nodes).toEqual(Uint8Array.of(0, 1, 0, 0));
  });

  test('a rate counts benign instances, and compares scores as float32', () => {
    const third = { ...benign, scores: Float32Array.of(1 / 3), thresholds: Float32Array.of(1 / 3) };
    const { nodes } = flagOf('fpr:0.001', [1 / 3, 0.3, 0, 1], { ...outcome, benign: third });
    expect(nodes).toEqual(Uint8Array.of(1, 0, 0, 1));
  });

  test('an own threshold flags the scores above it', () => {
    const { nodes, threshold } = flagOf('budget:3/day', [10, 10.1, 3, 0], { ...outcome, ownThreshold: 10 });
    expect(nodes).toEqual(Uint8Array.of(0, 1, 0, 0));
    expect(threshold).toMatchObject({ kind: 'score', oracle: false });
  });

  test('the oracle gives the threshold, or none without positives', () => {
    const { found, context: of } = context([3, 2, 1, 0]);
    const oracle = { f1: 1, threshold: 2 };
    const flagged = flag({ kind: 'oracle' }, found, { ...outcome, ownThreshold: 10 }, { ...of, oracle });
    expect(flagged.nodes).toEqual(Uint8Array.of(1, 1, 0, 0));
    expect(flagged.threshold).toMatchObject({ kind: 'oracle', value: 2, oracle: true });
    expect(flagOf('oracle', [3, 2, 1, 0]).threshold.value).toBeNull();
  });

  test('a false discovery rate over four nodes with p of 1, 1, 7 and 1001 in 1001', () => {
    const { nodes, threshold, note } = flagOf('fdr:0.01', [20, 11, 4.5, 0]);
    expect(nodes).toEqual(Uint8Array.of(1, 1, 1, 0)); // 7/1001 ≤ 3 · 0.01 / 4
    expect(threshold).toMatchObject({ kind: 'fdr', value: 4.5, mark: 'nominal' });
    expect(note).toContain('nominal');
    const strict = flagOf('fdr:0.0001', [20, 11, 4.5, 0]);
    expect(strict.nodes.some(Boolean)).toBe(false);
    expect(strict.threshold.value).toBeNull();
    expect(strict.note).toContain('40 nodes');
  });
});
