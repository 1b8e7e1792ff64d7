import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import type { NodeText } from '../../features/node-text.js';
import type { LoadedEvents } from '../../store/load.js';
import type { Selection, Store } from '../../store/store.js';
import type { ModelConfig } from '../config.js';
import { type BlockPlan, planBlocks } from '../layout/blocks.js';
import { layoutBytes } from '../layout/graph-layout.js';
import { DEVICE_MEMORY, type GraphSize, MaskForecast, memoryNeed, sizeOf } from '../layout/memory-need.js';
import type { ModelGraph } from '../model-input.js';
import { graphBytes, type PlannedGraph } from './graphs.js';
import type { MaskConfig } from './masking.js';
import type { TrainingManifest } from './training-manifest.js';

/** Events that join nothing leave nothing to learn from. */
export function checkGraphs(graphs: readonly PlannedGraph[]): void {
  if (graphs.length > 0) return;
  throw new RecalError('no-edges', 'none of the selected events joins two entities', {
    hint: 'training needs events with a subject and an object',
  });
}

/** SHA-256 of all that training reads: a resumed run must read the same. */
export function digestData({ table }: LoadedEvents, { types, sentences }: NodeText): string {
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
      split: split ?? null,
      host: host ?? null,
      from: from?.toString() ?? null,
      to: to?.toString() ?? null,
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

/** Where graphs are cut: parts add their gradients in another order, so that another cut ends with other weights. */
export function digestParts(
  graphs: readonly PlannedGraph[],
  blocks: ReadonlyMap<ModelGraph, BlockPlan>,
): Pick<TrainingManifest, 'inParts'> {
  if (blocks.size === 0) return {};
  const bounds = graphs.map(({ graph }) => blocks.get(graph)?.bounds ?? null);
  const parts = bounds.reduce((sum, each) => sum + (each === null ? 0 : each.length - 1), 0);
  const digest = createHash('sha256').update(JSON.stringify(bounds)).digest('hex');
  return { inParts: { graphs: blocks.size, parts, bounds: digest } };
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
 * What training takes: all graphs with their layouts, and on top the device's working set for one at a time. A graph
 * whose working set does not fit beside them is taken in parts (blocks.ts), and refused where that does not help.
 */
export class MemoryBudget {
  readonly #limit: number;
  readonly #config: ModelConfig;
  /** What the parameters take, whatever the graph. */
  readonly #least: number;
  #held = 0;

  constructor(limit: number, config: ModelConfig) {
    this.#limit = limit;
    this.#config = config;
    this.#least = memoryNeed(config, { nodes: 0, entries: 0, pairs: 0, maskedPairs: 0, values: 0 });
    if (this.#least > Math.min(limit, DEVICE_MEMORY)) throw this.#refuseParameters();
  }

  /** Refuses the graph that would go beyond the budget by itself, before the next is built. */
  add(planned: PlannedGraph): void {
    this.#held += graphBytes(planned.graph) + layoutBytes(planned.graph);
    if (this.#held + this.#least > this.#limit) throw this.#refuse(planned, this.#held + this.#least, '');
  }

  /** Which graphs must be taken in parts, and how many bytes all takes at most. */
  settle(
    graphs: readonly PlannedGraph[],
    frequencies: ArrayLike<number>,
    mask: MaskConfig,
  ): { blocks: Map<ModelGraph, BlockPlan>; need: number } {
    const room = Math.min(this.#limit - this.#held, DEVICE_MEMORY);
    const blocks = new Map<ModelGraph, BlockPlan>();
    let largest = 0;
    for (const planned of graphs) {
      const { graph } = planned;
      const forecast = new MaskForecast(graph, frequencies, mask);
      const nodes = Uint32Array.from({ length: graph.nodeCount }, (_, v) => v);
      const need = memoryNeed(this.#config, sizeOf(graph, forecast.of(nodes).maskedPairs));
      if (need <= room) {
        largest = Math.max(largest, need);
        continue;
      }
      const fits = (size: GraphSize) => memoryNeed(this.#config, size) <= room;
      const plan = planBlocks(graph, this.#config.layers, (targets) => forecast.of(targets), fits);
      if (plan === undefined) {
        const why = ', and it cannot be taken in parts: its nodes reach too much of it through hubs';
        throw this.#refuse(planned, this.#held + need, why);
      }
      blocks.set(graph, plan);
      largest = room;
    }
    return { blocks, need: this.#held + largest };
  }

  #refuseParameters(): RecalError {
    const { relations, features } = this.#config;
    const isOfDevice = this.#least > DEVICE_MEMORY;
    const room = isOfDevice ? 'the 4 GiB that the device has' : `the ${amount(this.#limit)} it may use`;
    return new RecalError(
      'memory-budget',
      `the parameters of ${relations} relations, with ${features} columns, need ` +
        `${amount(this.#least)}, more than ${room}`,
      {
        hint: isOfDevice
          ? 'give rare event types one common name in the log before reading it'
          : 'allow more with --memory',
      },
    );
  }

  #refuse({ title, graph }: PlannedGraph, need: number, why: string): RecalError {
    const size = `${graph.nodeCount} nodes and ${graph.adjacency.neighbours.length} neighbours`;
    const device = need - this.#held > DEVICE_MEMORY ? ', and the device has 4 GiB for one graph' : '';
    return new RecalError(
      'memory-budget',
      `training needs more than the memory it may use: ${amount(need)} with graph ${printable(title, 200)} ` +
        `(${size}), of ${amount(this.#limit)}${device}${why}`,
      { hint: 'allow more with --memory, or take shorter windows (--window), fewer hosts or a shorter time' },
    );
  }
}

function amount(bytes: number): string {
  if (!Number.isFinite(bytes)) return 'any';
  return bytes < 2 ** 30 ? `${(bytes / 2 ** 20).toFixed(1)} MiB` : `${(bytes / 2 ** 30).toFixed(2)} GiB`;
}
