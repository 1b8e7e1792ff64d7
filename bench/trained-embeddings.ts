import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { openDevice } from '../dist/compute/open-device.js';
import { readNodeText } from '../dist/features/node-text.js';
import type { TrainedModel } from '../dist/model/file/trained-model.js';
import { Model } from '../dist/model/model.js';
import { buildGraphs } from '../dist/model/training/build-graphs.js';
import { planGraphs } from '../dist/model/training/graph-plan.js';
import { trainModel } from '../dist/model/training/train.js';
import { modelConfigOf, resolveTrainingConfig } from '../dist/model/training/training-config.js';
import type { Scenario } from '../dist/simulate/options.js';
import { simulate } from '../dist/simulate/simulate.js';
import { ingestFiles } from '../dist/store/ingest.js';
import { loadEvents } from '../dist/store/load.js';
import { Store } from '../dist/store/store.js';
import { withFolder } from './measurement.js';

const SPLITS = ['train', 'calibrate', 'test'] as const;
type Split = (typeof SPLITS)[number];

export interface TrainedShape {
  /** A kind of simulated host, or the log files of each split. */
  readonly source: { scenario: Scenario; events: number } | Record<Split, readonly string[]>;
  readonly epochs: number;
  readonly seed: number;
}

/** Unmasked embeddings by split, one Float32Array per window. */
export interface TrainedEmbeddings {
  readonly hidden: number;
  readonly train: Float32Array[];
  readonly calibrate: Float32Array[];
  readonly test: Float32Array[];
}

/** Trains a model on a host's train split and encodes all splits. */
export async function makeTrainedEmbeddings(
  { source, epochs, seed }: TrainedShape,
  print: (text: string) => void,
): Promise<TrainedEmbeddings> {
  const threads = availableParallelism();
  return withFolder('knn', async (folder) => {
    const store = join(folder, 'store');
    const files = 'scenario' in source ? await simulateFiles(source, seed, folder) : source;
    for (const split of SPLITS) await ingestFiles(files[split], { store, split, append: true, threads });
    const opened = await Store.open(store);
    const config = resolveTrainingConfig({ epochs, seed, textEpochs: 2 });
    const trained = await trainModel({ store: opened, config, selection: { split: 'train' }, threads });
    print(`trained ${epochs} epochs, loss ${trained.reports.at(-1)?.loss.toFixed(3)}`);
    const encode = (split: string) => encodeSplit(opened, trained.model, split, threads);
    const parts = [await encode('train'), await encode('calibrate'), await encode('test')];
    return { hidden: config.hidden, train: parts[0], calibrate: parts[1], test: parts[2] };
  });
}

async function simulateFiles(
  { scenario, events }: { scenario: Scenario; events: number },
  seed: number,
  out: string,
): Promise<Record<Split, string[]>> {
  const { hosts } = await simulate({ scenario, events, seed, out });
  const [host] = hosts;
  const paths = (split: Split) =>
    host.files.filter(({ role }) => role === split).map(({ name }) => join(out, host.directory, name));
  return { train: paths('train'), calibrate: paths('calibrate'), test: paths('test') };
}

async function encodeSplit(
  store: Store,
  trained: TrainedModel,
  split: string,
  threads: number,
): Promise<Float32Array[]> {
  const { config, relations, space, direction, weights } = trained;
  const events = await loadEvents(store, { split });
  const text = await readNodeText(store, events, space.parts.vocabulary);
  const device = await openDevice({ threads });
  const model = Model.create(device, modelConfigOf(config, relations.length, space.width), config.seed);
  try {
    model.load(weights);
    const context = { events, text, space, direction };
    const windows: Float32Array[] = [];
    for (const { graph } of buildGraphs(planGraphs(store, events, config), context)) {
      if (graph.adjacency.neighbours.length > 0) windows.push(model.encode(graph));
    }
    return windows;
  } finally {
    model.close();
    await device.close();
  }
}
