import { nameOf } from '../graph/node-names.js';
import type { TrainedModel } from '../model/file/trained-model.js';
import type { CountedEvidence, EvidenceKind } from './evidence/evidence.js';
import { FeatureUsage } from './evidence/feature-usage.js';
import type { Inference } from './evidence/inference.js';
import { LevelTable } from './evidence/level-table.js';
import { NameSurprise } from './evidence/name-surprise.js';
import { RelationSurprise } from './evidence/relation-surprise.js';
import type { NeighbourReference } from './knn/neighbour-reference.js';
import { ReferenceBuilder } from './knn/reference-builder.js';
import type { SplitGraphs } from './split-graphs.js';

/** Longer names of look-alikes are cut. */
const LONGEST_NAME = 256;

/** What detection learns from the training graphs, besides the weights. Calibration does not change it. */
export interface FittedDetector {
  /** Benign embeddings (method §7). */
  readonly reference: NeighbourReference;
  /** The name of an instance at each point of the reference. */
  readonly examples: ReferenceNames;
  readonly levels: LevelTable;
  readonly name: NameSurprise;
  readonly relation: RelationSurprise;
  readonly usage: FeatureUsage;
}

export interface ReferenceNames {
  readonly texts: readonly string[];
  /** By point: the type and the text number of its example. */
  readonly types: Uint8Array;
  readonly numbers: Uint32Array;
}

/** The counts behind a kind of evidence. */
export function surpriseOf(fitted: FittedDetector, kind: EvidenceKind): CountedEvidence {
  return kind === 'name' ? fitted.name : fitted.relation;
}

export interface FitOptions {
  /** The most instances to keep in the kNN reference. */
  readonly reference: number;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((done: number) => void) | undefined;
}

/** Fits evidence counts and the kNN reference to the training graphs, in one pass with the trained model. */
export async function fitDetector(
  model: TrainedModel,
  split: SplitGraphs,
  inference: Inference,
  { reference, signal, progress }: FitOptions,
): Promise<FittedDetector> {
  const relations = model.relations.map(({ name }) => name);
  const levels = new LevelTable();
  const [name, relation] = [
    new NameSurprise(relations, levels, 'act'),
    new RelationSurprise(relations, levels),
  ];
  const usage = new FeatureUsage(model.space, model.training.entities);
  const builder = new ReferenceBuilder(inference.width, { seed: model.config.seed, most: reference });
  const instances: Int32Array[] = [];
  let done = 0;
  for (const view of split.views()) {
    signal?.throwIfAborted();
    name.fit([view]);
    relation.fit([view]);
    usage.add(view);
    builder.add(inference.embeddings(view.planned.graph));
    instances.push(view.planned.nodes);
    progress?.(++done / split.count);
    await new Promise((resolve) => setImmediate(resolve)); // lets an abort signal arrive between two graphs
  }
  const found = builder.finish();
  return { reference: found, examples: nameExamples(found, instances, split), levels, name, relation, usage };
}

function nameExamples(
  { points }: NeighbourReference,
  instances: readonly Int32Array[],
  { names }: SplitGraphs,
): ReferenceNames {
  const ends: number[] = [];
  let total = 0;
  for (const { length } of instances) {
    total += length;
    ends.push(total);
  }
  const texts: string[] = [''];
  const known = new Map<string, number>([['', 0]]);
  const types = new Uint8Array(points.count);
  const numbers = Uint32Array.from(points.example, (instance, point) => {
    const graph = ends.findIndex((end) => instance < end);
    const node = instances[graph][instance - (graph === 0 ? 0 : ends[graph - 1])];
    types[point] = names.types[node];
    const text = (nameOf(names, node) ?? '').slice(0, LONGEST_NAME);
    const number = known.get(text);
    if (number !== undefined) return number;
    known.set(text, texts.length);
    return texts.push(text) - 1;
  });
  return { texts, types, numbers };
}
