import { stat } from 'node:fs/promises';
import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { holdOut } from '../../detect/calibration/hold-out.js';
import { hashFile } from '../../ingest/sources/byte-source.js';
import { ingestFiles } from '../../store/ingest.js';
import { readManifest } from '../../store/manifest.js';
import { type Selection, Store } from '../../store/store.js';
import { PART_NAMES, type PartName, type PartPlace, type ReadPartsOptions } from '../protocol/parts.js';
import { DAY_SPLITS, dayRanges, type E3Parts } from './e3-parts.js';
import { splitByTime } from './time-splits.js';

export interface PlacedE3 {
  readonly places: Readonly<Record<PartName, PartPlace>>;
  readonly notes: readonly string[];
}

const OTHER = 'other';

/**
 * Reads the parts into a store, once: what a store holds already is not read again, and one that holds anything else is
 * refused. Lists of files: the last fifth of
 * training is held out for calibration (method §6). Days: PIDSMaker's validation day calibrates.
 */
export async function placeE3(
  parts: E3Parts,
  { folder, noticed, ...options }: ReadPartsOptions,
): Promise<PlacedE3> {
  const hashes = await hashAgainst(folder, parts, options.signal);
  const ingest = async (files: readonly string[], split: string): Promise<void> => {
    if (files.length === 0) return;
    const read = await ingestFiles(files, { ...options, hashes, store: folder, split, append: true });
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

/**
 * Hashes of the parts that the store may hold. What it holds of other data, or of the same parts as they were before, would
 * be in all figures.
 */
async function hashAgainst(
  folder: string,
  { train, test, other }: E3Parts,
  signal: AbortSignal | undefined,
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  const held = (await readManifest(folder))?.ingests.flatMap(({ files }) => files) ?? [];
  const sizes = new Map<string, number>();
  for (const path of [...train, ...test, ...other]) sizes.set(path, (await stat(path)).size);
  // Sizes tell most strangers, in no time.
  const given = new Set(sizes.values());
  for (const { name, bytes } of held) if (!given.has(bytes)) throw otherData(folder, name);
  const lengths = new Set(held.map(({ bytes }) => bytes));
  for (const [path, size] of sizes) {
    signal?.throwIfAborted();
    if (lengths.has(size)) hashes.set(path, await hashFile(path));
  }
  const found = new Set(hashes.values());
  for (const { name, sha256 } of held) if (!found.has(sha256)) throw otherData(folder, name);
  return hashes;
}

function otherData(folder: string, name: string): RecalError {
  return new RecalError(
    'store-other-data',
    `the store of an earlier run holds ${printable(name, 200)}, which is not among the logs given now, or has changed`,
    {
      hint: `remove ${printable(folder, 200)} to read these logs anew, or give another --out`,
      where: { file: folder },
      exit: EXIT.usage,
    },
  );
}

async function placeDays({ host }: E3Parts, folder: string): Promise<PlacedE3> {
  const days = DAY_SPLITS[host];
  const splits = PART_NAMES.map((name) => ({ name, ranges: dayRanges(days[name]) }));
  const { outside } = await splitByTime(folder, splits);
  return {
    places: placesOf(folder, {
      train: { split: 'train' },
      calibrate: { split: 'calibrate' },
      test: { split: 'test' },
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
