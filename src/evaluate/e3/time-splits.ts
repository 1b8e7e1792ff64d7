import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { RecalError } from '../../base/errors.js';
import { escapeGlob, explainStoreError, openDuckDB, readParquet, sqlLiteral } from '../../store/duckdb.js';
import { checkSegment, damagedSegment, hashSegment } from '../../store/integrity/verify-segments.js';
import type { IngestEntry, Manifest, Segment, Summary } from '../../store/manifest.js';
import { countRows } from '../../store/segments/count-rows.js';
import { describeRows } from '../../store/segments/segment-parts.js';
import { folderOf, segmentPath } from '../../store/segments/segment-path.js';
import { StoreWriter } from '../../store/store.js';

export interface TimeRange {
  /** Nanoseconds, inclusive. */
  readonly from: bigint;
  /** Exclusive. */
  readonly to: bigint;
}

/** A split and its time ranges. */
export interface TimeSplit {
  readonly name: string;
  readonly ranges: readonly TimeRange[];
}

/**
 * Moves the events of a store into splits by time. Unlike a selection, a split can have several time ranges. Events
 * outside all ranges are dropped and counted; entities are kept. Events that are already in one of the splits stay there.
 */
export async function splitByTime(
  folder: string,
  splits: readonly TimeSplit[],
): Promise<{ outside: number; done: 'split' | 'unchanged' }> {
  const writer = await StoreWriter.open(folder, { create: false });
  const database = await openDuckDB();
  try {
    const { manifest } = writer;
    const names = new Set<string | null>(splits.map(({ name }) => name));
    const sorted = numbersOf(manifest, (split) => names.has(split));
    const fresh = manifest.segments.filter(({ kind, ingest }) => kind === 'events' && !sorted.has(ingest));
    if (fresh.length === 0) return { outside: outsideOf(manifest), done: 'unchanged' };
    const connection = await database.connect();
    const cutter = new SegmentCutter(writer, connection, splits);
    for (const segment of fresh) await cutter.cut(segment);
    const next = cutter.manifest(fresh);
    for (const { name } of splits) {
      const own = numbersOf(next, (split) => split === name);
      if (!next.segments.some(({ ingest }) => own.has(ingest))) throw emptySplit(name, folder);
    }
    await writer.commit(next, writer.stagingFolder, cutter.added);
    return { outside: outsideOf(next), done: 'split' };
  } catch (error) {
    throw error instanceof RecalError ? error : explainStoreError(error, folder);
  } finally {
    database.closeSync();
    await writer.close();
  }
}

class SegmentCutter {
  readonly added: Segment[] = [];
  readonly #moved: Segment[] = [];
  readonly #writer: StoreWriter;
  readonly #connection: DuckDBConnection;
  readonly #splits: readonly TimeSplit[];

  constructor(writer: StoreWriter, connection: DuckDBConnection, splits: readonly TimeSplit[]) {
    this.#writer = writer;
    this.#connection = connection;
    this.#splits = splits;
  }

  async cut(segment: Segment): Promise<void> {
    const [first, last] = [BigInt(segment.firstTs ?? 0), BigInt(segment.lastTs ?? 0)];
    for (const [s, { ranges }] of this.#splits.entries()) {
      for (const range of ranges) {
        if (range.to <= first || range.from > last) continue;
        // A segment inside one range is moved without being rewritten.
        if (range.from <= first && last < range.to) this.#moved.push({ ...segment, ingest: this.#number(s) });
        else await this.#write(segment, range, this.#number(s));
      }
    }
  }

  /** Each split becomes an ingest without files. The files stay with the ingest that read them. */
  manifest(cut: readonly Segment[]): Manifest {
    const { manifest } = this.#writer;
    const removed = new Set(cut);
    const kept = manifest.segments.filter((segment) => !removed.has(segment));
    const segments = [...kept, ...this.#moved, ...this.added];
    const events = rowsOf(cut);
    const inside = rowsOf([...this.#moved, ...this.added]);
    const entries = this.#splits.map(({ name }, s): IngestEntry => {
      const number = this.#number(s);
      const rows = rowsOf(segments.filter(({ ingest }) => ingest === number));
      return { number, split: name, files: [], summary: summaryOf(rows, s === 0 ? events - inside : 0) };
    });
    return {
      ...manifest,
      segments,
      ingests: [...manifest.ingests, ...entries],
      nextIngest: manifest.nextIngest + entries.length,
    };
  }

  #number(split: number): number {
    return this.#writer.manifest.nextIngest + split;
  }

  async #write(segment: Segment, { from, to }: TimeRange, ingest: number): Promise<void> {
    const where = `ts >= ${from} AND ts < ${to}`;
    const source = this.#writer.folder;
    const damage = await checkSegment(source, segment);
    if (damage !== undefined) throw damagedSegment(damage, source);
    const rows = await countRows(this.#connection, 'events', `${readParquet('$1')} WHERE ${where}`, [
      escapeGlob(join(source, segment.path)),
    ]);
    if (rows.length === 0) return;
    const day = segment.day ?? undefined;
    const path = segmentPath('events', folderOf(rows), day, ingest, this.added.length + 1);
    const target = join(this.#writer.stagingFolder, path);
    await mkdir(dirname(target), { recursive: true });
    await this.#connection.run(
      `COPY (SELECT * FROM ${readParquet(sqlLiteral(escapeGlob(join(source, segment.path))))} WHERE ${where}
       ORDER BY ${rows.length > 1 ? 'host, ' : ''}ts, seq, file, line) TO ${sqlLiteral(target)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
    );
    const { bytes, sha256 } = await hashSegment(target);
    this.added.push({
      ...segment,
      ...describeRows(rows),
      path,
      ingest,
      bytes,
      sha256,
    });
  }
}

function numbersOf({ ingests }: Manifest, wanted: (split: string | null) => boolean): Set<number> {
  return new Set(ingests.filter(({ split }) => wanted(split)).map(({ number }) => number));
}

function rowsOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { rows }) => sum + rows, 0);
}

const OUTSIDE = 'outside all splits';

function outsideOf({ ingests }: Manifest): number {
  return ingests.reduce((sum, { summary }) => sum + (summary.skipped[OUTSIDE] ?? 0), 0);
}

function summaryOf(events: number, outside: number): Summary {
  return {
    events,
    edges: { total: 0, secondObject: 0 },
    unresolved: 0,
    relations: {},
    readings: [],
    identities: { users: 0, sessions: 0, containers: 0, units: 0 },
    records: {},
    entities: { total: 0, byType: {}, bySourceType: {}, placeholders: 0 },
    noObject: 0,
    malformed: 0,
    merged: {},
    skipped: outside > 0 ? { [OUTSIDE]: outside } : {},
    repaired: {},
    losses: [],
    outOfOrder: 0,
    lines: 0,
    firstTs: null,
    lastTs: null,
  };
}

function emptySplit(name: string, folder: string): RecalError {
  return new RecalError('nothing-selected', `no event is in the days of the ${name} split`, {
    hint: 'check that the logs are of April 2018 with recal inspect FILE',
    where: { file: folder },
  });
}
