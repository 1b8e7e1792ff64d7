import {
  BIGINT,
  type DuckDBConnection,
  type DuckDBType,
  INTEGER,
  UINTEGER,
  USMALLINT,
  UTINYINT,
  UUID,
  VARCHAR,
} from '@duckdb/node-api';
import { TEXT_FIELDS } from '../../ingest/batch.js';
import { ColumnAppender } from '../duckdb.js';
import { EventOrder } from './event-order.js';
import { NO_TEXT, TextNumbers } from './text-numbers.js';

const EVENT_COLUMNS: readonly [string, DuckDBType][] = [
  ['ts', BIGINT],
  ['seq', BIGINT],
  ['host', USMALLINT],
  ['subject', UUID],
  ['relation', USMALLINT],
  ['action', UTINYINT],
  ['object', UUID],
  ['object2', UUID],
  ['flow', UTINYINT],
  ['ok', UTINYINT],
  ['file', INTEGER],
  ['line', UINTEGER],
];

/** Few events have attributes, so these have their own table and are joined when a segment is written. */
const ATTRS_COLUMNS: readonly [string, DuckDBType][] = [
  ['file', INTEGER],
  ['line', UINTEGER],
  ['seq', BIGINT],
  ['attrs', VARCHAR],
];

const UPSERT_COLUMNS: readonly [string, DuckDBType][] = [
  ['first_ts', BIGINT],
  ['first_seq', BIGINT],
  ['last_ts', BIGINT],
  ['last_seq', BIGINT],
  ['host', USMALLINT],
  ['entity', UUID],
  ['type', UTINYINT],
  ['kind', USMALLINT],
  ['name_rank', UTINYINT],
  ['pid', INTEGER],
  ['parent', UUID],
  ['principal', UUID],
  ...TEXT_FIELDS.map((field): [string, DuckDBType] => [field, UINTEGER]),
];

/** The texts of upserts by number; the text of NO_TEXT is NULL. */
const TEXT_COLUMNS: readonly [string, DuckDBType][] = [
  ['number', UINTEGER],
  ['text', VARCHAR],
];

/** DuckDB tables that collect the rows of the next segments. */
export class SegmentTables {
  readonly generation: number;
  readonly events: ColumnAppender;
  readonly attrs: ColumnAppender;
  readonly upserts: ColumnAppender;
  readonly texts = new TextNumbers();
  readonly order = new EventOrder();
  /** True if any event has attributes. */
  hasAttrs = false;
  readonly #textRows: ColumnAppender;

  private constructor(generation: number, appenders: readonly ColumnAppender[]) {
    this.generation = generation;
    [this.events, this.attrs, this.upserts, this.#textRows] = appenders;
  }

  static async create(connection: DuckDBConnection, generation: number): Promise<SegmentTables> {
    const appenders: ColumnAppender[] = [];
    for (const [name, columns] of Object.entries({
      events: EVENT_COLUMNS,
      attrs: ATTRS_COLUMNS,
      upserts: UPSERT_COLUMNS,
      texts: TEXT_COLUMNS,
    })) {
      const table = `${name}${generation}`;
      const types = columns.map(([, type]) => type);
      await connection.run(
        `CREATE TABLE ${table} (${columns.map(([column, type]) => `${column} ${type}`).join(', ')})`,
      );
      appenders.push(await ColumnAppender.open(connection, table, types));
    }
    return new SegmentTables(generation, appenders);
  }

  /** Writes the texts and flushes all rows to the tables. */
  close(): void {
    const { texts } = this;
    const numbers = Uint32Array.from({ length: texts.size + 1 }, (_, number) => number);
    this.#textRows.append(
      [
        { bytes: numbers, width: 4 },
        { text: (number) => (number === NO_TEXT ? undefined : texts.text(number)) },
      ],
      numbers.length,
    );
    for (const appender of [this.events, this.attrs, this.upserts, this.#textRows]) appender.close();
  }
}
