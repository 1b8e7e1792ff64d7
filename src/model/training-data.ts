import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { EXIT, RecalError } from '../base/errors.js';
import { printable } from '../base/printable.js';
import type { StoredText } from '../features/node-text.js';
import type { LoadedEvents } from '../graph/load.js';
import type { Selection, Store } from '../graph/store.js';
import type { ModelConfig } from './config.js';
import { graphBytes, type PlannedGraph } from './graphs.js';
import { Model } from './model.js';
import type { TrainingManifest } from './training-manifest.js';

/** Nothing to train on is worth saying in terms of what was asked for. */
export function checkSelection({ table }: LoadedEvents, selection: Selection): void {
  if (table.length > 0) return;
  const asked = Object.entries(selection).flatMap(([key, value]) =>
    value === undefined ? [] : [`--${key} ${printable(String(value), 80)}`],
  );
  throw new RecalError('nothing-selected', `the store holds no event for ${asked.join(' ') || 'training'}`, {
    hint: 'see what it holds with: recal ingest … and the splits, hosts and times that it prints',
    exit: EXIT.usage,
  });
}

/** Events that join nothing leave nothing to learn from. */
export function checkGraphs(graphs: readonly PlannedGraph[]): void {
  if (graphs.length > 0) return;
  throw new RecalError('no-edges', 'none of the selected events joins two entities', {
    hint: 'training needs events with a subject and an object',
  });
}

/** SHA-256 of all that training reads: a resumed run must read the same. */
export function digestData({ table }: LoadedEvents, { types, sentences }: StoredText): string {
  const hash = createHash('sha256').update(JSON.stringify(table.relations));
  const { ts, seq, subject, object, object2, relation, flow } = table;
  const columns = [ts, seq, subject, object, object2, relation, flow, types];
  for (const { buffer, byteOffset, byteLength } of [...columns, sentences.offsets, sentences.tokens]) {
    hash.update(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return hash.digest('hex');
}

/** The part of the manifest that is known before the first step. */
export function describeData(
  store: Store,
  selection: Selection,
  events: LoadedEvents,
): Pick<TrainingManifest, 'selection' | 'hosts' | 'files' | 'firstTs' | 'lastTs' | 'events' | 'entities'> {
  const { table, files, hosts, keys } = events;
  const used = new Set(files);
  const { split, host, from, to } = selection;
  return {
    selection: {
      ...{ split: split ?? null, host: host ?? null },
      ...{ from: from?.toString() ?? null, to: to?.toString() ?? null },
    },
    hosts: [...hosts],
    files: store.manifest.ingests.flatMap((ingest) =>
      ingest.files
        .filter(({ number }) => used.has(number))
        // Where it lay is of no interest, and would make the same training on two machines two files.
        .map(({ name, sha256 }) => ({ name: basename(name), sha256, split: ingest.split })),
    ),
    firstTs: String(table.ts[0]),
    lastTs: String(table.ts[table.length - 1]),
    events: table.length,
    entities: keys.size,
  };
}

/** f_r over all graphs, and what they add up to. */
export function sumGraphs(graphs: readonly PlannedGraph[], relations: number) {
  const frequencies = new Uint32Array(relations);
  let nodes = 0;
  let neighbours = 0;
  for (const { graph } of graphs) {
    for (let r = 0; r < relations; r++) frequencies[r] += graph.frequencies[r];
    nodes += graph.nodeCount;
    neighbours += graph.adjacency.neighbours.length;
  }
  return { frequencies, nodes, neighbours };
}

/**
 * Watches what training will take: all graphs, and on top the device's working set for the largest of them. Refuses
 * the graph that would go beyond the budget, before the next is built.
 */
export class MemoryBudget {
  readonly #limit: number;
  readonly #config: ModelConfig;
  #held = 0;
  #largest = 0;

  constructor(limit: number, config: ModelConfig) {
    this.#limit = limit;
    this.#config = config;
  }

  /** Bytes so far. */
  get need(): number {
    return this.#held + this.#largest;
  }

  add({ title, graph }: PlannedGraph): void {
    this.#held += graphBytes(graph);
    this.#largest = Math.max(this.#largest, Model.memoryNeed(this.#config, graph));
    if (this.need <= this.#limit) return;
    const size = `${graph.nodeCount} nodes and ${graph.adjacency.neighbours.length} neighbours`;
    throw new RecalError(
      'memory-budget',
      `training needs more than the memory it may use: ${gibibytes(this.need)} with graph ${printable(title, 200)} ` +
        `(${size}), of ${gibibytes(this.#limit)}`,
      { hint: 'allow more with --memory, or take shorter windows (--window), fewer hosts or a shorter time' },
    );
  }
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(2)} GiB`;
}
