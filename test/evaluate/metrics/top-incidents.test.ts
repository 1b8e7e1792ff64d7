import { describe, expect, test } from 'vitest';
import { LinkCollector } from '../../../src/detect/alerts/incident-links.js';
import { ScoreTally } from '../../../src/evaluate/metrics/node-scores.js';
import {
  countFalseIncidents,
  highestNodes,
  hostDaysOf,
  TOP_NODES,
  topIncidents,
} from '../../../src/evaluate/metrics/top-incidents.js';
import { KeyTable } from '../../../src/store/key-table.js';
import type { LoadedEvents } from '../../../src/store/load.js';

const DAY = 86_400_000_000_000n;

/** Events without interactions: nodes of hosts at times. */
function eventsOf(rows: readonly { node: number; ts: bigint }[], hosts: readonly number[]): LoadedEvents {
  const keys = new KeyTable();
  for (const [node, host] of hosts.entries()) keys.intern(host, 0, 0, 0, node + 1);
  const none = () => new Int32Array(rows.length).fill(-1);
  const table = {
    length: rows.length,
    nodeCount: hosts.length,
    relations: ['EVENT_READ'],
    ts: BigInt64Array.from(rows, ({ ts }) => ts),
    seq: new BigInt64Array(rows.length),
    subject: Int32Array.from(rows, ({ node }) => node),
    object: none(),
    object2: none(),
    relation: new Uint16Array(rows.length),
    flow: new Uint8Array(rows.length),
  };
  return { table, keys, hosts: ['a', 'b'], files: new Int32Array(rows.length), uuid: String };
}

describe('hostDaysOf', () => {
  test('each host by its own span', () => {
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

describe('highestNodes', () => {
  test('by score; of equal ones not simply the first', () => {
    const events = eventsOf([], new Array(50).fill(0));
    const ranking = new Float64Array(50).fill(1);
    ranking[7] = 9;
    const top = highestNodes(ranking, 10, events);
    expect(top[0]).toBe(7);
    expect(top).toHaveLength(10);
    expect(new Set(top).size).toBe(10);
    expect([...top.subarray(1)]).not.toEqual([0, 1, 2, 3, 4, 5, 6, 8, 9]);
    expect(highestNodes(ranking, 100, events)).toHaveLength(50);
  });
});

describe('topIncidents', () => {
  test('the highest hundred, in every graph in which they are as high as that', () => {
    const count = TOP_NODES + 20;
    const events = eventsOf([{ node: 0, ts: 0n }], new Array(count).fill(0));
    const nodes = Int32Array.from({ length: count }, (_, node) => node);
    const times = (hour: number) => new BigInt64Array(count).fill(BigInt(hour) * 3_600_000_000_000n);
    const graphs = [0, 5].map((hour) => ({ nodes, first: times(hour), last: times(hour) }));
    const tally = new ScoreTally(count, 'highest');
    tally.add(nodes, { scores: Float64Array.from(nodes, (node) => node + 1) });
    // In the second graph, five hours later, the highest node is high again and the others are not.
    tally.add(nodes, { scores: Float64Array.from(nodes, (node) => (node === count - 1 ? 500 : 0.5)) });
    const none = new Int32Array(count).fill(-1);
    const names = { types: new Uint8Array(count), parent: none, name: none };
    const links = new LinkCollector(names, events.table, () => 0).finish();
    const incidents = topIncidents(tally.finish(), graphs, links, events);
    expect(incidents).toHaveLength(TOP_NODES + 1); // nothing joins anything
    expect(incidents.slice(0, 3).map(({ nodes: members }) => [...(members as number[])])).toEqual([
      [count - 1],
      [count - 1],
      [count - 2],
    ]);
    expect(incidents.at(-1)?.nodes).toEqual([20]);
  });
});

test('false incidents are those without a labelled member, and not of ignored ones alone', () => {
  const events = eventsOf([{ node: 0, ts: 0n }], new Array(6).fill(0));
  const nodes = Int32Array.of(0, 1, 2, 3, 4, 5);
  const at = new BigInt64Array(6);
  const tally = new ScoreTally(6, 'highest');
  tally.add(nodes, { scores: Float64Array.of(9, 8, 7, 6, 5, 1) });
  // 1 is the child of 0, which is an attacker's; 2, 3 and 4 stand alone; 5 is below the threshold.
  const parent = Int32Array.of(-1, 0, -1, -1, -1, -1);
  const names = { types: new Uint8Array(6), parent, name: new Int32Array(6).fill(-1) };
  const links = new LinkCollector(names, events.table, () => 0).finish();
  const count = (ignored: Uint8Array, value: number | null) =>
    countFalseIncidents(
      { nodes: Uint8Array.of(1, 1, 1, 1, 1, 0), threshold: { kind: 'budget', value, oracle: false } },
      { positives: Uint8Array.of(1, 0, 0, 0, 0, 0), ignored },
      tally.finish(),
      [{ nodes, first: at, last: at }],
      links,
      events,
    );
  expect(count(new Uint8Array(6), 5)).toBe(3);
  expect(count(Uint8Array.of(0, 0, 1, 0, 0, 0), 5)).toBe(2);
  expect(count(new Uint8Array(6), null)).toBe(0);
});
