import { RecalError } from '../../base/errors.js';
import { yieldToSignals } from '../../base/yield-to-signals.js';
import type { FeatureSpace } from '../../features/feature-space.js';
import { learnNodeText, type NodeText, readNodeText } from '../../features/node-text.js';
import type { Vocabulary } from '../../features/vocabulary.js';
import { trainWord2Vec } from '../../features/word2vec.js';
import { DIRECTIONS, type DirectionTable } from '../../graph/direction.js';
import { type LoadedEvents, loadEvents } from '../../store/load.js';
import { nothingSelected } from '../../store/nothing-selected.js';
import type { Selection, Store } from '../../store/store.js';
import type { ModelConfig } from '../config.js';
import { MAX_RELATIONS } from '../file/model-file.js';
import { areNumbers } from '../file/tensor-file.js';
import { type KnownRelation, makeFeatureSpace } from '../file/trained-model.js';
import type { BlockPlan } from '../layout/blocks.js';
import type { ModelGraph } from '../model-input.js';
import type { Checkpoint } from './checkpoint.js';
import { checkRelations, planGraphs } from './graph-plan.js';
import { buildGraphs, type PlannedGraph } from './graphs.js';
import { maskConfigOf, modelConfigOf, type TrainingConfig } from './training-config.js';
import {
  checkGraphs,
  describeData,
  digestData,
  digestParts,
  MemoryBudget,
  sumGraphs,
} from './training-data.js';
import type { TrainingManifest } from './training-manifest.js';

export interface PrepareOptions {
  readonly store: Store;
  readonly selection?: Selection;
  readonly config: TrainingConfig;
  /** Vocabulary and vectors that the same seed learned from the same events before; learned anew where not given. */
  readonly wordVectors?: WordVectors | undefined;
  /** Bytes that graphs and the working set may take. */
  readonly memory?: number | undefined;
  /** Aborted: preparing throws, training stops after the step it is at. */
  readonly signal?: AbortSignal | undefined;
  readonly watch?:
    | {
        /** A part of the work, and how much of it is done (0 to 1). */
        prepared?(stage: 'events' | 'names' | 'words' | 'graphs', done: number): void;
      }
    | undefined;
}

/** What Word2Vec makes of the names of training. */
export interface WordVectors {
  readonly vocabulary: Vocabulary;
  readonly vectors: Float32Array;
}

/** Everything that steps are taken on. Events and names are not part of it: their memory is free by then. */
export interface PreparedTraining {
  readonly relations: readonly KnownRelation[];
  readonly graphs: readonly PlannedGraph[];
  /** Graphs too large for the memory, which are taken in parts. */
  readonly blocks: ReadonlyMap<ModelGraph, BlockPlan>;
  readonly direction: DirectionTable;
  readonly space: FeatureSpace;
  readonly core: ModelConfig;
  /** Estimate for graphs and working set, in bytes. */
  readonly memory: number;
  /** The part of the manifest that no step changes. */
  readonly about: Omit<TrainingManifest, 'device' | 'steps' | 'epochs' | 'loss' | 'losses' | 'masked'>;
}

/** From a store's events to graphs with features (method §1, §2). */
export async function prepareTraining(
  options: PrepareOptions,
  earlier: Checkpoint | undefined,
): Promise<PreparedTraining> {
  const { store, config, selection = {}, watch, signal } = options;
  watch?.prepared?.('events', 0);
  const events = await loadEvents(store, selection);
  if (events.table.length === 0) throw nothingSelected(store, selection);
  checkRelations(events.table.relations, MAX_RELATIONS);
  const { text, space } = await prepareSpace(options, events, earlier);

  const direction = DIRECTIONS[config.direction];
  const core = modelConfigOf(config, events.table.relations.length, space.width);
  const budget = new MemoryBudget(options.memory ?? Number.POSITIVE_INFINITY, core);
  const graphs: PlannedGraph[] = [];
  const plan = planGraphs(store, events, config);
  let built = 0;
  for (const planned of buildGraphs(plan, { events, text, space, direction })) {
    signal?.throwIfAborted();
    // A graph without an edge has nothing to reconstruct from.
    if (planned.graph.adjacency.neighbours.length > 0) {
      budget.add(planned);
      graphs.push(planned);
    }
    watch?.prepared?.('graphs', ++built / plan.sizes.length);
    await yieldToSignals();
  }
  checkGraphs(graphs);
  const { frequencies, nodes, neighbours } = sumGraphs(graphs, core.relations);
  const { blocks, need } = budget.settle(graphs, frequencies, maskConfigOf(config));
  return {
    graphs,
    blocks,
    direction,
    space,
    core,
    memory: need,
    relations: events.table.relations.map((name, r) => ({ name, frequency: frequencies[r] })),
    about: {
      ...describeData(store, selection, events),
      graphs: graphs.length,
      nodes,
      neighbours,
      data: digestData(events, text),
      ...digestParts(graphs, blocks),
    },
  };
}

/** Vocabulary and vectors: learned, or those that are known already. */
async function prepareSpace(
  { store, config, wordVectors, watch, signal }: PrepareOptions,
  events: LoadedEvents,
  earlier: Checkpoint | undefined,
): Promise<{ text: NodeText; space: FeatureSpace }> {
  watch?.prepared?.('names', 0);
  const relations = events.table.relations.map((name) => ({ name, frequency: 0 }));
  const known = earlier?.model.space.parts ?? wordVectors;
  if (known !== undefined) {
    const text = await readNodeText(store, events, known.vocabulary);
    return { text, space: makeFeatureSpace(config, relations, known.vocabulary, known.vectors) };
  }
  const { text, vocabulary } = await learnNodeText(store, events);
  const vectors = await trainWord2Vec(text.sentences, vocabulary.size, {
    dimension: config.textDimension,
    window: config.textWindow,
    negatives: config.textNegatives,
    epochs: config.textEpochs,
    rate: config.textRate,
    seed: config.seed,
    onProgress(done) {
      signal?.throwIfAborted(); // there is no model yet that could be kept
      watch?.prepared?.('words', done);
    },
  });
  if (!areNumbers(vectors)) {
    throw new RecalError('training-diverged', 'the vectors of words went astray: a number overflowed', {
      hint: 'lower --text-rate or --text-epochs',
    });
  }
  return { text, space: makeFeatureSpace(config, relations, vocabulary, vectors) };
}
