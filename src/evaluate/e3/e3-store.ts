import { stat } from 'node:fs/promises';
import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { holdOut } from '../../detect/calibration/hold-out.js';
import { hashFile } from '../../ingest/sources/byte-source.js';
import { ingestFiles } from '../../store/ingest.js';
import { readManifest } from '../../store/manifest.js';
import { type Selection, Store } from '../../store/store.js';
import { type ReadingOptions, SPLIT_NAMES, type SplitName, type SplitSource } from '../protocol/splits.js';
import { DAY_SCHEMES, dayRanges, type E3Files } from './e3-files.js';
import { splitByTime } from './time-splits.js';

export interface IngestedE3 {
  readonly sources: Readonly<Record<SplitName, SplitSource>>;
  readonly notes: readonly string[];
}

const OTHER = 'other';

/**
 * Ingests the files into a store. Files that the store already holds are skipped, and a store with other data is refused.
 * A split by files holds out the last fifth of training for calibration (method §6). A split by days calibrates on the
 * validation day of PIDSMaker.
 */
export async function ingestE3(
  files: E3Files,
  { folder, noticed, ...options }: ReadingOptions & { readonly folder: string },
): Promise<IngestedE3> {
  const ingestInto = async (store: string) => {
    const hashes = await hashKnownFiles(store, files, options.signal);
    return async (paths: readonly string[], split: string): Promise<void> => {
      if (paths.length === 0) return;
      const read = await ingestFiles(paths, { ...options, hashes, store, split, append: true });
      noticed?.(read);
    };
  };
  const ingest = await ingestInto(folder);
  if (files.scheme === 'pidsmaker') {
    await ingest(files.other, OTHER);
    return await splitDays(files, folder);
  }
  // One ingest per file, so that calibration can begin at the start of a file.
  for (const file of files.train) await ingest([file], 'train');
  const unseen = files.test.filter((path) => !files.train.includes(path));
  await ingest(unseen, 'test');
  await ingest(files.other, OTHER);
  // An event of a store is in one split, so test graphs that are also trained on need a store of their own.
  const testFolder = files.overlaps ? `${folder}-test` : folder;
  if (files.overlaps) {
    const ingestTest = await ingestInto(testFolder);
    for (const file of files.test) await ingestTest([file], 'test');
    await ingestTest(files.other, OTHER);
  }
  const store = await Store.open(folder);
  const held = await holdOut(store, { split: 'train' }, { graph: 'file', window: 30 });
  if (held === undefined) {
    throw new RecalError(
      'nothing-selected',
      'the training files are too short to hold out a calibrate split',
      {
        hint: 'check that the files are complete with recal inspect FILE…',
      },
    );
  }
  const { train, calibrate, strays } = held;
  const notes =
    strays === 0 ? [] : [`${strays} training events were left out: their times are far from all others`];
  const sources = sourcesOf(folder, { train, calibrate, test: { split: 'test' } });
  return { sources: { ...sources, test: { ...sources.test, folder: testFolder } }, notes };
}

/** Hashes the files that the store may already hold. Throws if the store holds anything else, which would enter all figures. */
async function hashKnownFiles(
  folder: string,
  { train, test, other }: E3Files,
  signal: AbortSignal | undefined,
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  const held = (await readManifest(folder))?.ingests.flatMap(({ files }) => files) ?? [];
  const sizes = new Map<string, number>();
  for (const path of [...train, ...test, ...other]) sizes.set(path, (await stat(path)).size);
  // Compare sizes first: hashing takes much longer.
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
    `the store of an earlier run holds ${printable(name, 200)}, which is missing from --data or has changed since`,
    {
      hint: `remove ${printable(folder, 200)} and run again, or use another --out`,
      where: { file: folder },
      exit: EXIT.usage,
    },
  );
}

async function splitDays({ host }: E3Files, folder: string): Promise<IngestedE3> {
  const days = DAY_SCHEMES[host];
  const splits = SPLIT_NAMES.map((name) => ({ name, ranges: dayRanges(days[name]) }));
  const { outside } = await splitByTime(folder, splits);
  return {
    sources: sourcesOf(folder, {
      train: { split: 'train' },
      calibrate: { split: 'calibrate' },
      test: { split: 'test' },
    }),
    notes: outside === 0 ? [] : [`${outside} events were left out: their days belong to no split`],
  };
}

function sourcesOf(folder: string, of: Record<SplitName, Selection>): Record<SplitName, SplitSource> {
  return {
    train: { folder, selection: of.train },
    calibrate: { folder, selection: of.calibrate },
    test: { folder, selection: of.test },
  };
}
