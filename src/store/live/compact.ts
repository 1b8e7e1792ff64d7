import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type DuckDBConnection, listValue } from '@duckdb/node-api';
import {
  escapeGlob,
  explainStoreError,
  openDuckDB,
  pathList,
  readParquet,
  readSegments,
  sqlLiteral,
} from '../duckdb.js';
import { countEntities } from '../entity-counts.js';
import { checkSegment, damagedSegment, hashSegment } from '../integrity/verify-segments.js';
import type { FileEntry, IngestEntry, Manifest, Segment } from '../manifest.js';
import { countRows } from '../segments/count-rows.js';
import { describeRows, partsOf, type SegmentPart, segmentsOf } from '../segments/segment-parts.js';
import { folderOf, segmentPath } from '../segments/segment-path.js';
import type { StoreWriter } from '../store.js';
import { addSummaries } from '../summaries.js';
import { mergeHosts, regroupParts } from './regroup-parts.js';

const PARQUET = '(FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, COMPRESSION_LEVEL 1)';

const EVENT_ORDER = 'ts, seq, file, line';
const ENTITY_ORDER = `entity, last_ts, last_seq, name, cmd, kind, type, name_rank, pid, parent, principal, local, session,
      container, unit`;

/** The columns of a statement about an entity. */
const STATEMENT =
  'host, entity, type, kind, name, name_rank, cmd, pid, parent, principal, local, session, container, unit';

export interface Compacted {
  readonly manifest: Manifest;
  readonly folder: string;
  readonly added: readonly Segment[];
  readonly merged: IngestEntry;
}

/** Merges ingests into a new one, with one segment per host and day or group of small hosts. The caller commits it. */
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
    const merged: Segment[] = [];
    for (const group of regroupParts(partsOf(segments))) merged.push(await this.#write(group));
    return merged;
  }

  async #write(parts: readonly SegmentPart[]): Promise<Segment> {
    const [{ kind, day }] = parts;
    const names = mergeHosts(parts);
    const path = segmentPath(kind, folderOf(names), day ?? undefined, this.#ingest, ++this.#part);
    const target = join(this.#folder, path);
    await mkdir(dirname(target), { recursive: true });
    const { segments, hosts } = segmentsOf(parts);
    await this.#connection.run(
      'CREATE OR REPLACE TEMP TABLE merging AS SELECT $1::VARCHAR[] AS paths, $2::VARCHAR[] AS hosts',
      [
        pathList(segments.map((segment) => join(this.#store, segment.path))),
        hosts === undefined ? null : listValue([...hosts]),
      ],
    );
    await this.#connection.run('SET VARIABLE merging = (SELECT paths FROM merging)');
    await this.#connection.run('SET VARIABLE merging_hosts = (SELECT hosts FROM merging)');
    const chosen = hosts === undefined ? undefined : "getvariable('merging_hosts')";
    const rows = readSegments(kind, "getvariable('merging')", chosen);
    const query = kind === 'events' ? this.#events(rows) : entities(rows);
    const order = `${names.length > 1 ? 'host, ' : ''}${kind === 'events' ? EVENT_ORDER : ENTITY_ORDER}`;
    const { rowsChanged } = await this.#connection.run(
      `COPY (${query} ORDER BY ${order}) TO ${sqlLiteral(target)} ${PARQUET}`,
    );
    // Statements of several segments may be one, so their number is known only now.
    const written =
      names.length === 1
        ? [{ ...names[0], rows: rowsChanged }]
        : await countRows(this.#connection, kind, readParquet('$1'), [escapeGlob(target)]);
    return {
      kind,
      path,
      ingest: this.#ingest,
      day,
      ...describeRows(written),
      ...(await hashSegment(target)),
    };
  }

  #events(rows: string): string {
    return `SELECT ts, seq, host, subject, relation, action, object, object2, flow, ok, attrs, ${this.#file} AS file, line
      FROM ${rows}`;
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
      FROM periods GROUP BY ${STATEMENT}, period)`;
}
