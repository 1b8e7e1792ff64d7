import { EXIT, RecalError } from '../base/errors.js';
import { printable } from '../base/printable.js';
import { type Quarantine, quarantine } from '../detect/calibration/quarantine.js';
import { type DetectionConfig, resolveDetectionConfig } from '../detect/detection-config.js';
import { Detector } from '../detect/detector.js';
import { encodeDetector } from '../detect/detector-part.js';
import type { SplitGraphs } from '../detect/split-graphs.js';
import { chooseThreshold, parseThreshold, type ThresholdSpec } from '../detect/threshold/threshold.js';
import { readModelFile, writeModelFile } from '../model/file/model-file.js';
import type { TrainedModel } from '../model/file/trained-model.js';
import { type Selection, Store } from '../store/store.js';
import { type CalibrationSummary, DEFAULT_THRESHOLD, summariseCalibration } from './calibration-summary.js';
import { refitModel } from './fit.js';
import type { NoticeListener } from './notice.js';
import { threadCount } from './threads.js';

export interface CalibrateOptions {
  /** Folder of the store. */
  readonly store: string;
  /** Model file, which is replaced. */
  readonly model: string;
  /** Benign events the model was not trained on. */
  readonly selection?: Selection | undefined;
  /** Settings to change; all others keep the values of the last calibration. */
  readonly detection?: Partial<DetectionConfig> | undefined;
  /** Leave out instances that the current calibration would raise at this threshold; `none` keeps all. Default: budget:5/day. */
  readonly keepOut?: string | undefined;
  /** File of a public key. The model must be signed with its private key. */
  readonly trust?: string | undefined;
  readonly threads?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly watch?:
    | { stage?(stage: 'fitting' | 'calibrating', done: number): void; notice?: NoticeListener }
    | undefined;
}

/** What `calibrate` did. `recal calibrate --json` prints it. */
export interface CalibrateSummary extends CalibrationSummary {
  /** Path of the model file. */
  readonly model: string;
  /** The model's id: calibrating does not change it. */
  readonly id: string;
  readonly sha256: string;
  readonly seconds: number;
  /** Instances left out because they looked like an attack; null if nothing was left out on purpose. */
  readonly keptOut: { readonly high: number; readonly inherited: number; readonly instances: number } | null;
}

/** Calibrates a model on benign events of a store. Weights and id stay; the tables of benign errors are replaced. */
export async function calibrate(options: CalibrateOptions): Promise<CalibrateSummary> {
  const { signal, watch, selection = {} } = options;
  const rule = parseKeepOut(options.keepOut ?? DEFAULT_THRESHOLD);
  const started = performance.now();
  const model = await readModelFile(options.model, options.trust);
  const store = await Store.open(options.store);
  const { profile } = model.config;
  const given = withoutUndefined(options.detection ?? {});
  const threads = threadCount(options.threads);
  const detector =
    model.detector === undefined
      ? await refitModel(model, {
          store,
          config: resolveDetectionConfig(profile, given),
          threads,
          signal,
          progress: (done) => watch?.stage?.('fitting', done),
        })
      : await Detector.open(model, { threads });
  try {
    const before = detector.state.calibration;
    const config = resolveDetectionConfig(profile, { ...before?.config, ...given });
    if (mayOverlap(model.training, selection)) {
      watch?.notice?.({
        level: 'warning',
        message:
          'the selection may include events that the model was trained on; its errors there are too small to calibrate on',
        hint: 'select a benign period after training with --from, or another split with --split',
      });
    }
    const benign = await detector.graphsOf(store, selection);
    const keepOut =
      before === undefined || rule === undefined ? undefined : findKeptOut(detector, benign, rule);
    const calibration = await detector.calibrate(benign, config, {
      signal,
      keepOut,
      progress: (done) => watch?.stage?.('calibrating', done),
    });
    const sha256 = await writeModelFile(options.model, model, encodeDetector(detector.state));
    return {
      model: options.model,
      id: model.id,
      sha256,
      ...summariseCalibration(calibration),
      seconds: (performance.now() - started) / 1000,
      keptOut: keepOut?.counts ?? null,
    };
  } finally {
    await detector.close();
  }
}

/** Finds instances that look like an attack: calibrating on them would make an intruder normal. */
type KeepOutRule = Extract<ThresholdSpec, { kind: 'budget' | 'fpr' }>;

/** The rule of `keepOut`; undefined if nothing is left out. */
function parseKeepOut(rule: string): KeepOutRule | undefined {
  if (rule === 'none') return undefined;
  const spec = parseThreshold(rule);
  if (spec.kind !== 'budget' && spec.kind !== 'fpr') {
    throw new RecalError('threshold-invalid', `--keep-out does not support the rule ${printable(rule, 40)}`, {
      hint: 'use budget:N/day, fpr:P or none',
      exit: EXIT.usage,
    });
  }
  return spec;
}

function findKeptOut(detector: Detector, benign: SplitGraphs, rule: KeepOutRule): Quarantine {
  return quarantine(detector.score(benign), chooseThreshold(rule, detector.calibration.benign).tau);
}

/** Errors on training data are smaller than elsewhere, so tables made from them would give too many alerts. */
function mayOverlap(training: TrainedModel['training'], { split, from, to }: Selection): boolean {
  const isOther = split !== undefined && split !== training.selection.split;
  if (isOther || (from !== undefined && from > BigInt(training.lastTs))) return false;
  return !(to !== undefined && to <= BigInt(training.firstTs));
}

function withoutUndefined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}
