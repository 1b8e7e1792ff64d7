import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type DuckDBConnection, listValue } from '@duckdb/node-api';
import { RecalError } from '../../base/errors.js';
import { ACTIONS } from '../../ingest/actions.js';
import { TEXT_FIELDS } from '../../ingest/batch.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import { explainStoreError, sqlLiteral } from '../duckdb.js';
import { hashSegment } from '../integrity/verify-segments.js';
import type { HostPart, Segment } from '../manifest.js';
import { groupHosts } from './group-hosts.js';
import { withPeriods } from './name-periods.js';
import { describeRows } from './segment-parts.js';
import { folderOf, segmentPath } from './segment-path.js';
import type { SegmentTables } from './segment-tables.js';

/** From this many hosts on, rows are prepared for all of them together. */
const MANY = 8;

const NANOSECONDS_PER_DAY = 86_400_000_000_000n;
/** SQL for the day number of a time. It rounds down, also before 1970, and works for any 64-bit time. */
const DAY = `CASE WHEN ts >= 0 THEN ts // ${NANOSECONDS_PER_DAY} ELSE -1 - (-1 - ts) // ${NANOSECONDS_PER_DAY} END`;
const ZERO = `'00000000-0000-0000-0000-000000000000'::UUID`;

const EVENT_ORDER = 'ts, seq, file, line';
const UPSERT_ORDER = `entity, last_ts, last_seq, name, cmd, kind, type, name_rank, pid, parent, principal, local, session,
           container, unit, first_ts, first_seq`;

/** The destination of segments. */
export interface SegmentTarget {
  /** Folder with the same layout as a store. */
  readonly folder: string;
  readonly ingest: number;
}

/** The rows of one host that belong into one segment. */
interface HostRows extends HostPart {
  /** The host's number in the tables. */
  readonly number: number;
}

/** Writes collected rows as sorted Parquet segments, by host and day. Small hosts of a day share segments. */
export class SegmentFiles {
  readonly segments: Segment[] = [];
  readonly #connection: DuckDBConnection;
  readonly #target: SegmentTarget;
  #written = 0;

  constructor(connection: DuckDBConnection, target: SegmentTarget) {
    this.#connection = connection;
    this.#target = target;
  }

  /** Writes the rows of full tables, which are dropped then. `symbols` are the words that their columns number. */
  async write(tables: SegmentTables, symbols: readonly string[]): Promise<void> {
    const { generation } = tables;
    try {
      await this.#writeEvents(tables, symbols);
      await this.#writeUpserts(generation, symbols);
      const drops = ['events', 'attrs', 'upserts', 'texts'].map((name) => `DROP TABLE ${name}${generation}`);
      await this.#connection.run(drops.join('; '));
    } catch (error) {
      throw explainStoreError(error, this.#target.folder);
    }
  }

  async #writeEvents(
    { generation, order, hasAttrs }: SegmentTables,
    symbols: readonly string[],
  ): Promise<void> {
    const table = `events${generation}`;
    const attrs = hasAttrs ? `LEFT JOIN attrs${generation} USING (file, line, seq)` : '';
    const symbol = (column: string) => `getvariable('symbols')[${column} + 1]`;
    const actions = ACTIONS.map((action, index) => `WHEN ${index + 1} THEN '${action}'`).join(' ');
    const days = await this.#connection.runAndReadAll(`
      SELECT host, ${DAY} AS day, count(*) AS rows, min(ts) AS first, max(ts) AS last
      FROM ${table} GROUP BY ALL ORDER BY ALL`);
    await this.#writeSymbols(symbols);
    // A table that is written whole keeps its insertion order, by file and line, so events in order need no sorting.
    // A filter would make Parquet's row groups depend on DuckDB's threads; a join would change the order of rows.
    const isSorted = order.inOrder && !hasAttrs && days.currentRowCount === 1;
    const columns = `ts, seq, ${symbol('e.host')} AS host, nullif(subject, ${ZERO}) AS subject,
           ${symbol('relation')} AS relation, CASE action ${actions} END AS action, nullif(object, ${ZERO}) AS object, nullif(object2, ${ZERO}) AS object2,
           CASE flow WHEN 1 THEN 'in' WHEN 2 THEN 'out' END AS flow,
           CASE ok WHEN 1 THEN false WHEN 2 THEN true END AS ok,
           ${hasAttrs ? 'attrs' : 'NULL::VARCHAR AS attrs'}, file, line`;
    // The words of many hosts are looked up once for all: a plan per host would cost more than its few rows.
    const isWorded = days.currentRowCount > MANY;
    const worded = `worded_events${generation}`;
    if (isWorded) {
      await this.#connection.run(
        `CREATE TEMP TABLE ${worded} AS SELECT e.host AS number, ${columns} FROM ${table} e ${attrs}`,
      );
    }
    for (const { day, hosts } of groupsOfDays(days.getRowObjects() as unknown as DayRow[], symbols)) {
      const midnight = day * NANOSECONDS_PER_DAY;
      const time = `ts BETWEEN ${midnight} AND ${midnight + NANOSECONDS_PER_DAY - 1n} ORDER BY`;
      const dayText = new Date(Number(day) * 86_400_000).toISOString().slice(0, 10);
      const path = await this.#nextPath('events', hosts, dayText);
      const written = await this.#copy(
        isWorded
          ? `SELECT * EXCLUDE (number) FROM ${worded} WHERE ${await this.#choose(hosts)} AND ${time} ${hosts.length > 1 ? 'host, ' : ''}${EVENT_ORDER}`
          : `SELECT ${columns} FROM ${table} e ${attrs} ${isSorted ? '' : `WHERE e.host = ${hosts[0].number} AND ${time} ${EVENT_ORDER}`}`,
        path,
      );
      await this.#addSegment('events', path, dayText, hosts, written);
    }
    if (isWorded) await this.#connection.run(`DROP TABLE ${worded}`);
  }

  /**
   * Writes one row per distinct upsert, with its first and last time. If the name of an entity changes, each period with
   * one name has its own rows: a process may be `sh`, then `vi`, then `sh` again.
   */
  async #writeUpserts(generation: number, symbols: readonly string[]): Promise<void> {
    const table = `upserts${generation}`;
    const found = await this.#connection.runAndReadAll(
      `SELECT host, count(*) AS rows, min(first_ts) AS first, max(last_ts) AS last FROM ${table} GROUP BY host ORDER BY host`,
    );
    const hosts = (found.getRowObjects() as unknown as HostRow[]).map((row) => hostRows(row, symbols));
    if (hosts.length > MANY) {
      await this.#writeManyUpserts(generation, symbols);
      return;
    }
    for (const host of hosts) {
      const path = await this.#nextPath('entities', [host], undefined);
      const source = mergedUpserts(generation, `${table} WHERE host = ${host.number}`);
      const rows = await this.#copy(
        `SELECT * EXCLUDE (number) FROM (${source}) ORDER BY ${UPSERT_ORDER}`,
        path,
      );
      await this.#addSegment('entities', path, null, [{ ...host, rows }], rows);
    }
  }

  async #writeManyUpserts(generation: number, symbols: readonly string[]): Promise<void> {
    const worded = `worded_upserts${generation}`;
    const source = mergedUpserts(generation, `upserts${generation} WHERE true`);
    await this.#connection.run(`CREATE TEMP TABLE ${worded} AS ${source}`);
    const found = await this.#connection.runAndReadAll(
      `SELECT number AS host, count(*) AS rows, min(first_ts) AS first, max(last_ts) AS last FROM ${worded}
       GROUP BY number ORDER BY number`,
    );
    const rows = (found.getRowObjects() as unknown as HostRow[]).map((row) => hostRows(row, symbols));
    for (const hosts of groupHosts(rows)) {
      const path = await this.#nextPath('entities', hosts, undefined);
      const written = await this.#copy(
        `SELECT * EXCLUDE (number) FROM ${worded} WHERE ${await this.#choose(hosts)}
         ORDER BY ${hosts.length > 1 ? 'host, ' : ''}${UPSERT_ORDER}`,
        path,
      );
      await this.#addSegment('entities', path, null, hosts, written);
    }
    await this.#connection.run(`DROP TABLE ${worded}`);
  }

  async #writeSymbols(symbols: readonly string[]): Promise<void> {
    await this.#connection.run('CREATE OR REPLACE TABLE symbols (number USMALLINT, text VARCHAR)');
    const appender = await this.#connection.createAppender('symbols');
    symbols.forEach((symbol, number) => {
      appender.appendUSmallInt(number);
      appender.appendVarchar(symbol);
      appender.endRow();
    });
    appender.closeSync();
    await this.#connection.run('SET VARIABLE symbols = (SELECT list(text ORDER BY number) FROM symbols)');
  }

  /** SQL that is true for the rows of these hosts, by the column `number`. */
  async #choose(hosts: readonly HostRows[]): Promise<string> {
    if (hosts.length === 1) return `number = ${hosts[0].number}`;
    await this.#connection.run(
      'CREATE OR REPLACE TEMP TABLE sharing AS SELECT unnest($1::USMALLINT[]) AS number',
      [listValue(hosts.map(({ number }) => number))],
    );
    return 'number IN (SELECT number FROM sharing)';
  }

  async #nextPath(
    kind: Segment['kind'],
    hosts: readonly HostRows[],
    day: string | undefined,
  ): Promise<string> {
    const path = segmentPath(kind, folderOf(hosts), day, this.#target.ingest, ++this.#written);
    await mkdir(dirname(join(this.#target.folder, path)), { recursive: true });
    return path;
  }

  /**
   * Writes the result of a query to a Parquet file and returns the number of rows. Parquet version 2 encodes times,
   * lines, UUIDs and texts in half the bytes or less, and faster.
   */
  async #copy(query: string, path: string): Promise<number> {
    const file = sqlLiteral(join(this.#target.folder, path));
    const { rowsChanged } = await this.#connection.run(
      `COPY (${query}) TO ${file} (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
    );
    return rowsChanged;
  }

  async #addSegment(
    kind: Segment['kind'],
    path: string,
    day: string | null,
    hosts: readonly HostRows[],
    written: number,
  ): Promise<void> {
    const parts = hosts.map(({ number: _, ...part }) => part);
    const described = describeRows(parts);
    if (written !== described.rows) throw miscounted(path, described.rows, written);
    const { sha256, bytes } = await hashSegment(join(this.#target.folder, path));
    const { ingest } = this.#target;
    this.segments.push({ kind, path, ingest, day, ...described, bytes, sha256 });
  }
}

interface HostRow {
  readonly host: number;
  readonly rows: bigint;
  readonly first: bigint;
  readonly last: bigint;
}

interface DayRow extends HostRow {
  readonly day: bigint;
}

function hostRows({ host, rows, first, last }: HostRow, symbols: readonly string[]): HostRows {
  return {
    number: host,
    host: symbols[host],
    rows: Number(rows),
    firstTs: String(first),
    lastTs: String(last),
  };
}

/** The hosts and the day of each segment: segments of one host by host and day, then shared ones by day. */
function groupsOfDays(
  rows: readonly DayRow[],
  symbols: readonly string[],
): { readonly day: bigint; readonly hosts: readonly HostRows[] }[] {
  const days = new Map<bigint, HostRows[]>();
  for (const row of rows) {
    const hosts = days.get(row.day);
    if (hosts === undefined) days.set(row.day, [hostRows(row, symbols)]);
    else hosts.push(hostRows(row, symbols));
  }
  const groups = [...days]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([day, hosts]) => groupHosts(hosts).map((group) => ({ day, hosts: group })));
  const own = groups.filter(({ hosts }) => hosts.length === 1);
  const shared = groups.filter(({ hosts }) => hosts.length > 1);
  return [...own.sort((a, b) => a.hosts[0].number - b.hosts[0].number), ...shared];
}

/** SQL for the distinct statements among `rows`, in words. */
function mergedUpserts(generation: number, rows: string): string {
  const texts = TEXT_FIELDS.map(
    (field) => `JOIN texts${generation} t_${field} ON t_${field}.number = u.${field}`,
  );
  const types = ENTITY_TYPES.map((type, index) => `WHEN ${index + 1} THEN '${type}'`).join(' ');
  return `SELECT h.text AS host, entity, t_id.text AS id, CASE type ${types} END AS type, k.text AS kind,
           t_name.text AS name, CASE WHEN t_name.text IS NULL THEN NULL ELSE name_rank END AS name_rank,
           t_cmd.text AS cmd, nullif(pid, -1) AS pid, nullif(parent, ${ZERO}) AS parent,
           nullif(principal, ${ZERO}) AS principal, t_local.text AS local, t_session.text AS session,
           t_container.text AS container, t_unit.text AS unit,
           first[1] AS first_ts, first[2] AS first_seq, last[1] AS last_ts, last[2] AS last_seq,
           u.host AS number
         FROM (
           SELECT host, entity, max(id) AS id, type, kind, name, name_rank, cmd, pid, parent, principal, local, session,
             container, unit,
             min((first_ts, first_seq)) AS first, max((last_ts, last_seq)) AS last
           FROM (${withPeriods(rows)})
           GROUP BY host, entity, type, kind, name, name_rank, cmd, pid, parent, principal, local, session,
             container, unit, period
         ) u LEFT JOIN symbols k ON k.number = kind JOIN symbols h ON h.number = u.host ${texts.join(' ')}`;
}

function miscounted(path: string, rows: number, written: number): RecalError {
  return new RecalError('internal', `${path} has ${written} rows instead of ${rows}`, {
    hint: 'report this as a bug; the store is unchanged',
  });
}
