import { ownVersion } from '../base/own-version.js';
import type { DetectionConfig } from '../detect/detection-config.js';
import { parseThreshold } from '../detect/threshold/threshold.js';
import type { TrainingConfig } from '../model/training/training-config.js';
import { checkOutFolder } from '../pipeline/out-folder.js';
import { threadCount } from '../pipeline/threads.js';
import { evaluateVariants } from './evaluate-variants.js';
import type { EvaluateWatch } from './evaluation.js';
import type { TierChoice } from './labels/labels.js';
import { readLabels } from './labels/read-labels.js';
import type { MatchingProtocol } from './metrics/matching.js';
import { PROTOCOL_THRESHOLDS, type Protocol } from './protocol/protocol.js';
import type { SplitInputs } from './protocol/splits.js';
import { DEFAULT_VARIANTS, resolveVariant, variantOf } from './protocol/variants.js';
import { writeEvaluation } from './report/result-files.js';
import { extrasOf } from './report/study.js';
import type { EvaluationResult } from './result-schema.js';
import { type SplitsWatch, withSplits } from './with-splits.js';

export interface EvaluateOptions extends SplitInputs {
  /** File with the attack nodes by id, path or address: a list, or a CSV with uuid or key, attack and tier. */
  readonly labels: string;
  /** Nodes to leave out of all figures, in the same form. */
  readonly ignore?: string | undefined;
  /** Folder for result.json, scores.csv and report.html. */
  readonly out: string;
  /** `honest` takes the threshold from calibration, `paper` from the test. Default: honest. */
  readonly protocol?: Protocol | undefined;
  /** How alerts are matched with labels. Default: node. */
  readonly match?: MatchingProtocol | undefined;
  /** budget:5/day, fpr:0.001, fdr:0.1 or oracle; the protocol has a default. */
  readonly threshold?: string | undefined;
  /** Default: 0 to 4. */
  readonly seeds?: readonly number[] | undefined;
  /** Names of variants; all by default. */
  readonly variants?: readonly string[] | undefined;
  /** `core` counts only what the attacker made or controlled. Default: all. */
  readonly tier?: TierChoice | undefined;
  /** Allow calibration or test to begin before training ends. */
  readonly allowPast?: boolean | undefined;
  readonly training?: Partial<TrainingConfig> | undefined;
  readonly detection?: Partial<DetectionConfig> | undefined;
  readonly threads?: number | undefined;
  /** Stops after the current seed; finished seeds are kept. */
  readonly signal?: AbortSignal | undefined;
  readonly watch?: (EvaluateWatch & SplitsWatch) | undefined;
}

/** Trains, calibrates and scores every variant with every seed, compares with labels, and writes figures and a report. */
export async function evaluate(options: EvaluateOptions): Promise<EvaluationResult> {
  const { out, watch, signal, protocol = 'honest', tier = 'all', seeds = [0, 1, 2, 3, 4] } = options;
  await checkOutFolder(out);
  const started = performance.now();
  const rule = options.threshold ?? PROTOCOL_THRESHOLDS[protocol];
  const threshold = parseThreshold(rule, { oracle: true });
  const { training = {}, detection = {} } = options;
  const names = [...new Set(options.variants ?? DEFAULT_VARIANTS)];
  const variants = names.map((name) => resolveVariant(variantOf(name), training, detection));
  const labels = await readLabels(options.labels, tier);
  const ignore = options.ignore === undefined ? undefined : await readLabels(options.ignore);
  return withSplits(options, { out, threads: options.threads, signal, watch }, async (splits) => {
    const read = (performance.now() - started) / 1000;
    const evaluation = await evaluateVariants({
      splits,
      labels,
      ignore,
      threshold,
      seeds,
      variants,
      tier,
      protocol,
      signal,
      watch,
      threads: threadCount(options.threads),
      matching: options.match ?? 'node',
      allowPast: options.allowPast,
      timings: { read },
      versions: { recal: ownVersion() },
    });
    // The plotting libraries take a second to load, and are needed only now.
    const { reportWriter } = await import('./report/study-report.js');
    await writeEvaluation(out, evaluation, splits.test, reportWriter(extrasOf(evaluation, splits)));
    return evaluation.result;
  });
}
