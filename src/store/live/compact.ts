import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { explainStoreError, openDuckDB, pathList, readSegments, sqlLiteral } from '../duckdb.js';
import { countEntities } from '../entity-counts.js';
import { checkSegment, damagedSegment, hashSegment } from '../integrity/verify-segments.js';
import type { FileEntry, IngestEntry, Manifest, Segment } from '../manifest.js';
import { hostFolder, segmentPath } from '../segments/segment-path.js';
import type { StoreWriter } from '../store.js';
import { addSummaries } from '../summaries.js';

/** An ingest of so many events takes no more. */
export const EVENTS_PER_INGEST = 500_000;
const PARQUET = '(FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, COMPRESSION_LEVEL 1)';

/** The columns of a statement about an entity. */
const STATEMENT =
  'host, entity, type, kind, name, name_rank, cmd, pid, parent, principal, local, session, container, unit';

export interface Compacted {
  readonly manifest: Manifest;
  readonly folder: string;
  readonly added: readonly Segment[];
  readonly merged: IngestEntry;
}

/** Merges ingests into a new one, with one segment per host and day. The caller commits it. */
export async function compactIngests(writer: StoreWriter, numbers: readonly number[]): Promise<Compacted> {
  const { manifest } = writer;
  const wanted = new Set(numbers);
  const ingests = manifest.ingests.filter(({ number }) => wanted.has(number));
  const segments = manifest.segments.filter(({ ingest }) => wanted.has(ingest));
  const folder = join(writer.stagingFolder, `${process.pid}-${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  const database = await openDuckDB({ memoryMiB: 512, spillFolder: join(folder, 'spill') });
  try {
    // Damage must not get a new checksum.
    for (const segment of segments) {
      const damage = await checkSegment(writer.folder, segment);
      if (damage !== undefined) throw damagedSegment(damage, writer.folder);
    }
    const connection = await database.connect();
    const files = mergeFiles(ingests.flatMap((ingest) => ingest.files));
    const number = manifest.nextIngest;
    const merger = new SegmentMerger(connection, writer.folder, folder, number, files.renumbered);
    const added = await merger.merge(segments);
    const counts = await countEntities(connection, folder, added);
    const merged: IngestEntry = {
      number,
      split: null,
      files: files.files,
      summary: addSummaries(
        ingests.map(({ summary }) => summary),
        counts,
      ),
    };
    return {
      folder,
      added,
      merged,
      manifest: {
        ...manifest,
        ingests: [...manifest.ingests.filter((ingest) => !wanted.has(ingest.number)), merged],
        segments: [...manifest.segments.filter(({ ingest }) => !wanted.has(ingest)), ...added],
      },
    };
  } catch (error) {
    throw explainStoreError(error, folder);
  } finally {
    database.closeSync();
  }
}

/** The parts of one log become one file, with the number of the first. */
function mergeFiles(all: readonly FileEntry[]): { files: FileEntry[]; renumbered: Map<number, number> } {
  const merged = new Map<string, FileEntry>();
  const renumbered = new Map<number, number>();
  for (const file of all) {
    const known = merged.get(file.sha256);
    if (known === undefined) merged.set(file.sha256, structuredClone(file));
    else {
      renumbered.set(file.number, known.number);
      known.name = file.name;
      known.bytes += file.bytes;
      for (const source of file.sources) {
        const same = known.sources.find(({ format }) => format === source.format);
        if (same === undefined) known.sources.push({ ...source });
        else same.lines += source.lines;
      }
    }
  }
  return { files: [...merged.values()], renumbered };
}

class SegmentMerger {
  readonly #connection: DuckDBConnection;
  readonly #store: string;
  readonly #folder: string;
  readonly #ingest: number;
  readonly #file: string;
  #part = 0;

  constructor(
    connection: DuckDBConnection,
    store: string,
    folder: string,
    ingest: number,
    renumbered: ReadonlyMap<number, number>,
  ) {
    this.#connection = connection;
    this.#store = store;
    this.#folder = folder;
    this.#ingest = ingest;
    const cases = [...renumbered].map(([from, to]) => `WHEN ${from} THEN ${to}`);
    this.#file = cases.length === 0 ? 'file' : `(CASE file ${cases.join(' ')} ELSE file END)::INTEGER`;
  }

  async merge(segments: readonly Segment[]): Promise<Segment[]> {
    const groups = new Map<string, Segment[]>();
    for (const segment of segments) {
      const key = JSON.stringify([segment.kind, segment.host, segment.day]);
      groups.set(key, [...(groups.get(key) ?? []), segment]);
    }
    const merged: Segment[] = [];
    for (const [, group] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1)))
      merged.push(await this.#write(group));
    return merged;
  }

  async #write(group: readonly Segment[]): Promise<Segment> {
    const [{ kind, host, day }] = group;
    const path = segmentPath(kind, hostFolder(host), day ?? undefined, this.#ingest, ++this.#part);
    const target = join(this.#folder, path);
    await mkdir(dirname(target), { recursive: true });
    const paths = pathList(group.map((segment) => join(this.#store, segment.path)));
    await this.#connection.run('CREATE OR REPLACE TEMP TABLE merging AS SELECT $1::VARCHAR[] AS paths', [
      paths,
    ]);
    await this.#connection.run('SET VARIABLE merging = (SELECT paths FROM merging)');
    const rows = readSegments(kind, "getvariable('merging')");
    const query = kind === 'events' ? this.#events(rows) : entities(rows);
    const { rowsChanged } = await this.#connection.run(`COPY (${query}) TO ${sqlLiteral(target)} ${PARQUET}`);
    const times = group.flatMap(({ firstTs, lastTs }) => [firstTs, lastTs].map((time) => BigInt(time ?? 0)));
    const sorted = BigInt64Array.from(times).sort();
    return {
      kind,
      path,
      ingest: this.#ingest,
      host,
      day,
      rows: rowsChanged,
      firstTs: String(sorted[0]),
      lastTs: String(sorted[sorted.length - 1]),
      ...(await hashSegment(target)),
    };
  }

  #events(rows: string): string {
    return `SELECT ts, seq, host, subject, relation, action, object, object2, flow, ok, attrs, ${this.#file} AS file, line
      FROM ${rows} ORDER BY ts, seq, file, line`;
  }
}

/** One row per distinct statement and period with one name, as a single ingest would write them. */
function entities(rows: string): string {
  const order = 'PARTITION BY host, entity ORDER BY first_ts, first_seq, name';
  return `
    WITH source AS (SELECT * FROM ${rows}),
      renamed AS (SELECT host, entity FROM source WHERE name IS NOT NULL GROUP BY host, entity HAVING min(name) < max(name)),
      periods AS (
        SELECT s.*, 0 AS period FROM source s WHERE name IS NULL OR (host, entity) NOT IN (SELECT (host, entity) FROM renamed)
        UNION ALL
        SELECT * EXCLUDE (changed), sum(changed) OVER (${order} ROWS UNBOUNDED PRECEDING)::INTEGER AS period
        FROM (SELECT *, (name IS DISTINCT FROM lag(name) OVER (${order}))::INTEGER AS changed
          FROM source WHERE name IS NOT NULL AND (host, entity) IN (SELECT (host, entity) FROM renamed)))
    SELECT host, entity, id, type, kind, name, name_rank, cmd, pid, parent, principal, local, session, container, unit,
      first[1] AS first_ts, first[2] AS first_seq, last[1] AS last_ts, last[2] AS last_seq
    FROM (SELECT ${STATEMENT}, max(id) AS id, min((first_ts, first_seq)) AS first, max((last_ts, last_seq)) AS last
      FROM periods GROUP BY ${STATEMENT}, period)
    ORDER BY entity, last_ts, last_seq, name, cmd, kind, type, name_rank, pid, parent, principal, local, session,
      container, unit`;
}
