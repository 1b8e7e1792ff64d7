import type {
  Device,
  EntryBuffers,
  FeatureBuffers,
  Floats,
  FoldedBuffers,
  IncomingBuffers,
  Integers,
} from '../../compute/device.js';
import { type FeatureLayout, placeFeatures } from '../../compute/feature-layout.js';
import type { WorkList } from '../../compute/work-list.js';
import type { ModelConfig } from '../config.js';
import type { GraphLayout } from './graph-layout.js';
import type { Slots } from './slots.js';
import { findSourceRows, type SourceRows } from './source-rows.js';

/** Buffers of a device that are given back together. */
export class BufferPool {
  readonly device: Device;
  readonly #held = new Set<Floats | Integers>();

  constructor(device: Device) {
    this.device = device;
  }

  floats(length: number): Floats {
    const buffer = this.device.floats(length);
    this.#held.add(buffer);
    return buffer;
  }

  integers(data: ArrayLike<number>): Integers {
    const buffer = this.device.integers(data.length);
    this.#held.add(buffer);
    this.device.writeIntegers(buffer, data);
    return buffer;
  }

  work(list: WorkList): WorkList<Integers> {
    return {
      ...list,
      segments: this.integers(list.segments),
      bounds: this.integers(list.bounds),
      split: this.integers(list.split),
    };
  }

  features(layout: FeatureLayout): FeatureBuffers {
    const placed = placeFeatures(this.device, layout);
    for (const buffer of [placed.dense, placed.columns, placed.offsets, placed.indices, placed.values]) {
      this.#held.add(buffer);
    }
    return placed;
  }

  free(): void {
    for (const buffer of this.#held) this.device.free(buffer);
    this.#held.clear();
  }
}

/** One graph on the device. */
export interface PlacedGraph {
  readonly nodes: number;
  /** The first of them: those with a neighbour. */
  readonly connected: number;
  /** The first of those: see hubs.ts. */
  readonly hubs: number;
  readonly features: FeatureBuffers;
  readonly target: FeatureBuffers;
  readonly norms: Floats;
  readonly entries: IncomingBuffers;
  /** Where some fold their attention, in layers behind the first of `additive`. */
  readonly folded: FoldedBuffers | undefined;
  /** Neighbours of all pairs. */
  readonly pairNeighbours: Integers;
  readonly readers: {
    readonly work: WorkList<Integers>;
    readonly workOfOthers: WorkList<Integers>;
    readonly pairs: Integers;
  };
  /** Only for `rgat`. */
  readonly sources: PlacedSources | undefined;
}

/** See source-rows.ts. */
export interface PlacedSources {
  readonly count: number;
  readonly groups: Uint32Array;
  readonly nodes: Integers;
  readonly byTarget: IncomingBuffers;
  readonly bySource: EntryBuffers;
  readonly ofNode: { readonly work: WorkList<Integers>; readonly rows: Integers };
}

export function placeGraph(pool: BufferPool, layout: GraphLayout, config: ModelConfig): PlacedGraph {
  const features = pool.features(layout.features);
  const norms = pool.floats(layout.norms.length);
  pool.device.write(norms, layout.norms);
  const entries: IncomingBuffers = {
    work: pool.work(layout.entries.work),
    neighbours: pool.integers(layout.entries.neighbours),
    relations: pool.integers(layout.entries.relations),
    places: pool.integers(layout.entries.places),
    half: layout.entries.half,
  };
  return {
    nodes: layout.order.nodes.length,
    features,
    norms,
    connected: layout.order.connected,
    hubs: layout.order.hubs,
    target: layout.target === layout.features ? features : pool.features(layout.target),
    entries,
    folded:
      config.encoder === 'additive' && config.layers > 1 ? placeFolded(pool, layout, entries) : undefined,
    pairNeighbours: pool.integers(layout.pairs.neighbours),
    readers: {
      work: pool.work(layout.readers.work),
      workOfOthers: pool.work(layout.readers.workOfOthers),
      pairs: pool.integers(layout.readers.pairs),
    },
    sources:
      config.encoder === 'rgat' ? placeSources(pool, findSourceRows(layout.entries), entries) : undefined,
  };
}

function placeFolded(
  pool: BufferPool,
  { entries: { folded }, order: { folding, multiplied } }: GraphLayout,
  entries: IncomingBuffers,
): FoldedBuffers | undefined {
  if (folded === undefined) return undefined;
  return {
    ...entries,
    folding,
    multiplied,
    workOfFolding: pool.work(folded.workOfFolding),
    workOfOthers: pool.work(folded.workOfOthers),
    foldedEnds: pool.integers(folded.foldedEnds),
  };
}

function placeSources(pool: BufferPool, rows: SourceRows, entries: IncomingBuffers): PlacedSources {
  const { bySource, ofNode } = rows;
  return {
    count: rows.count,
    groups: rows.groups,
    nodes: pool.integers(rows.nodes),
    byTarget: { ...entries, neighbours: pool.integers(rows.ofEntry), places: pool.integers(bySource.places) },
    bySource: {
      work: pool.work(bySource.work),
      neighbours: pool.integers(bySource.targets),
      relations: pool.integers(bySource.relations),
      half: entries.half,
    },
    ofNode: { work: pool.work(ofNode.work), rows: pool.integers(ofNode.rows) },
  };
}

/** What one step needs of its slots on the device. */
export interface PlacedSlots {
  readonly nodes: Integers;
  readonly inverseDegree: Floats;
  readonly work: WorkList<Integers>;
  readonly means: Floats;
  readonly errors: Floats;
}

export function placeSlots(pool: BufferPool, slots: Slots, config: ModelConfig): PlacedSlots {
  const inverseDegree = pool.floats(slots.count);
  pool.device.write(inverseDegree, slots.inverseDegree);
  return {
    nodes: pool.integers(slots.nodes),
    inverseDegree,
    work: pool.work(slots.work),
    means: pool.floats(slots.count * config.hidden),
    errors: pool.floats(slots.count),
  };
}
