import { Detector } from '../detect/detector.js';
import { readModelFile, type StoredModel } from '../model/file/model-file.js';
import { type Selection, Store } from '../store/store.js';
import { threadCount } from './threads.js';

/** A store, and a calibrated detector for it. The caller closes the detector. */
export interface OpenedDetector {
  readonly model: StoredModel;
  readonly store: Store;
  readonly detector: Detector;
}

/** Opens a calibrated model and a store. */
export async function openDetector(options: {
  readonly model: string;
  readonly store: string;
  readonly threads?: number | undefined;
  readonly trust?: string | undefined;
}): Promise<OpenedDetector> {
  const model = await readModelFile(options.model, options.trust);
  const store = await Store.open(options.store);
  const detector = await Detector.open(model, { threads: threadCount(options.threads) });
  return { model, store, detector };
}

/** Events up to `last` were calibrated on and are known to be benign. Selects those after it unless a split or time is given. */
export function selectAfter(selection: Selection, last: bigint): Selection {
  const { split, from, to } = selection;
  if (split !== undefined || from !== undefined || to !== undefined) return selection;
  return { ...selection, from: last + 1n };
}
