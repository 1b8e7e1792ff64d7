import { rm } from 'node:fs/promises';
import type { DetectionConfig } from '../../detect/detection-config.js';
import { Detector } from '../../detect/detector.js';
import { readModelFile } from '../../model/file/model-file.js';
import { checkpointPath } from '../../model/training/checkpoint.js';
import type { TrainingConfig } from '../../model/training/training-config.js';
import { summariseCalibration } from '../../pipeline/calibration-summary.js';
import { train } from '../../pipeline/train.js';

export interface LearnRequest {
  readonly store: string;
  readonly model: string;
  readonly from: bigint;
  readonly to: bigint;
  readonly training: Partial<TrainingConfig>;
  readonly detection: Partial<DetectionConfig>;
  readonly threads?: number | undefined;
  /** The model must have seen so many benign episodes. */
  readonly leastEpisodes: number;
}

export interface LearnedModel {
  readonly id: string;
  /** The last event that it was calibrated on, in nanoseconds. */
  readonly calibratedTo: bigint;
  /** Length of its windows, in nanoseconds. */
  readonly window: bigint;
  readonly episodes: number;
  readonly hostDays: number;
  /** Why it must not be used; empty if it may. */
  readonly problems: readonly string[];
  readonly seconds: number;
}

const MINUTE = 60_000_000_000;

/** Trains and calibrates a model, and checks whether it may be used. */
export async function learnModel(request: LearnRequest): Promise<LearnedModel> {
  const { store, model, from, to, training, detection, threads } = request;
  const started = performance.now();
  await rm(model, { force: true }); // the remains of an interrupted training
  await rm(checkpointPath(model), { force: true });
  const summary = await train({ store, model, selection: { from, to }, training, detection, threads });
  const problems: string[] = [];
  if (summary.calibration === null || !summary.complete) problems.push('it is not calibrated');
  const seconds = () => (performance.now() - started) / 1000;
  const nothing = { calibratedTo: 0n, window: 0n, episodes: 0, hostDays: 0 };
  const stored = await readModelFile(model);
  if (problems.length > 0) return { id: stored.id, ...nothing, problems, seconds: seconds() };
  const detector = await Detector.open(stored, { threads: 1 });
  try {
    const { calibration } = detector;
    const { benign, episodes } = calibration;
    const count = episodes?.novelty.values.length ?? benign.instances;
    if (count < request.leastEpisodes)
      problems.push(`it saw ${count} benign episodes; ${request.leastEpisodes} are needed`);
    if (!(benign.hostDays > 0)) problems.push('its calibration spans no time');
    else if (!Number.isFinite(summariseCalibration(calibration).threshold.tau))
      problems.push('its threshold is not finite');
    const scores = episodes?.incidents.values ?? benign.scores;
    if (!Array.from(scores).every(Number.isFinite)) problems.push('a benign score is not finite');
    return {
      id: stored.id,
      calibratedTo: calibration.lastTs,
      window: BigInt(Math.round(stored.config.window * MINUTE)),
      episodes: count,
      hostDays: benign.hostDays,
      problems,
      seconds: seconds(),
    };
  } finally {
    await detector.close();
  }
}
