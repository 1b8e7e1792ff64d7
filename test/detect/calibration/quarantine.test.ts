import { describe, expect, test } from 'vitest';
import {
  isSampleKeptOut,
  QuarantineBuilder,
  quarantine,
} from '../../../src/detect/calibration/quarantine.js';
import type { Lineage } from '../../../src/detect/fusion/lineage.js';
import type { ScoredGraph } from '../../../src/detect/fusion/scored-graph.js';
import type { GraphView } from '../../../src/detect/graph-view.js';

/** A graph whose events begin at `row` and whose nodes are numbered from `node` on. */
function scored(row: number, scores: readonly number[], from?: readonly number[], node = 0): ScoredGraph {
  const nodes = Int32Array.from(scores, (_, v) => node + v);
  const view = { planned: { nodes, rows: Int32Array.of(row, row + 1) } } as GraphView;
  const lineage: Lineage | undefined =
    from === undefined
      ? undefined
      : {
          own: Float64Array.from(scores),
          inherited: Float64Array.from(from, (actor) => (actor < 0 ? 0 : 0.5)),
          from: Int32Array.from(from),
        };
  return { view, scores: Float64Array.from(scores), lineage } as ScoredGraph;
}

describe('kept-out instances', () => {
  test('are those that score at least τ, in that graph', () => {
    const { counts, isKeptOut, tau } = quarantine([scored(0, [1, 5, 4.9]), scored(10, [9, 0, 0])], 5);
    expect([tau, counts]).toEqual([5, { instances: 6, high: 2, inherited: 0, nodes: 2, graphs: 2 }]);
    const marks = (row: number) => [0, 1, 2].map((node) => isKeptOut(scored(row, [0, 0, 0]).view, node));
    expect(marks(0)).toEqual([false, true, false]);
    expect(marks(10)).toEqual([true, false, false]);
    expect(marks(20)).toEqual([false, false, false]);
  });

  test('include what inherited from them, directly or through others', () => {
    const marks = new QuarantineBuilder(5).add(scored(0, [0, 0, 8, 0, 0], [1, 2, -1, 4, -1]));
    expect([...marks].map((mark) => mark !== 0)).toEqual([true, true, true, false, false]);
    const { counts } = quarantine([scored(0, [0, 0, 8, 0, 0], [1, 2, -1, 4, -1])], 5);
    expect(counts).toMatchObject({ high: 1, inherited: 2, nodes: 3, graphs: 1 });
  });

  test('do not include two nodes that inherit only from each other', () => {
    expect([...new QuarantineBuilder(5).add(scored(0, [0, 0], [1, 0]))]).toEqual([0, 0]);
  });

  test('never include a score of 0', () => {
    expect(quarantine([scored(0, [0, 0.1])], 0).counts.high).toBe(1);
    expect(quarantine([], 5).counts).toEqual({ instances: 0, high: 0, inherited: 0, nodes: 0, graphs: 0 });
    expect(() => quarantine([], Number.NaN)).toThrow(RangeError);
  });
});

test('samples of an interaction are kept out for both nodes, other samples only for their own node', () => {
  // Nodes 0 and 2 act on node 1.
  const view = {
    interactions: { length: 2, subject: Int32Array.of(0, 2), object: Int32Array.of(1, 1) },
  } as GraphView;
  const isKeptOut = (_: GraphView, node: number) => node === 0;
  const rows = [0, 2, 1, 1].map((node, row) => isSampleKeptOut('name', view, node, row, isKeptOut));
  expect(rows).toEqual([true, false, true, false]);
  expect(isSampleKeptOut('reconstruction', view, 1, 0, isKeptOut)).toBe(false);
  expect(isSampleKeptOut('distance', view, 0, 3, isKeptOut)).toBe(true);
});
