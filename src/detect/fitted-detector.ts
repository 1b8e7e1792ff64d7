import { RecalError } from '../base/errors.js';
import { yieldToSignals } from '../base/yield-to-signals.js';
import { nameOf } from '../graph/node-names.js';
import type { TrainedModel } from '../model/file/trained-model.js';
import type { DetectionConfig } from './detection-config.js';
import { learnBehaviours } from './episodes/episode-detector.js';
import type { KnownBehaviours } from './episodes/novelty/known-behaviours.js';
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
  /** Only where the detection config asks for evidence of this kind. */
  readonly relation: RelationSurprise | undefined;
  readonly usage: FeatureUsage;
  /** What benign programs do; only where episodes are judged. */
  readonly behaviours: KnownBehaviours | undefined;
}

export interface ReferenceNames {
  readonly texts: readonly string[];
  /** By point: the type and the text number of its example. */
  readonly types: Uint8Array;
  readonly numbers: Uint32Array;
}

/** The counts behind a kind of evidence. Throws if the model was not fitted to it. */
export function surpriseOf(fitted: FittedDetector, kind: EvidenceKind): CountedEvidence {
  const surprise = kind === 'name' ? fitted.name : fitted.relation;
  if (surprise !== undefined) return surprise;
  throw new RecalError('evidence-not-fitted', `the model was trained without evidence of kind ${kind}`, {
    hint: `train again with ${kind} in --set evidence=…, or calibrate without it`,
  });
}

/** What benign programs do. Throws if the model was not fitted to judge episodes. */
export function behavioursOf({ behaviours }: FittedDetector): KnownBehaviours {
  if (behaviours !== undefined) return behaviours;
  throw new RecalError('evidence-not-fitted', 'the model was trained without the behaviours of programs', {
    hint: 'train again with --set unit=episode, or calibrate with --set unit=node',
  });
}

export interface FitOptions extends Pick<DetectionConfig, 'reference' | 'evidence' | 'unit'> {
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((done: number) => void) | undefined;
}

/** Fits evidence counts and the kNN reference to the training graphs, in one pass with the trained model. */
export async function fitDetector(
  model: TrainedModel,
  split: SplitGraphs,
  inference: Inference,
  { reference, evidence, unit, signal, progress }: FitOptions,
): Promise<FittedDetector> {
  const relations = model.relations.map(({ name }) => name);
  const levels = new LevelTable();
  const name = new NameSurprise(relations, levels);
  const relation = evidence.includes('relation') ? new RelationSurprise(relations, levels) : undefined;
  const usage = new FeatureUsage(model.space, model.training.entities);
  const builder = new ReferenceBuilder(inference.width, { seed: model.config.seed, most: reference });
  const instances: Int32Array[] = [];
  let done = 0;
  for (const view of split.views()) {
    signal?.throwIfAborted();
    name.fit([view]);
    relation?.fit([view]);
    usage.add(view);
    builder.add(inference.embeddings(view.planned.graph));
    instances.push(view.planned.nodes);
    progress?.(++done / split.count);
    await yieldToSignals();
  }
  const found = builder.finish();
  const examples = nameExamples(found, instances, split);
  const behaviours = unit === 'episode' ? learnBehaviours(await split.named()) : undefined;
  return { reference: found, examples, levels, name, relation, usage, behaviours };
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
