import { type DriftReport, measureDrift } from '../detect/drift/drift.js';
import type { Selection } from '../store/store.js';
import { openDetector, selectAfter } from './open-detector.js';

export interface DriftOptions {
  /** Folder of the store. */
  readonly store: string;
  /** Calibrated model file. */
  readonly model: string;
  /** Events to compare; by default everything after the time the model was calibrated on. */
  readonly selection?: Selection | undefined;
  /** Nominal false discovery rate over relations. Default: 0.01. */
  readonly level?: number | undefined;
  /** File of a public key. The model must be signed with its private key. */
  readonly trust?: string | undefined;
  readonly threads?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((done: number) => void) | undefined;
}

export interface DriftSummary extends DriftReport {
  /** Path of the model file. */
  readonly model: string;
  readonly id: string;
  /** First and last event of calibration, in nanoseconds since 1970. */
  readonly calibration: { readonly firstTs: string; readonly lastTs: string };
}

/** Compares recent events with those a model was calibrated on. Changes nothing. */
export async function drift(options: DriftOptions): Promise<DriftSummary> {
  const { level = 0.01, signal, progress } = options;
  const { model, store, detector } = await openDetector(options);
  try {
    const { firstTs, lastTs } = detector.calibration;
    const graphs = await detector.graphsOf(store, selectAfter(options.selection ?? {}, lastTs));
    const report = await measureDrift(detector, graphs, { level, signal, progress });
    const calibration = { firstTs: String(firstTs), lastTs: String(lastTs) };
    return { model: options.model, id: model.id, calibration, ...report };
  } finally {
    await detector.close();
  }
}
