import { LinkCollector } from '../../src/detect/alerts/incident-links.js';
import type { BenignScores } from '../../src/detect/threshold/benign-scores.js';
import { NodeScoreCollector } from '../../src/evaluate/metrics/node-scores.js';
import type { ScoredTest } from '../../src/evaluate/metrics/raised-alerts.js';
import type { ScoredRun } from '../../src/evaluate/protocol/scored-run.js';
import type { CalibrationOutcome, GraphScores } from '../../src/evaluate/protocol/variant-group.js';
import { KeyTable } from '../../src/store/key-table.js';
import type { LoadedEvents } from '../../src/store/load.js';

/** Events without objects: each row has a node and a time, each node a host. */
export function eventsOf(
  rows: readonly { node: number; ts: bigint }[],
  hosts: readonly number[],
): LoadedEvents {
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
    action: new Uint8Array(rows.length),
    stated: new Uint8Array(rows.length),
  };
  return { table, keys, hosts: ['a', 'b'], files: new Int32Array(rows.length), uuid: String };
}

const HOUR = 3_600_000_000_000n;

/** Benign scores of 1,000 instances in a day. Ten of them score 1 to 10, each an incident of its own. */
export function benignOf(scores = Float32Array.of(10, 9, 8, 7, 6, 5, 4, 3, 2, 1)): BenignScores {
  return {
    scores,
    instances: 1000,
    hostDays: 1,
    graphs: 4,
    inSample: false,
    thresholds: scores,
    incidents: Uint32Array.from(scores, (_, i) => i + 1),
    without: [],
  };
}

export interface SampleGraph extends GraphScores {
  readonly nodes: Int32Array;
}

/** A run over graphs of one hour each. `parent` gives the parent process of each node, -1 for none. */
export function runOf(
  nodeCount: number,
  graphs: readonly SampleGraph[],
  given: Partial<CalibrationOutcome> & { parent?: Int32Array } = {},
): { run: ScoredRun; events: LoadedEvents; scored: ScoredTest } {
  const { parent = new Int32Array(nodeCount).fill(-1), ...more } = given;
  const outcome = { benign: benignOf(), over: 'highest' as const, ...more };
  const events = eventsOf([{ node: 0, ts: 0n }], new Array(nodeCount).fill(0));
  const collector = new NodeScoreCollector(nodeCount, outcome.over);
  for (const { nodes, ...scores } of graphs) collector.add(nodes, scores);
  const names = { types: new Uint8Array(nodeCount), parent, name: new Int32Array(nodeCount).fill(-1) };
  const run: ScoredRun = {
    variant: 'sample',
    seed: 0,
    calibrationShare: 1,
    seconds: {},
    outcome,
    nodeScores: collector.finish(),
    links: new LinkCollector(names, events.table, () => 0).finish(),
    graphs: graphs.map(({ nodes }, hour) => {
      const times = new BigInt64Array(nodes.length).fill(BigInt(hour) * HOUR);
      return { nodes, first: times, last: times, from: BigInt(hour) * HOUR, day: Math.floor(hour / 24) };
    }),
  };
  return { run, events, scored: { ...run, events } };
}
