import { Stopwatch } from '../../base/stopwatch.js';
import type { ModelGraph } from '../../model/model-input.js';
import type { KeyTable } from '../../store/key-table.js';
import type { DetectionConfig } from '../detection-config.js';
import { type FittedDetector, surpriseOf } from '../fitted-detector.js';
import type { GraphView } from '../graph-view.js';
import type { NeighbourSearch } from '../knn/neighbour-search.js';
import type { EvidenceKind, EvidenceRows, EvidenceSamples } from './evidence.js';
import type { Inference } from './inference.js';
import { distanceRows, reconstructionRows } from './reconstruction.js';
import { maskedGroups } from './stable-hash.js';

/** The evidence of one graph, before it is compared with benign values. */
export interface GatheredGraph {
  readonly view: GraphView;
  readonly rows: ReadonlyMap<EvidenceKind, EvidenceRows>;
  /** By node, the mean distance to benign neighbours; NaN where the gate needed no exact value. */
  readonly distances: Float64Array;
  /** 1 where the distance is above the gate; all 1 without a gate. */
  readonly candidates: Uint8Array;
}

/** The gate (method §7): only nodes farther than it from benign behaviour stay candidates. NaN lets every node pass. */
export function applyGate(gathered: GatheredGraph, gate: number): GatheredGraph {
  if (Number.isNaN(gate)) return gathered;
  return { ...gathered, candidates: candidatesBeyond(gathered.distances, gate) };
}

function candidatesBeyond(distances: Float64Array, gate: number): Uint8Array {
  return Uint8Array.from(distances, (distance) => (distance > gate ? 1 : 0));
}

/** Gathers the evidence of graphs: distances of embeddings, errors of masked inference, surprises. */
export class Gatherer {
  readonly watch: Stopwatch;
  readonly #inference: Inference;
  readonly #search: NeighbourSearch;
  readonly #fitted: FittedDetector;
  readonly #config: DetectionConfig;
  readonly #seed: number;

  constructor(
    { inference, search }: { inference: Inference; search: NeighbourSearch },
    fitted: FittedDetector,
    config: DetectionConfig,
    seed: number,
    watch = new Stopwatch(),
  ) {
    this.watch = watch;
    this.#inference = inference;
    this.#search = search;
    this.#fitted = fitted;
    this.#config = config;
    this.#seed = seed;
  }

  /** `gate` is undefined during calibration. With a gate, distances are exact only if they are evidence themselves. */
  gather(view: GraphView, keys: KeyTable, gate: number | undefined): GatheredGraph {
    const { evidence, rounds } = this.#config;
    const { graph, nodes } = view.planned;
    const { distances, candidates } = this.#screen(graph, gate);
    const rows = new Map<EvidenceKind, EvidenceRows>();
    for (const kind of evidence) {
      if (kind === 'reconstruction') {
        const groups = maskedGroups(keys, nodes, this.#seed, rounds);
        const errors = this.watch.measure('errors', () => this.#inference.errors(graph, groups, rounds));
        rows.set(kind, reconstructionRows(errors));
      } else if (kind === 'distance') {
        rows.set(kind, distanceRows(distances));
      } else {
        rows.set(
          kind,
          this.watch.measure('surprise', () => surpriseOf(this.#fitted, kind).rows(view)),
        );
      }
    }
    return { view, rows, distances, candidates };
  }

  /** The values that calibration tables are built from: all of them where a row holds the largest of several. */
  samples(kind: EvidenceKind, gathered: GatheredGraph): EvidenceSamples {
    if (kind === 'name' || kind === 'relation') return surpriseOf(this.#fitted, kind).samples(gathered.view);
    return gathered.rows.get(kind) as EvidenceRows;
  }

  #screen(graph: ModelGraph, gate: number | undefined): Pick<GatheredGraph, 'distances' | 'candidates'> {
    const { evidence, gate: gating, neighbours } = this.#config;
    const all = new Uint8Array(graph.nodeCount).fill(1);
    if (gating === 'none' && !evidence.includes('distance')) {
      return { distances: new Float64Array(graph.nodeCount).fill(Number.NaN), candidates: all };
    }
    const embeddings = this.watch.measure('encode', () => this.#inference.embeddings(graph));
    return this.watch.measure('knn', () => {
      const points = this.#search.reference.standardise(embeddings);
      if (gate === undefined || gating === 'none' || evidence.includes('distance')) {
        const scores = this.#search.scores(points, neighbours);
        const distances = Float64Array.from(points.pointOf, (point) => scores[point]);
        if (gate === undefined || gating === 'none') return { distances, candidates: all };
        return { distances, candidates: candidatesBeyond(distances, gate) };
      }
      const found = this.#search.candidates(points, neighbours, gate);
      return {
        distances: new Float64Array(graph.nodeCount).fill(Number.NaN),
        candidates: Uint8Array.from(points.pointOf, (point) => found.candidate[point]),
      };
    });
  }
}
