import { totalmem } from 'node:os';
import { RecalError } from '../base/errors.js';
import type { SplitGraphs } from '../detect/split-graphs.js';
import type { Selection, Store } from '../store/store.js';
import { nodesByGraph } from './nodes-by-graph.js';

/** Detection may use this share of the machine's memory by default, as training does. */
const MEMORY_SHARE = 0.6;
const MEBIBYTE = 2 ** 20;

/** Measured costs: docs/research/hardening.md. */
const BASE = 300 * MEBIBYTE;
const BYTES_PER_EVENT = 120;
const BYTES_PER_ENTITY = 900;
/** Features, layout, embeddings, evidence and explanation of a node, while its graph is judged. */
const BYTES_PER_NODE = 2800;

/** The limit in bytes. `memory` is in MiB. */
export function memoryLimit(memory: number | undefined): number {
  return memory === undefined ? totalmem() * MEMORY_SHARE : memory * MEBIBYTE;
}

/** Refuses a selection whose events alone exceed the limit, before they are read. */
export function checkEventMemory(store: Store, selection: Selection, limit: number): void {
  const segments = store.segments('events', selection);
  const rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
  const need = BASE + rows * BYTES_PER_EVENT;
  if (need > limit) throw refused(`${rows} events`, need, limit);
}

/** Refuses graphs that exceed the limit, before the first one is judged. */
export function checkGraphMemory({ events, plan }: SplitGraphs, limit: number): void {
  const { table, keys } = events;
  const nodes = nodesByGraph(plan.graphOf, table.nodeCount, [table.subject, table.object, table.object2]);
  const largest = nodes.reduce((most, count, graph) => (count > nodes[most] ? graph : most), 0);
  const need =
    BASE + table.length * BYTES_PER_EVENT + keys.size * BYTES_PER_ENTITY + nodes[largest] * BYTES_PER_NODE;
  if (need <= limit) return;
  throw refused(`graph ${plan.titles[largest]} (${nodes[largest]} nodes)`, need, limit);
}

function refused(what: string, need: number, limit: number): RecalError {
  const amount = (bytes: number) => `${Math.ceil(bytes / MEBIBYTE)} MiB`;
  return new RecalError(
    'memory-budget',
    `judging ${what} needs about ${amount(need)}, more than the ${amount(limit)} allowed`,
    { hint: 'raise --memory, or select fewer hosts (--host) or a shorter time range (--from, --to)' },
  );
}
