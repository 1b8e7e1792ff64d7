import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { RecalError } from '../../base/errors.js';
import { ACTIONS } from '../../ingest/actions.js';
import { ABSENT_TEXT, type Batch, NO_SYMBOL, TEXT_FIELDS, TEXTS_PER_UPSERT } from '../../ingest/batch.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import { explainStoreError, type RawColumn, sqlLiteral } from '../duckdb.js';
import type { EventPosition } from '../ingest-counters.js';
import { hashSegment } from '../integrity/verify-segments.js';
import type { Segment } from '../manifest.js';
import { withPeriods } from './name-periods.js';
import { hostFolder, segmentPath } from './segment-path.js';
import { SegmentTables } from './segment-tables.js';
import { NO_TEXT } from './text-numbers.js';

/** Rows and bytes that are collected before segments are written; they bound the memory. */
const EVENTS_PER_SEGMENT = 500_000;
const UPSERTS_PER_SEGMENT = 250_000;
const TEXT_BYTES_PER_SEGMENT = 64 << 20;

/** From this many hosts on, rows are prepared for all of them together. */
const MANY = 8;

const NANOSECONDS_PER_DAY = 86_400_000_000_000n;
/** SQL for the day number of a time. It rounds down, also before 1970, and works for any 64-bit time. */
const DAY = `CASE WHEN ts >= 0 THEN ts // ${NANOSECONDS_PER_DAY} ELSE -1 - (-1 - ts) // ${NANOSECONDS_PER_DAY} END`;
const ZERO = `'00000000-0000-0000-0000-000000000000'::UUID`;

/** The destination of segments. */
export interface SegmentTarget {
  /** Folder with the same layout as a store. */
  readonly folder: string;
  readonly ingest: number;
}

/** Time of the upserts in batches before the first event of their source. */
const NO_TIME = 0n;

/**
 * Collects batches in DuckDB and writes them as sorted Parquet segments, by host and day. While one set of tables is
 * sorted and written, the next one collects rows.
 */
export class SegmentWriter {
  readonly segments: Segment[] = [];
  readonly #target: SegmentTarget;
  readonly #collect: DuckDBConnection;
  readonly #write: DuckDBConnection;
  #tables!: SegmentTables;
  /** Relations, hosts and source types by number, for the whole ingest. */
  readonly #symbols: string[] = [];
  readonly #symbolNumbers = new Map<string, number>();
  /** Maps the symbol numbers of the current batch to those of `#symbols`. */
  readonly #renumbered = new Uint16Array(NO_SYMBOL + 1);
  #eventRows = 0;
  #upsertRows = 0;
  #writing: Promise<void> = Promise.resolve();
  #written = 0;

  private constructor(target: SegmentTarget, collect: DuckDBConnection, write: DuckDBConnection) {
    this.#target = target;
    this.#collect = collect;
    this.#write = write;
  }

  static async open(database: DuckDBInstance, target: SegmentTarget): Promise<SegmentWriter> {
    const writer = new SegmentWriter(target, await database.connect(), await database.connect());
    writer.#tables = await SegmentTables.create(writer.#collect, 0);
    return writer;
  }

  /** Waits for a write in progress, because the caller moves or removes its files next. */
  async close(): Promise<void> {
    await this.#writing.catch(() => undefined);
    this.#collect.closeSync();
    this.#write.closeSync();
  }

  /**
   * Adds a batch with final times. `before` is the last event before it in its source, `firstLine` counts the lines of
   * all members of an archive, and `host` replaces the host in the log.
   */
  async add(
    batch: Batch,
    place: { file: number; firstLine: number; host: string | undefined; before: EventPosition | undefined },
  ): Promise<void> {
    this.#renumber(batch, place.host);
    if (batch.events > 0) this.#appendEvents(batch, place.file, place.firstLine);
    if (batch.upserts > 0) this.#appendUpserts(batch, place.before);
    this.#eventRows += batch.events;
    this.#upsertRows += batch.upserts;
    if (
      this.#eventRows >= EVENTS_PER_SEGMENT ||
      this.#upsertRows >= UPSERTS_PER_SEGMENT ||
      this.#tables.texts.byteLength >= TEXT_BYTES_PER_SEGMENT
    ) {
      await this.#flush();
    }
  }

  /** Writes the remaining rows and returns all segments. */
  async finish(): Promise<readonly Segment[]> {
    if (this.#eventRows > 0 || this.#upsertRows > 0) await this.#flush();
    await this.#writing;
    return this.segments;
  }

  #internSymbol(symbol: string): number {
    let number = this.#symbolNumbers.get(symbol);
    if (number === undefined) {
      if (this.#symbols.length === NO_SYMBOL) throw tooManySymbols();
      number = this.#symbols.push(symbol) - 1;
      this.#symbolNumbers.set(symbol, number);
    }
    return number;
  }

  #renumber(batch: Batch, host: string | undefined): void {
    const numbers = this.#renumbered.fill(NO_SYMBOL);
    batch.symbols.forEach((symbol, number) => {
      if (symbol !== '') numbers[number] = this.#internSymbol(symbol);
    });
    const { relation, upsertKind } = batch;
    for (let i = 0; i < batch.events; i++) relation[i] = numbers[relation[i]];
    for (let i = 0; i < batch.upserts; i++) upsertKind[i] = numbers[upsertKind[i]];
    numbers[NO_SYMBOL] = this.#internSymbol(host ?? UNKNOWN_HOST);
    if (host !== undefined) numbers.fill(numbers[NO_SYMBOL]);
    for (let i = 0; i < batch.events; i++) batch.host[i] = numbers[batch.host[i]];
    for (let i = 0; i < batch.upserts; i++) batch.upsertHost[i] = numbers[batch.upsertHost[i]];
  }

  #appendEvents(batch: Batch, file: number, firstLine: number): void {
    const rows = batch.events;
    const files = new Int32Array(rows).fill(file);
    const lines = batch.line;
    for (let i = 0; i < rows; i++) lines[i] += firstLine;
    this.#tables.events.append(
      [
        raw(batch.ts, 8),
        raw(batch.seq, 8),
        raw(batch.host, 2),
        raw(batch.subject, 16),
        raw(batch.relation, 2),
        raw(batch.action, 1),
        raw(batch.object, 16),
        raw(batch.object2, 16),
        raw(batch.flow, 1),
        raw(batch.ok, 1),
        raw(files, 4),
        raw(lines, 4),
      ],
      rows,
    );
    this.#tables.order.add(batch.ts, batch.seq, rows);
    const { attrs } = batch;
    if (attrs.length === 0) return;
    this.#tables.hasAttrs = true;
    const attrsLines = Uint32Array.from(attrs, ({ row }) => lines[row]);
    const attrsSeqs = BigInt64Array.from(attrs, ({ row }) => batch.seq[row]);
    this.#tables.attrs.append(
      [raw(files, 4), raw(attrsLines, 4), raw(attrsSeqs, 8), { text: (index) => attrs[index].json }],
      attrs.length,
    );
  }

  #appendUpserts(batch: Batch, before: EventPosition | undefined): void {
    const rows = batch.upserts;
    const earliest = before?.ts ?? (batch.events > 0 ? batch.ts[0] : NO_TIME);
    const earliestSeq = before?.seq ?? 0n;
    const { upsertRow, upsertLast } = batch;
    this.#tables.upserts.append(
      [
        raw(pickRows(batch.ts, upsertRow, rows, earliest), 8),
        raw(pickRows(batch.seq, upsertRow, rows, earliestSeq), 8),
        raw(pickRows(batch.ts, upsertLast, rows, earliest), 8),
        raw(pickRows(batch.seq, upsertLast, rows, earliestSeq), 8),
        raw(batch.upsertHost, 2),
        raw(batch.upsertKey, 16),
        raw(batch.upsertType, 1),
        raw(batch.upsertKind, 2),
        raw(batch.upsertRank, 1),
        raw(batch.upsertPid, 4),
        raw(batch.upsertParent, 16),
        raw(batch.upsertUser, 16),
        ...this.#internTexts(batch).map((column) => raw(column, 4)),
      ],
      rows,
    );
  }

  #internTexts(batch: Batch): Uint32Array[] {
    const { texts } = this.#tables;
    const { text, upsertText } = batch;
    return TEXT_FIELDS.map((_, field) => {
      const column = new Uint32Array(batch.upserts);
      for (let row = 0; row < column.length; row++) {
        const slot = (row * TEXTS_PER_UPSERT + field) * 2;
        const length = upsertText[slot + 1];
        column[row] = length === ABSENT_TEXT ? NO_TEXT : texts.number(text, upsertText[slot], length);
      }
      return column;
    });
  }

  /** Starts writing the collected tables and creates new ones. */
  async #flush(): Promise<void> {
    await this.#writing; // a second write at the same time would double the memory
    const full = this.#tables;
    full.close();
    const symbols = [...this.#symbols];
    this.#eventRows = 0;
    this.#upsertRows = 0;
    this.#tables = await SegmentTables.create(this.#collect, full.generation + 1);
    const writing = this.#writeSegments(full, symbols);
    writing.catch(() => undefined); // the next await of `#writing` throws the error
    this.#writing = writing;
  }

  async #writeSegments(tables: SegmentTables, symbols: readonly string[]): Promise<void> {
    const { generation } = tables;
    try {
      await this.#writeEvents(tables, symbols);
      await this.#writeUpserts(generation, symbols);
      const drops = ['events', 'attrs', 'upserts', 'texts'].map((name) => `DROP TABLE ${name}${generation}`);
      await this.#write.run(drops.join('; '));
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
    const days = await this.#write.runAndReadAll(`
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
      await this.#write.run(
        `CREATE TEMP TABLE ${worded} AS SELECT e.host AS number, ${columns} FROM ${table} e ${attrs}`,
      );
    }
    for (const { host, day, rows, first, last } of days.getRowObjects()) {
      const midnight = (day as bigint) * NANOSECONDS_PER_DAY;
      const dayText = new Date(Number(day as bigint) * 86_400_000).toISOString().slice(0, 10);
      const path = await this.#nextPath('events', symbols[host as number], dayText);
      const chosen = (number: string) =>
        `WHERE ${number} = ${host} AND ts BETWEEN ${midnight} AND ${midnight + NANOSECONDS_PER_DAY - 1n} ORDER BY ts, seq, file, line`;
      const written = await this.#copy(
        isWorded
          ? `SELECT * EXCLUDE (number) FROM ${worded} ${chosen('number')}`
          : `SELECT ${columns} FROM ${table} e ${attrs} ${isSorted ? '' : chosen('e.host')}`,
        path,
      );
      if (written !== Number(rows)) throw miscounted(path, Number(rows), written);
      const segment = { kind: 'events' as const, path, host: symbols[host as number], day: dayText };
      await this.#addSegment({
        ...segment,
        rows: Number(rows),
        firstTs: String(first),
        lastTs: String(last),
      });
    }
    if (isWorded) await this.#write.run(`DROP TABLE ${worded}`);
  }

  /**
   * Writes one row per distinct upsert, with its first and last time. If the name of an entity changes, each period with
   * one name has its own rows: a process may be `sh`, then `vi`, then `sh` again.
   */
  async #writeUpserts(generation: number, symbols: readonly string[]): Promise<void> {
    const table = `upserts${generation}`;
    const texts = TEXT_FIELDS.map(
      (field) => `JOIN texts${generation} t_${field} ON t_${field}.number = u.${field}`,
    );
    const hosts = await this.#write.runAndReadAll(
      `SELECT host, min(first_ts) AS first, max(last_ts) AS last FROM ${table} GROUP BY host ORDER BY host`,
    );
    const types = ENTITY_TYPES.map((type, index) => `WHEN ${index + 1} THEN '${type}'`).join(' ');
    const merged = (rows: string) =>
      `SELECT h.text AS host, entity, t_id.text AS id, CASE type ${types} END AS type, k.text AS kind,
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
    const isWorded = hosts.currentRowCount > MANY;
    const worded = `worded_upserts${generation}`;
    if (isWorded) await this.#write.run(`CREATE TEMP TABLE ${worded} AS ${merged(`${table} WHERE true`)}`);
    for (const { host, first, last } of hosts.getRowObjects()) {
      const path = await this.#nextPath('entities', symbols[host as number], undefined);
      const source = isWorded ? worded : `(${merged(`${table} WHERE host = ${host}`)})`;
      const rows = await this.#copy(
        `SELECT * EXCLUDE (number) FROM ${source} ${isWorded ? `WHERE number = ${host}` : ''}
         ORDER BY entity, last_ts, last_seq, name, cmd, kind, type, name_rank, pid, parent, principal, local, session,
           container, unit`,
        path,
      );
      const segment = { kind: 'entities' as const, path, host: symbols[host as number], day: null };
      await this.#addSegment({ ...segment, rows, firstTs: String(first), lastTs: String(last) });
    }
    if (isWorded) await this.#write.run(`DROP TABLE ${worded}`);
  }

  async #writeSymbols(symbols: readonly string[]): Promise<void> {
    await this.#write.run('CREATE OR REPLACE TABLE symbols (number USMALLINT, text VARCHAR)');
    const appender = await this.#write.createAppender('symbols');
    symbols.forEach((symbol, number) => {
      appender.appendUSmallInt(number);
      appender.appendVarchar(symbol);
      appender.endRow();
    });
    appender.closeSync();
    await this.#write.run('SET VARIABLE symbols = (SELECT list(text ORDER BY number) FROM symbols)');
  }

  async #nextPath(kind: 'events' | 'entities', host: string, day: string | undefined): Promise<string> {
    const path = segmentPath(kind, hostFolder(host), day, this.#target.ingest, ++this.#written);
    await mkdir(dirname(join(this.#target.folder, path)), { recursive: true });
    return path;
  }

  /**
   * Writes the result of a query to a Parquet file and returns the number of rows. Parquet version 2 encodes times,
   * lines, UUIDs and texts in half the bytes or less, and faster.
   */
  async #copy(query: string, path: string): Promise<number> {
    const file = sqlLiteral(join(this.#target.folder, path));
    const { rowsChanged } = await this.#write.run(
      `COPY (${query}) TO ${file} (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
    );
    return rowsChanged;
  }

  async #addSegment(segment: Omit<Segment, 'ingest' | 'bytes' | 'sha256'>): Promise<void> {
    const { sha256, bytes } = await hashSegment(join(this.#target.folder, segment.path));
    this.segments.push({ ...segment, ingest: this.#target.ingest, bytes, sha256 });
  }
}

/** The host of events without a host in the log. */
export const UNKNOWN_HOST = 'unknown';

function tooManySymbols(): RecalError {
  return new RecalError(
    'too-many-words',
    `the input has more than ${NO_SYMBOL} different relations, entity types and hosts`,
    { hint: 'check that the input is a log (most have a few hundred), or ingest its files in several runs' },
  );
}

function miscounted(path: string, events: number, written: number): RecalError {
  return new RecalError('internal', `${path} has ${written} rows instead of ${events}`, {
    hint: 'report this as a bug; the store is unchanged',
  });
}

/** The values of `from` at these rows; `fallback` for row -1. */
function pickRows(from: BigInt64Array, rows: Int32Array, count: number, fallback: bigint): BigInt64Array {
  const picked = new BigInt64Array(count).fill(fallback);
  // 32-bit halves avoid allocating a BigInt per row.
  const halves = new Int32Array(picked.buffer);
  const source = new Int32Array(from.buffer, from.byteOffset, from.length * 2);
  for (let i = 0; i < count; i++) {
    const row = rows[i];
    if (row < 0) continue;
    halves[i * 2] = source[row * 2];
    halves[i * 2 + 1] = source[row * 2 + 1];
  }
  return picked;
}

function raw(bytes: RawColumn['bytes'], width: number): RawColumn {
  return { bytes, width };
}
