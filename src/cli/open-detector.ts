import { Detector } from '../detect/detector.js';
import { readModelFile } from '../model/file/model-file.js';
import { Store } from '../store/store.js';
import { threadsOf } from './settings/threads.js';

/** The model and the store that settings name, and a detector for them, which the caller closes. */
export async function openDetector(settings: {
  readonly model: string;
  readonly store: string;
  readonly threads?: number | undefined;
}) {
  const model = await readModelFile(settings.model);
  const store = await Store.open(settings.store);
  const detector = await Detector.open(model, { threads: threadsOf(settings) });
  return { model, store, detector };
}
