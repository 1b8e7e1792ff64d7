import { describe, expect, test } from 'vitest';
import { hostDaysOf } from '../../../src/detect/episodes/trees/host-days.js';
import { countFalseIncidents, TOP_NODES, TopIncidents } from '../../../src/evaluate/metrics/top-incidents.js';
import { eventsOf, runOf } from '../scored-samples.js';

const DAY = 86_400_000_000_000n;

describe('hostDaysOf', () => {
  test('adds the span of each host', () => {
    const rows = [
      { node: 0, ts: 0n },
      { node: 1, ts: DAY },
      { node: 0, ts: 2n * DAY },
      { node: 1, ts: (3n * DAY) / 2n },
    ];
    expect(hostDaysOf(eventsOf(rows, [0, 1]))).toBeCloseTo(2.5, 12);
    expect(hostDaysOf(eventsOf([], [0]))).toBe(0);
  });
});

const members = (incidents: readonly { nodes: ArrayLike<number> }[]) =>
  incidents.map(({ nodes }) => Array.from(nodes));

describe('TopIncidents', () => {
  test('does not prefer the first of equal nodes', () => {
    const count = 2 * TOP_NODES;
    const nodes = Int32Array.from({ length: count }, (_, node) => node);
    const { scored } = runOf(count, [{ nodes, scores: Float64Array.from(nodes, (v) => (v === 7 ? 9 : 1)) }]);
    const top = members(new TopIncidents(scored).form()).flat();
    expect(top[0]).toBe(7);
    expect(new Set(top).size).toBe(TOP_NODES);
    expect(top.filter((node) => node >= TOP_NODES).length).toBeGreaterThan(TOP_NODES / 4);
  });

  test('uses the highest hundred nodes, in every graph in which they score high enough', () => {
    const count = TOP_NODES + 20;
    const nodes = Int32Array.from({ length: count }, (_, node) => node);
    const quiet = { nodes, scores: new Float64Array(count) };
    // Five hours later, only the highest node scores high again.
    const later = Float64Array.from(nodes, (node) => (node === count - 1 ? 500 : 0.5));
    const graphs = [
      { nodes, scores: Float64Array.from(nodes, (node) => node + 1) },
      ...new Array(4).fill(quiet),
      { nodes, scores: later },
    ];
    const incidents = members(new TopIncidents(runOf(count, graphs).scored).form());
    expect(incidents).toHaveLength(TOP_NODES + 1); // no two nodes are linked
    expect(incidents.slice(0, 3)).toEqual([[count - 1], [count - 1], [count - 2]]);
    expect(incidents.at(-1)).toEqual([20]);
  });

  test('leaves out nodes that score 0', () => {
    const nodes = Int32Array.of(0, 1, 2);
    const graph = { nodes, scores: Float64Array.of(0, 4, 0), distances: Float64Array.of(9, 1, 8) };
    expect(members(new TopIncidents(runOf(3, [graph]).scored).form())).toEqual([[1]]);
    const none = { ...graph, scores: new Float64Array(3) };
    expect(new TopIncidents(runOf(3, [none]).scored).form()).toEqual([]);
  });
});

test('false incidents have no labelled member and at least one member that is not ignored', () => {
  const incidents = [{ nodes: [0, 1] }, { nodes: [2] }, { nodes: [3] }, { nodes: [4, 2] }];
  const positives = Uint8Array.of(1, 0, 0, 0, 0);
  expect(countFalseIncidents(incidents, { positives, ignored: new Uint8Array(5) })).toBe(3);
  expect(countFalseIncidents(incidents, { positives, ignored: Uint8Array.of(0, 0, 1, 0, 0) })).toBe(2);
  expect(countFalseIncidents([], { positives, ignored: new Uint8Array(5) })).toBe(0);
});
