import { describe, expect, test } from 'vitest';
import { MOST_ALERTS } from '../../../src/detect/alerts/kept-alerts.js';
import { parseThreshold } from '../../../src/detect/threshold/threshold.js';
import { flag } from '../../../src/evaluate/metrics/flagging.js';
import type { CalibrationOutcome } from '../../../src/evaluate/protocol/variant-group.js';
import { benignOf, runOf } from '../scored-samples.js';

const benign = benignOf();
const outcome: CalibrationOutcome = { benign, over: 'highest' };

const graph = (...values: number[]) => ({
  nodes: Int32Array.from(values, (_, v) => v),
  scores: Float64Array.from(values),
});

const flagOf = (rule: string, values: readonly number[], given = outcome) =>
  flag(parseThreshold(rule, { oracle: true }), runOf(4, [graph(...values)]).scored, given, null);

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
    const { scored } = runOf(4, [graph(3, 2, 1, 0)]);
    const oracle = { f1: 1, threshold: 2 };
    const flagged = flag({ kind: 'oracle' }, scored, { ...outcome, ownThreshold: 10 }, oracle);
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

  test('flags by graph, as recal detect does, and not by scores corrected for their number', () => {
    // Node 0 reaches 8 in one of three graphs; corrected, it would have 8 − ln 3.
    const graphs = [graph(8, 7.9), graph(0, 7.9), graph(0, 7.9)];
    const { scored } = runOf(2, graphs, { over: 'corrected' });
    const { nodes, incidents } = flag(parseThreshold('budget:3/day'), scored, outcome, null);
    expect(nodes).toEqual(Uint8Array.of(1, 0));
    expect(incidents).toEqual([{ nodes: [0] }]);
  });

  test('keeps as many alerts as recal detect, the highest, but all for the oracle', () => {
    const count = MOST_ALERTS + 5;
    const { scored } = runOf(count, [graph(...Array.from({ length: count }, (_, node) => 20 + node))]);
    const { nodes, note } = flag(parseThreshold('budget:3/day'), scored, outcome, null);
    expect([...nodes.subarray(0, 6)]).toEqual([0, 0, 0, 0, 0, 1]);
    expect(nodes.reduce((sum, each) => sum + each, 0)).toBe(MOST_ALERTS);
    expect(note).toContain('10000 highest alerts');
    const oracle = { f1: 1, threshold: 20 };
    expect(flag({ kind: 'oracle' }, scored, outcome, oracle).nodes.every(Boolean)).toBe(true);
  });
});
