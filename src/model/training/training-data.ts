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
import { graphBytes, type PlannedGraph } from './build-graphs.js';
import type { MaskConfig } from './masking.js';
import type { TrainingManifest } from './training-manifest.js';

/** Refuses events without edges. */
export function checkGraphs(graphs: readonly PlannedGraph[]): void {
  if (graphs.length > 0) return;
  throw new RecalError('no-edges', 'none of the selected events connects two entities', {
    hint: 'select events that have a subject and an object',
  });
}

/** SHA-256 of all data that training reads. A resumed run must read the same data. */
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
        // Only the base name: a full path would change the model file from machine to machine.
        .map(({ name, sha256 }) => ({ name: basename(name), sha256, split: ingest.split })),
    ),
    firstTs: String(table.ts[0]),
    lastTs: String(table.ts[table.length - 1]),
    events: table.length,
    entities: keys.size,
  };
}

/** The division into blocks. It is recorded because another division adds gradients in another order. */
export function digestBlocks(
  graphs: readonly PlannedGraph[],
  blocks: ReadonlyMap<ModelGraph, BlockPlan>,
): Pick<TrainingManifest, 'inParts'> {
  if (blocks.size === 0) return {};
  const bounds = graphs.map(({ graph }) => blocks.get(graph)?.bounds ?? null);
  const parts = bounds.reduce((sum, each) => sum + (each === null ? 0 : each.length - 1), 0);
  const digest = createHash('sha256').update(JSON.stringify(bounds)).digest('hex');
  return { inParts: { graphs: blocks.size, parts, bounds: digest } };
}

/** f_r and the sizes of all graphs together. */
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
 * The memory of training: all graphs with their layouts, and the working set of the device for one graph at a time. A
 * graph whose working set does not fit is processed in blocks (blocks.ts), or refused if that does not help.
 */
export class MemoryBudget {
  readonly #limit: number;
  readonly #config: ModelConfig;
  /** The bytes of the parameters. */
  readonly #parameterBytes: number;
  #held = 0;

  constructor(limit: number, config: ModelConfig) {
    this.#limit = limit;
    this.#config = config;
    this.#parameterBytes = memoryNeed(config, { nodes: 0, entries: 0, pairs: 0, maskedPairs: 0, values: 0 });
    if (this.#parameterBytes > Math.min(limit, DEVICE_MEMORY)) throw this.#refuseParameters();
  }

  /** Counts a graph. Throws as soon as the graphs alone exceed the budget. */
  add(planned: PlannedGraph): void {
    this.#held += graphBytes(planned.graph) + layoutBytes(planned.graph);
    if (this.#held + this.#parameterBytes > this.#limit)
      throw this.#refuse(planned, this.#held + this.#parameterBytes);
  }

  /** Decides which graphs are processed in blocks. `need` is the most bytes that training uses. */
  fit(
    graphs: readonly PlannedGraph[],
    frequencies: ArrayLike<number>,
    mask: MaskConfig,
  ): { blocks: Map<ModelGraph, BlockPlan>; need: number } {
    const available = Math.min(this.#limit - this.#held, DEVICE_MEMORY);
    const blocks = new Map<ModelGraph, BlockPlan>();
    let largest = 0;
    for (const planned of graphs) {
      const { graph } = planned;
      const forecast = new MaskForecast(graph, frequencies, mask);
      const nodes = Uint32Array.from({ length: graph.nodeCount }, (_, v) => v);
      const need = memoryNeed(this.#config, sizeOf(graph, forecast.of(nodes).maskedPairs));
      if (need <= available) {
        largest = Math.max(largest, need);
        continue;
      }
      const fits = (size: GraphSize) => memoryNeed(this.#config, size) <= available;
      const plan = planBlocks(graph, this.#config.layers, (targets) => forecast.of(targets), fits);
      if (plan === undefined) {
        throw this.#refuse(planned, this.#held + need, '; its hubs prevent a division into parts');
      }
      blocks.set(graph, plan);
      largest = available;
    }
    return { blocks, need: this.#held + largest };
  }

  #refuseParameters(): RecalError {
    const { relations, features } = this.#config;
    const exceedsDevice = this.#parameterBytes > DEVICE_MEMORY;
    const limit = exceedsDevice ? '4 GiB of the device' : `${amount(this.#limit)} allowed`;
    return new RecalError(
      'memory-budget',
      `the parameters for ${relations} relations and ${features} features need ` +
        `${amount(this.#parameterBytes)}, more than the ${limit}`,
      { hint: exceedsDevice ? 'map rare event types to fewer names before ingest' : 'raise --memory' },
    );
  }

  #refuse({ title, graph }: PlannedGraph, need: number, detail = ''): RecalError {
    const size = `${graph.nodeCount} nodes, ${graph.adjacency.neighbours.length} neighbours`;
    const name = `graph ${printable(title, 200)} (${size})`;
    const forDevice = need - this.#held;
    const smaller = 'use shorter windows (--set window=MINUTES), fewer hosts or a shorter time range';
    if (forDevice > DEVICE_MEMORY) {
      const message = `${name} needs ${amount(forDevice)}, more than the 4 GiB of the device${detail}`;
      return new RecalError('memory-budget', message, { hint: smaller });
    }
    const message = `training with ${name} needs ${amount(need)}, more than the ${amount(this.#limit)} allowed${detail}`;
    return new RecalError('memory-budget', message, { hint: `raise --memory, or ${smaller}` });
  }
}

function amount(bytes: number): string {
  return bytes < 2 ** 30 ? `${(bytes / 2 ** 20).toFixed(1)} MiB` : `${(bytes / 2 ** 30).toFixed(2)} GiB`;
}
