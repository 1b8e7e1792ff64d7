import { join } from 'node:path';
import { escapeGlob, openDuckDB, readParquet } from '../duckdb.js';
import { BACKUP, readManifest, replaceManifest, type Segment } from '../manifest.js';
import { readStates } from '../reader-states.js';
import { Store, StoreWriter } from '../store.js';
import { unlistedFiles } from './journal.js';
import { checkSegment, hashSegment, type SegmentDamage } from './verify-segments.js';

export interface Verification {
  readonly segments: number;
  readonly bytes: number;
  readonly damaged: readonly SegmentDamage[];
  /** Segments of 0.1.0, of which only size, readability and rows were checked. */
  readonly withoutChecksum: number;
  /** Checksums written with `add`. */
  readonly added: number;
  /** Whether the copy of the manifest is equal to it. */
  readonly backup: 'equal' | 'older' | 'differs' | 'missing';
  /** Files beside the segments that the manifest does not list. */
  readonly unlisted: readonly string[];
  /** Segments that `recal repair` took out of the store. */
  readonly setAside: readonly Segment[];
}

/** Compares every file of a store with its manifest. `add` writes the checksums that segments of 0.1.0 lack. */
export async function verifyStore(
  folder: string,
  { add = false, signal }: { add?: boolean | undefined; signal?: AbortSignal | undefined } = {},
): Promise<Verification> {
  const { manifest } = await Store.open(folder);
  await readStates(folder, manifest);
  const damaged: SegmentDamage[] = [];
  const unsealed: Segment[] = [];
  for (const segment of manifest.segments) {
    signal?.throwIfAborted();
    const damage =
      (await checkSegment(folder, segment)) ??
      (segment.sha256 === undefined ? await readWhole(folder, segment) : undefined);
    if (damage !== undefined) damaged.push(damage);
    else if (segment.sha256 === undefined) unsealed.push(segment);
  }
  const added = add && unsealed.length > 0 ? await addChecksums(folder, unsealed) : 0;
  return {
    segments: manifest.segments.length,
    bytes: manifest.segments.reduce((sum, { bytes }) => sum + bytes, 0),
    damaged,
    withoutChecksum: unsealed.length - added,
    added,
    backup: await compareBackup(folder),
    unlisted: await unlistedFiles(folder, manifest),
    setAside: manifest.setAside,
  };
}

/** Reads every column of a segment without a checksum, and counts its rows. */
async function readWhole(folder: string, segment: Segment): Promise<SegmentDamage | undefined> {
  const database = await openDuckDB();
  try {
    const connection = await database.connect();
    const found = await connection.runAndReadAll(
      `SELECT count(*), bit_xor(hash(segment)) FROM ${readParquet('$1')} segment`,
      [escapeGlob(join(folder, segment.path))],
    );
    const [[rows]] = found.getRows();
    return Number(rows) === segment.rows ? undefined : { segment, reason: 'unreadable' };
  } catch {
    return { segment, reason: 'unreadable' };
  } finally {
    database.closeSync();
  }
}

async function addChecksums(folder: string, segments: readonly Segment[]): Promise<number> {
  const writer = await StoreWriter.open(folder, { create: false });
  try {
    const paths = new Set(segments.map(({ path }) => path));
    const sealed = await Promise.all(
      writer.manifest.segments.map(async (segment) => {
        if (segment.sha256 !== undefined || !paths.has(segment.path)) return segment;
        return { ...segment, sha256: (await hashSegment(join(folder, segment.path))).sha256 };
      }),
    );
    await replaceManifest(folder, { ...writer.manifest, segments: sealed });
    return segments.length;
  } finally {
    await writer.close();
  }
}

async function compareBackup(folder: string): Promise<Verification['backup']> {
  const copy = await readManifest(folder, BACKUP).catch(() => null);
  if (copy === undefined) return 'missing';
  if (copy === null) return 'differs';
  // A copy that is intact is one of an earlier state: a writer ended before it copied the manifest.
  return JSON.stringify(copy) === JSON.stringify(await readManifest(folder)) ? 'equal' : 'older';
}
