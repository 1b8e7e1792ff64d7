import { RecalError } from '../base/errors.js';
import { holdOut } from '../detect/hold-out.js';
import { ingestFiles } from '../graph/ingest.js';
import { type Selection, Store } from '../graph/store.js';
import { DAY_SPLITS, dayRanges, type E3Parts } from './e3-parts.js';
import { PART_NAMES, type PartName, type PartPlace, type ReadPartsOptions } from './parts.js';
import { splitByTime } from './time-splits.js';

export interface PlacedE3 {
  readonly places: Readonly<Record<PartName, PartPlace>>;
  readonly notes: readonly string[];
}

const OTHER = 'other';

/**
 * Reads the parts into a store, once: what a store holds already is not read again. Lists of files: the last fifth of
 * training is held out for calibration (method §6). Days: PIDSMaker's validation day calibrates.
 */
export async function placeE3(
  parts: E3Parts,
  { folder, noticed, ...options }: ReadPartsOptions,
): Promise<PlacedE3> {
  const ingest = async (files: readonly string[], split: string): Promise<void> => {
    if (files.length === 0) return;
    const read = await ingestFiles(files, { ...options, store: folder, split, append: true });
    noticed?.(read);
  };
  if (parts.split === 'pidsmaker') {
    await ingest(parts.other, OTHER);
    return await placeDays(parts, folder);
  }
  // One by one, so that calibration can begin where a file begins.
  for (const file of parts.train) await ingest([file], 'train');
  await ingest(parts.test, 'test');
  await ingest(parts.other, OTHER);
  const store = await Store.open(folder);
  const held = await holdOut(store, { split: 'train' }, { graph: 'file', window: 30 });
  if (held === undefined) {
    throw new RecalError('nothing-selected', 'the training parts span no time that could be divided', {
      hint: 'check that the parts are whole: recal inspect FILE…',
    });
  }
  const { train, calibrate, strays } = held;
  const notes =
    strays === 0 ? [] : [`${strays} events of training lie far from all others in time, and were left out`];
  return { places: placesOf(folder, { train, calibrate, test: { split: 'test' } }), notes };
}

async function placeDays({ host }: E3Parts, folder: string): Promise<PlacedE3> {
  const days = DAY_SPLITS[host];
  const splits = PART_NAMES.map((name) => ({ name, ranges: dayRanges(days[name]) }));
  const { outside } = await splitByTime(folder, splits);
  return {
    places: placesOf(folder, {
      ...{ train: { split: 'train' }, calibrate: { split: 'calibrate' }, test: { split: 'test' } },
    }),
    notes: outside === 0 ? [] : [`${outside} events are of days that no part has, and were left out`],
  };
}

function placesOf(folder: string, of: Record<PartName, Selection>): Record<PartName, PartPlace> {
  return {
    train: { folder, selection: of.train },
    calibrate: { folder, selection: of.calibrate },
    test: { folder, selection: of.test },
  };
}
