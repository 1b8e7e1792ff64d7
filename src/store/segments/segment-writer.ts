import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { RecalError } from '../../base/errors.js';
import { ABSENT_TEXT, type Batch, NO_SYMBOL, TEXT_FIELDS, TEXTS_PER_UPSERT } from '../../ingest/batch.js';
import type { RawColumn } from '../duckdb.js';
import type { EventPosition } from '../ingest-counters.js';
import type { Segment } from '../manifest.js';
import { SegmentFiles, type SegmentTarget } from './segment-files.js';
import { SegmentTables } from './segment-tables.js';
import { NO_TEXT } from './text-numbers.js';

/** Rows and bytes that are collected before segments are written; they bound the memory. */
const EVENTS_PER_SEGMENT = 500_000;
const UPSERTS_PER_SEGMENT = 250_000;
const TEXT_BYTES_PER_SEGMENT = 64 << 20;

/** Time of the upserts in batches before the first event of their source. */
const NO_TIME = 0n;

/**
 * Collects batches in DuckDB and has them written as sorted Parquet segments. While one set of tables is sorted and
 * written, the next one collects rows.
 */
export class SegmentWriter {
  readonly #collect: DuckDBConnection;
  readonly #write: DuckDBConnection;
  readonly #files: SegmentFiles;
  #tables!: SegmentTables;
  /** Relations, hosts and source types by number, for the whole ingest. */
  readonly #symbols: string[] = [];
  readonly #symbolNumbers = new Map<string, number>();
  /** Maps the symbol numbers of the current batch to those of `#symbols`. */
  readonly #renumbered = new Uint16Array(NO_SYMBOL + 1);
  #eventRows = 0;
  #upsertRows = 0;
  #writing: Promise<void> = Promise.resolve();

  private constructor(target: SegmentTarget, collect: DuckDBConnection, write: DuckDBConnection) {
    this.#collect = collect;
    this.#write = write;
    this.#files = new SegmentFiles(write, target);
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
    return this.#files.segments;
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
    const writing = this.#files.write(full, symbols);
    writing.catch(() => undefined); // the next await of `#writing` throws the error
    this.#writing = writing;
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
