import type {
  Device,
  FeatureBuffers,
  Floats,
  FoldedBuffers,
  IncomingBuffers,
  Integers,
  RelationEntries,
} from '../../compute/device.js';
import { type FeatureLayout, placeFeatures } from '../../compute/feature-layout.js';
import type { WorkList } from '../../compute/work-list.js';
import type { ModelConfig } from '../config.js';
import type { GraphLayout } from './graph-layout.js';
import type { MaskedPairs } from './masked-pairs.js';
import { findSourceRows, type SourceRows } from './source-rows.js';

/** Buffers of a device that are freed together. */
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
  /** The first `connectedCount` nodes have a neighbour. */
  readonly connectedCount: number;
  /** The first `hubCount` nodes are hubs: see hubs.ts. */
  readonly hubCount: number;
  readonly features: FeatureBuffers;
  readonly target: FeatureBuffers;
  readonly norms: Floats;
  readonly entries: IncomingBuffers;
  /** For layers after the first of `additive`, if some nodes fold their attention. */
  readonly folded: FoldedBuffers | undefined;
  /** The neighbours of all pairs. */
  readonly pairNeighbours: Integers;
  readonly readers: {
    readonly work: WorkList<Integers>;
    readonly nonHubWork: WorkList<Integers>;
    readonly pairs: Integers;
  };
  /** Only for the encoder `rgat`. */
  readonly sources: PlacedSources | undefined;
}

/** See source-rows.ts. */
export interface PlacedSources {
  readonly count: number;
  readonly groups: Uint32Array;
  readonly entries: RelationEntries;
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
    connectedCount: layout.order.connectedCount,
    hubCount: layout.order.hubCount,
    target: layout.target === layout.features ? features : pool.features(layout.target),
    entries,
    folded:
      config.encoder === 'additive' && config.layers > 1 ? placeFolded(pool, layout, entries) : undefined,
    pairNeighbours: pool.integers(layout.pairs.neighbours),
    readers: {
      work: pool.work(layout.readers.work),
      nonHubWork: pool.work(layout.readers.nonHubWork),
      pairs: pool.integers(layout.readers.pairs),
    },
    sources:
      config.encoder === 'rgat' ? placeSources(pool, findSourceRows(layout.entries), entries) : undefined,
  };
}

function placeFolded(
  pool: BufferPool,
  { entries: { folded }, order: { foldedCount, projectedCount } }: GraphLayout,
  entries: IncomingBuffers,
): FoldedBuffers | undefined {
  if (folded === undefined) return undefined;
  return {
    ...entries,
    foldedCount,
    projectedCount,
    foldedWork: pool.work(folded.foldedWork),
    unfoldedWork: pool.work(folded.unfoldedWork),
    foldedEnds: pool.integers(folded.foldedEnds),
  };
}

function placeSources(pool: BufferPool, rows: SourceRows, entries: IncomingBuffers): PlacedSources {
  const { bySource, ofNode } = rows;
  return {
    count: rows.count,
    groups: rows.groups,
    entries: {
      incoming: {
        ...entries,
        neighbours: pool.integers(rows.ofEntry),
        places: pool.integers(bySource.places),
      },
      targets: pool.integers(rows.targetOfEntry),
      nodes: pool.integers(rows.nodes),
      outgoing: {
        work: pool.work(bySource.work),
        neighbours: pool.integers(bySource.targets),
        targets: pool.integers(bySource.targetRows),
        reverses: pool.integers(bySource.reverses),
      },
    },
    ofNode: { work: pool.work(ofNode.work), rows: pool.integers(ofNode.rows) },
  };
}

/** The masked pairs of one step on the device. */
export interface PlacedPairs {
  readonly nodes: Integers;
  readonly inverseDegree: Floats;
  readonly work: WorkList<Integers>;
  readonly means: Floats;
  readonly errors: Floats;
}

export function placeMaskedPairs(pool: BufferPool, masked: MaskedPairs, config: ModelConfig): PlacedPairs {
  const inverseDegree = pool.floats(masked.count);
  pool.device.write(inverseDegree, masked.inverseDegree);
  return {
    nodes: pool.integers(masked.nodes),
    inverseDegree,
    work: pool.work(masked.work),
    means: pool.floats(masked.count * config.hidden),
    errors: pool.floats(masked.count),
  };
}
