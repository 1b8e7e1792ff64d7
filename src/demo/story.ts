import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { Calibration } from '../detect/calibration/calibrate.js';
import { resolveDetectionConfig } from '../detect/detection-config.js';
import { Detector } from '../detect/detector.js';
import { encodeDetector } from '../detect/detector-part.js';
import { type Detection, findIncidents } from '../detect/find-incidents.js';
import { SplitGraphs } from '../detect/split-graphs.js';
import { applyThreshold } from '../detect/threshold/apply-threshold.js';
import { formatThreshold, parseThreshold, type Threshold } from '../detect/threshold/threshold.js';
import { writeModelFile } from '../model/file/model-file.js';
import type { TrainedModel } from '../model/file/trained-model.js';
import { trainModel } from '../model/training/train.js';
import { resolveTrainingConfig } from '../model/training/training-config.js';
import { DetectionFiles } from '../report/detection/detection-files.js';
import { REPORT_FILE } from '../report/page/page.js';
import type { ScenarioManifest } from '../simulate/manifest.js';
import { simulate } from '../simulate/simulate.js';
import { ingestFiles } from '../store/ingest.js';
import { Store } from '../store/store.js';
import {
  type AttackTruth,
  type IncidentTruth,
  judgeAttacks,
  judgeIncident,
  readGroundTruth,
} from './ground-truth.js';

const PARTS = ['train', 'calibrate', 'test'] as const;
const MEMORY_SHARE = 0.6;

/** The steps of the story, in order. */
export const STEPS = ['simulate', 'ingest', 'train', 'calibrate', 'detect'] as const;
export type Step = (typeof STEPS)[number];

export interface StoryOptions {
  /** Folder for everything; made if missing, and empty. */
  readonly folder: string;
  /** Of the world and of the model. */
  readonly seed: number;
  readonly events: number;
  readonly epochs: number;
  /** Such as budget:5/day. */
  readonly threshold: string;
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
  readonly watch?: StoryWatch | undefined;
}

/** Who listens. `done` is 0 to 1. */
export interface StoryWatch {
  began?(step: Step): void;
  advanced?(step: Step, done: number): void;
  ended?(step: Step, seconds: number, story: Partial<Story>): void;
}

export interface Story {
  readonly world: ScenarioManifest;
  readonly model: TrainedModel;
  readonly calibration: Calibration;
  readonly found: Detection;
  readonly threshold: {
    readonly rule: string;
    readonly value: number;
    readonly found: Threshold | undefined;
  };
  /** What only the simulator knows. */
  readonly truth: { readonly incidents: readonly IncidentTruth[]; readonly attacks: readonly AttackTruth[] };
  readonly paths: StoryPaths;
  readonly seconds: Readonly<Record<Step, number>>;
}

export interface StoryPaths {
  readonly world: string;
  readonly store: string;
  readonly model: string;
  readonly alerts: string;
  readonly report: string;
}

/** Where the story keeps what. */
function storyPaths(folder: string): StoryPaths {
  const alerts = join(folder, 'alerts');
  return {
    world: join(folder, 'world'),
    store: join(folder, 'store'),
    model: join(folder, 'model.recal'),
    alerts,
    report: join(alerts, REPORT_FILE),
  };
}

/**
 * From nothing to explained incidents: a host that never existed is attacked, its logs are read, what is normal is
 * learned from its first days, and the last day is judged. The same options give the same bytes.
 */
export async function tellStory(options: StoryOptions): Promise<Story> {
  const { seed, events, epochs, threads, signal } = options;
  const paths = storyPaths(options.folder);
  const clock = new StepClock(options.watch);

  const { world } = await clock.step('simulate', async (advance) => {
    const asked = { scenario: 'demo', seed, events, out: paths.world } as const;
    return { world: await simulate(asked, (at) => advance(at.events / at.eventsAsked), signal) };
  });

  await clock.step('ingest', async (advance) => {
    for (const [i, split] of PARTS.entries()) {
      const log = join(paths.world, `${split}.json`);
      await ingestFiles([log], { store: paths.store, split, append: true, threads: 0, signal });
      advance((i + 1) / PARTS.length);
    }
    return { world };
  });
  const store = await Store.open(paths.store);

  const { model } = await clock.step('train', async (advance) => {
    let all = 1;
    const result = await trainModel({
      store,
      threads,
      signal,
      selection: { split: 'train' },
      memory: totalmem() * MEMORY_SHARE,
      config: resolveTrainingConfig({ epochs, seed }),
      watch: {
        started: ({ steps }) => {
          all = steps.all;
        },
        stepped: (steps) => advance(steps / all),
      },
    });
    signal?.throwIfAborted(); // training stops cleanly when asked to, and the story does not go on from there
    return { world, model: result.model };
  });

  let detector: Detector | undefined;
  try {
    const { calibration } = await clock.step('calibrate', async (advance) => {
      const config = resolveDetectionConfig(model.config.profile);
      const training = await SplitGraphs.open(store, { split: 'train' }, model);
      const { reference, evidence } = config;
      detector = await Detector.fit(model, training, { reference, evidence, threads, signal });
      const benign = await detector.graphsOf(store, { split: 'calibrate' });
      const found = await detector.calibrate(benign, config, { signal, progress: advance });
      await writeModelFile(paths.model, model, encodeDetector(detector.state));
      return { world, model, calibration: found };
    });

    const seen = await clock.step('detect', (advance) =>
      judgeTest(detector as Detector, store, paths, options, advance),
    );
    const truth = await readGroundTruth(paths.world);
    const { incidents } = seen.found;
    return {
      world,
      model,
      calibration,
      ...seen,
      paths,
      seconds: clock.seconds as Story['seconds'],
      truth: {
        incidents: incidents.map((incident) => judgeIncident(incident, truth)),
        attacks: judgeAttacks(world, incidents, truth),
      },
    };
  } finally {
    await detector?.close();
  }
}

/** The last day, judged without a look at the labels. */
async function judgeTest(
  detector: Detector,
  store: Store,
  paths: StoryPaths,
  { threshold, signal }: StoryOptions,
  progress: (done: number) => void,
): Promise<Pick<Story, 'found' | 'threshold'>> {
  const selection = { split: 'test' };
  const graphs = await detector.graphsOf(store, selection);
  const spec = parseThreshold(threshold);
  const rule = formatThreshold(spec);
  const applied = await applyThreshold(spec, detector, graphs, signal);
  const files = new DetectionFiles({
    detector,
    graphs,
    selection,
    rule,
    applied,
    store: paths.store,
  });
  const found = await findIncidents(detector, graphs, {
    threshold: applied,
    signal,
    seen: files.seen,
    progress,
  });
  await files.write(paths.alerts, found, { report: true });
  return { found, threshold: { rule, value: applied.tau, found: applied.threshold } };
}

/** Times the steps and tells whoever listens. */
class StepClock {
  readonly seconds: Partial<Record<Step, number>> = {};
  readonly #watch: StoryWatch | undefined;

  constructor(watch: StoryWatch | undefined) {
    this.#watch = watch;
  }

  async step<T extends Partial<Story>>(
    step: Step,
    work: (advance: (done: number) => void) => Promise<T>,
  ): Promise<T> {
    const started = performance.now();
    this.#watch?.began?.(step);
    const told = await work((done) => this.#watch?.advanced?.(step, done));
    const seconds = (performance.now() - started) / 1000;
    this.seconds[step] = seconds;
    this.#watch?.ended?.(step, seconds, told);
    return told;
  }
}
