import { RecalError } from '../../base/errors.js';
import { yieldToSignals } from '../../base/yield-to-signals.js';
import type { FeatureSpace } from '../../features/feature-space.js';
import { learnNodeText, type NodeText, readNodeText } from '../../features/node-text.js';
import type { Vocabulary } from '../../features/vocabulary.js';
import { trainWord2Vec } from '../../features/word2vec.js';
import { DIRECTIONS, type DirectionTable } from '../../graph/direction.js';
import { inVocabulary } from '../../graph/relation-vocabulary.js';
import { type LoadedEvents, loadEvents } from '../../store/load.js';
import { nothingSelected } from '../../store/nothing-selected.js';
import type { Selection, Store } from '../../store/store.js';
import type { ModelConfig } from '../config.js';
import { MAX_RELATIONS } from '../file/model-file.js';
import { areNumbers } from '../file/tensor-file.js';
import { type KnownRelation, makeFeatureSpace } from '../file/trained-model.js';
import type { BlockPlan } from '../layout/blocks.js';
import type { ModelGraph } from '../model-input.js';
import { buildGraphs, type PlannedGraph } from './build-graphs.js';
import type { Checkpoint } from './checkpoint.js';
import { checkRelations, planGraphs } from './graph-plan.js';
import { maskConfigOf, modelConfigOf, type TrainingConfig } from './training-config.js';
import {
  checkGraphs,
  describeData,
  digestBlocks,
  digestData,
  MemoryBudget,
  sumGraphs,
} from './training-data.js';
import type { TrainingManifest } from './training-manifest.js';

export interface PrepareOptions {
  readonly store: Store;
  readonly selection?: Selection;
  readonly config: TrainingConfig;
  /** Vocabulary and vectors that an earlier training learned from the same events and seed. Default: learn them. */
  readonly wordVectors?: WordVectors | undefined;
  /** The most bytes that graphs and the working set may use. */
  readonly memory?: number | undefined;
  /** On abort, preparation throws and training stops after the current step. */
  readonly signal?: AbortSignal | undefined;
  readonly watch?:
    | {
        /** Called with the current stage and its progress (0 to 1). */
        prepared?(stage: 'events' | 'names' | 'words' | 'graphs', done: number): void;
      }
    | undefined;
}

/** The result of Word2Vec on the names of the training entities. */
export interface WordVectors {
  readonly vocabulary: Vocabulary;
  readonly vectors: Float32Array;
}

/** The input of the training steps. It does not include events and names, so that their memory can be freed. */
export interface PreparedTraining {
  readonly relations: readonly KnownRelation[];
  readonly graphs: readonly PlannedGraph[];
  /** Graphs that do not fit into memory and are processed in blocks. */
  readonly blocks: ReadonlyMap<ModelGraph, BlockPlan>;
  readonly direction: DirectionTable;
  readonly space: FeatureSpace;
  readonly modelConfig: ModelConfig;
  /** Estimated bytes of graphs and working set. */
  readonly memory: number;
  /** The part of the manifest that does not change during training. */
  readonly about: Omit<TrainingManifest, 'device' | 'steps' | 'epochs' | 'loss' | 'losses' | 'masked'>;
}

/** Builds graphs with features from the events of a store (method §1, §2). */
export async function prepareTraining(
  options: PrepareOptions,
  earlier: Checkpoint | undefined,
): Promise<PreparedTraining> {
  const { store, config, selection = {}, watch, signal } = options;
  watch?.prepared?.('events', 0);
  const events = inVocabulary(await loadEvents(store, selection), config.vocabulary);
  if (events.table.length === 0) throw nothingSelected(store, selection);
  checkRelations(events.table.relations, MAX_RELATIONS);
  const { text, space } = await prepareSpace(options, events, earlier);

  const direction = DIRECTIONS[config.direction];
  const modelConfig = modelConfigOf(config, events.table.relations.length, space.width);
  const budget = new MemoryBudget(options.memory ?? Number.POSITIVE_INFINITY, modelConfig);
  const graphs: PlannedGraph[] = [];
  const plan = planGraphs(store, events, config);
  let built = 0;
  for (const planned of buildGraphs(plan, { events, text, space, direction })) {
    signal?.throwIfAborted();
    // A graph without edges gives nothing to learn.
    if (planned.graph.adjacency.neighbours.length > 0) {
      budget.add(planned);
      graphs.push(planned);
    }
    watch?.prepared?.('graphs', ++built / plan.sizes.length);
    await yieldToSignals();
  }
  checkGraphs(graphs);
  const { frequencies, nodes, neighbours } = sumGraphs(graphs, modelConfig.relations);
  const { blocks, need } = budget.fit(graphs, frequencies, maskConfigOf(config));
  return {
    graphs,
    blocks,
    direction,
    space,
    modelConfig,
    memory: need,
    relations: events.table.relations.map((name, r) => ({ name, frequency: frequencies[r] })),
    about: {
      ...describeData(store, selection, events),
      graphs: graphs.length,
      nodes,
      neighbours,
      data: digestData(events, text),
      ...digestBlocks(graphs, blocks),
    },
  };
}

/** Reads the text of the nodes and learns word vectors, unless they are known. */
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
      signal?.throwIfAborted(); // there is no model to keep yet
      watch?.prepared?.('words', done);
    },
  });
  if (!areNumbers(vectors)) {
    throw new RecalError('training-diverged', 'learning the word vectors diverged: a number overflowed', {
      hint: 'lower the settings textRate or textEpochs, for example --set textRate=0.01',
    });
  }
  return { text, space: makeFeatureSpace(config, relations, vocabulary, vectors) };
}
