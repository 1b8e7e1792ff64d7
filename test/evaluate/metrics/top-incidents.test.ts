import { describe, expect, test } from 'vitest';
import { LinkCollector } from '../../../src/detect/alerts/incident-links.js';
import { NodeScoreCollector } from '../../../src/evaluate/metrics/node-scores.js';
import {
  countFalseIncidents,
  hostDaysOf,
  TOP_NODES,
  topIncidents,
} from '../../../src/evaluate/metrics/top-incidents.js';
import { eventsOf } from '../scored-samples.js';

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

describe('topIncidents', () => {
  test('does not prefer the first of equal nodes', () => {
    const count = 2 * TOP_NODES;
    const events = eventsOf([{ node: 0, ts: 0n }], new Array(count).fill(0));
    const nodes = Int32Array.from({ length: count }, (_, node) => node);
    const at = new BigInt64Array(count);
    const collector = new NodeScoreCollector(count, 'highest');
    collector.add(nodes, { scores: Float64Array.from(nodes, (node) => (node === 7 ? 9 : 1)) });
    const none = new Int32Array(count).fill(-1);
    const names = { types: new Uint8Array(count), parent: none, name: none };
    const links = new LinkCollector(names, events.table, () => 0).finish();
    const graphs = [{ nodes, first: at, last: at }];
    const incidents = topIncidents({ nodeScores: collector.finish(), graphs, links, events });
    const top = incidents.flatMap(({ nodes: members }) => [...(members as number[])]);
    expect(top[0]).toBe(7);
    expect(new Set(top).size).toBe(TOP_NODES);
    expect(top.filter((node) => node >= TOP_NODES).length).toBeGreaterThan(TOP_NODES / 4);
  });

  test('uses the highest hundred nodes, in every graph in which they score high enough', () => {
    const count = TOP_NODES + 20;
    const events = eventsOf([{ node: 0, ts: 0n }], new Array(count).fill(0));
    const nodes = Int32Array.from({ length: count }, (_, node) => node);
    const times = (hour: number) => new BigInt64Array(count).fill(BigInt(hour) * 3_600_000_000_000n);
    const graphs = [0, 5].map((hour) => ({ nodes, first: times(hour), last: times(hour) }));
    const collector = new NodeScoreCollector(count, 'highest');
    collector.add(nodes, { scores: Float64Array.from(nodes, (node) => node + 1) });
    // In the second graph, five hours later, only the highest node scores high again.
    collector.add(nodes, { scores: Float64Array.from(nodes, (node) => (node === count - 1 ? 500 : 0.5)) });
    const none = new Int32Array(count).fill(-1);
    const names = { types: new Uint8Array(count), parent: none, name: none };
    const links = new LinkCollector(names, events.table, () => 0).finish();
    const incidents = topIncidents({ nodeScores: collector.finish(), graphs, links, events });
    expect(incidents).toHaveLength(TOP_NODES + 1); // no two nodes are linked
    expect(incidents.slice(0, 3).map(({ nodes: members }) => [...(members as number[])])).toEqual([
      [count - 1],
      [count - 1],
      [count - 2],
    ]);
    expect(incidents.at(-1)?.nodes).toEqual([20]);
  });
});

test('false incidents have no labelled member and at least one member that is not ignored', () => {
  const events = eventsOf([{ node: 0, ts: 0n }], new Array(6).fill(0));
  const nodes = Int32Array.of(0, 1, 2, 3, 4, 5);
  const at = new BigInt64Array(6);
  const collector = new NodeScoreCollector(6, 'highest');
  collector.add(nodes, { scores: Float64Array.of(9, 8, 7, 6, 5, 1) });
  // 1 is a child of 0, which is labelled. 2, 3 and 4 have no links. 5 is below the threshold.
  const parent = Int32Array.of(-1, 0, -1, -1, -1, -1);
  const names = { types: new Uint8Array(6), parent, name: new Int32Array(6).fill(-1) };
  const links = new LinkCollector(names, events.table, () => 0).finish();
  const count = (ignored: Uint8Array, value: number | null) =>
    countFalseIncidents(
      { nodes: Uint8Array.of(1, 1, 1, 1, 1, 0), threshold: { kind: 'budget', value, oracle: false } },
      { positives: Uint8Array.of(1, 0, 0, 0, 0, 0), ignored },
      { nodeScores: collector.finish(), graphs: [{ nodes, first: at, last: at }], links, events },
    );
  expect(count(new Uint8Array(6), 5)).toBe(3);
  expect(count(Uint8Array.of(0, 0, 1, 0, 0, 0), 5)).toBe(2);
  expect(count(new Uint8Array(6), null)).toBe(0);
});
