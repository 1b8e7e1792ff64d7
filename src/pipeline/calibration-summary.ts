import type { Calibration } from '../detect/calibration/calibrate.js';
import type { DetectionConfig } from '../detect/detection-config.js';
import { chooseThreshold, parseThreshold, type Threshold } from '../detect/threshold/threshold.js';

/** The false incidents that an analyst is assumed to accept unless a threshold is given. */
export const DEFAULT_THRESHOLD = 'budget:5/day';
/** For models that judge episodes: the incidents that an analyst is assumed to read per host and day. */
export const DEFAULT_EPISODES = 'top:10/day';

/** What a model was calibrated on, and the threshold that follows from it. */
export interface CalibrationSummary {
  readonly config: DetectionConfig;
  /** θ_c, the distance of the gate; null without a gate. */
  readonly gate: number | null;
  readonly graphs: number;
  /** (node, graph) pairs. */
  readonly instances: number;
  readonly hosts: readonly string[];
  /** First and last event, in nanoseconds since 1970. */
  readonly firstTs: string;
  readonly lastTs: string;
  /** For the fusion `brown`: the pairs of evidence with a covariance of their own, of all pairs. */
  readonly covariance?: { readonly known: number; readonly total: number };
  readonly benign: {
    readonly instances: number;
    readonly hostDays: number;
    readonly graphs: number;
    /** True if scores come from the data that made the tables: thresholds are then too low. */
    readonly inSample: boolean;
  };
  /** The default threshold under this calibration. */
  readonly threshold: Threshold & { readonly rule: string };
}

/** Summarises a calibration as plain data. */
export function summariseCalibration(calibration: Calibration): CalibrationSummary {
  const { config, gate, graphs, instances, firstTs, lastTs, hosts, benign, covariance } = calibration;
  const spec = parseThreshold(DEFAULT_THRESHOLD) as Parameters<typeof chooseThreshold>[0];
  return {
    config,
    gate: Number.isNaN(gate) ? null : gate,
    graphs,
    instances,
    hosts,
    firstTs: String(firstTs),
    lastTs: String(lastTs),
    ...(covariance === undefined ? {} : { covariance: covariance.pairs }),
    benign: {
      instances: benign.instances,
      hostDays: benign.hostDays,
      graphs: benign.graphs,
      inSample: benign.inSample,
    },
    threshold: { rule: DEFAULT_THRESHOLD, ...chooseThreshold(spec, benign) },
  };
}
