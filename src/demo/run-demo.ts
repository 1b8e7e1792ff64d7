import { join } from 'node:path';
import { type DetectResult, detect } from '../pipeline/detect.js';
import { type TrainingPlan, type TrainStage, train } from '../pipeline/train.js';
import type { TrainingSummary } from '../pipeline/training-summary.js';
import { REPORT_FILE } from '../report/page/page.js';
import type { ScenarioManifest } from '../simulate/manifest.js';
import { simulate } from '../simulate/simulate.js';
import { ingestFiles } from '../store/ingest.js';
import {
  type AttackTruth,
  type IncidentTruth,
  judgeAttacks,
  judgeIncident,
  readGroundTruth,
} from './ground-truth.js';

const SPLITS = ['train', 'calibrate', 'test'] as const;

/** The steps of the demo, in order. */
export const STEPS = ['simulate', 'ingest', 'train', 'calibrate', 'detect'] as const;
export type Step = (typeof STEPS)[number];

export interface DemoOptions {
  /** An empty folder for everything. */
  readonly folder: string;
  /** Of the simulated world and of the model. */
  readonly seed: number;
  readonly events: number;
  readonly epochs: number;
  /** Such as budget:5/day. */
  readonly threshold: string;
  readonly threads?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly watch?: DemoWatch | undefined;
}

/** Receives the progress of the demo. */
export interface DemoWatch {
  began?(step: Step): void;
  /** A step is this far, 0 to 1. */
  advanced?(step: Step, done: number): void;
  ended?(step: Step, seconds: number, results: Partial<DemoResult>): void;
}

export interface DemoResult {
  readonly world: ScenarioManifest;
  readonly plan: TrainingPlan | undefined;
  readonly training: TrainingSummary;
  readonly detection: DetectResult;
  /** What only the simulator knows. */
  readonly truth: { readonly incidents: readonly IncidentTruth[]; readonly attacks: readonly AttackTruth[] };
  readonly paths: DemoPaths;
  readonly seconds: Readonly<Record<Step, number>>;
}

export interface DemoPaths {
  readonly world: string;
  readonly store: string;
  readonly model: string;
  readonly alerts: string;
  readonly report: string;
}

/**
 * Simulates a host under attack, reads its logs, learns from its first days and judges the last one. The same options
 * give the same bytes.
 */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const { seed, events, epochs, threads, signal, threshold } = options;
  const paths = demoPaths(options.folder);
  const clock = new StepClock(options.watch);
  const advance = (step: Step) => (done: number) => options.watch?.advanced?.(step, done);

  clock.begin('simulate');
  const world = await simulate(
    { scenario: 'demo', seed, events, out: paths.world },
    (at) => advance('simulate')(at.events / at.eventsAsked),
    signal,
  );
  clock.end('simulate', { world });

  clock.begin('ingest');
  for (const [i, split] of SPLITS.entries()) {
    const log = join(paths.world, `${split}.json`);
    await ingestFiles([log], { store: paths.store, split, append: true, threads: 0, signal });
    advance('ingest')((i + 1) / SPLITS.length);
  }
  clock.end('ingest', { world });

  clock.begin('train');
  let plan: TrainingPlan | undefined;
  const training = await train({
    store: paths.store,
    model: paths.model,
    selection: { split: 'train' },
    calibrateSplit: 'calibrate',
    training: { epochs, seed },
    threads,
    signal,
    watch: {
      planned(each) {
        plan = each;
      },
      stage(stage: TrainStage, done: number) {
        if (stage === 'training') advance('train')(done);
        if (stage === 'fitting') clock.next('train', 'calibrate', { plan });
        if (stage === 'calibrating') advance('calibrate')(done);
      },
    },
  });
  signal?.throwIfAborted(); // training stops cleanly, but the demo cannot continue from there
  clock.end('calibrate', { training });

  clock.begin('detect');
  const detection = await detect({
    store: paths.store,
    model: paths.model,
    out: paths.alerts,
    selection: { split: 'test' },
    threshold,
    threads,
    signal,
    watch: { progress: advance('detect') },
  });
  clock.end('detect', { detection });

  const truth = await readGroundTruth(paths.world);
  const { incidents } = detection;
  return {
    world,
    plan,
    training,
    detection,
    paths,
    seconds: clock.seconds as DemoResult['seconds'],
    truth: {
      incidents: incidents.map((incident) => judgeIncident(incident, truth)),
      attacks: judgeAttacks(world, incidents, truth),
    },
  };
}

function demoPaths(folder: string): DemoPaths {
  const alerts = join(folder, 'alerts');
  return {
    world: join(folder, 'world'),
    store: join(folder, 'store'),
    model: join(folder, 'model.recal'),
    alerts,
    report: join(alerts, REPORT_FILE),
  };
}

/** Times the steps and reports them. */
class StepClock {
  readonly seconds: Partial<Record<Step, number>> = {};
  readonly #watch: DemoWatch | undefined;
  #current: Step | undefined;
  #started = 0;

  constructor(watch: DemoWatch | undefined) {
    this.#watch = watch;
  }

  begin(step: Step): void {
    this.#current = step;
    this.#started = performance.now();
    this.#watch?.began?.(step);
  }

  end(step: Step, results: Partial<DemoResult>): void {
    const seconds = (performance.now() - this.#started) / 1000;
    this.seconds[step] = seconds;
    this.#current = undefined;
    this.#watch?.ended?.(step, seconds, results);
  }

  /** Ends one step and begins the next, once. */
  next(step: Step, following: Step, results: Partial<DemoResult>): void {
    if (this.#current !== step) return;
    this.end(step, results);
    this.begin(following);
  }
}
