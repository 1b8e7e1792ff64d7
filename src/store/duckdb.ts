import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBListValue,
  type DuckDBType,
  type DuckDBValue,
  listValue,
} from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { RecalError } from '../base/errors.js';
import { printable } from '../base/printable.js';

/** DuckDB takes at most this many rows at a time. */
const CHUNK_ROWS = 2048;

export interface DuckDBOptions {
  /** What DuckDB may hold in memory before it spills to `spill`. */
  memoryMiB?: number;
  threads?: number;
  spill?: string;
}

/** An engine in memory: no database file is kept, so a store's readers never wait for its writer. */
export async function openDuckDB(options: DuckDBOptions = {}): Promise<DuckDBInstance> {
  const config: Record<string, string> = {
    memory_limit: `${options.memoryMiB ?? 512}MiB`,
    autoinstall_known_extensions: 'false', // nothing is ever fetched
    autoload_known_extensions: 'false',
    preserve_insertion_order: 'true',
  };
  if (options.threads !== undefined) config.threads = String(options.threads);
  // Without this DuckDB would spill into a folder of the working directory.
  config.temp_directory = options.spill ?? join(tmpdir(), `recal-spill-${randomUUID()}`);
  return DuckDBInstance.create(':memory:', config);
}

/** A string as an SQL literal, for the one place that takes no parameter: the path of COPY … TO. */
export function sqlLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A path for `parquet`, which would take brackets, stars and question marks of a folder's name for a pattern. */
export function escapeGlob(path: string): string {
  if (!/[[*?]/.test(path)) return path;
  if (path.includes('\\')) {
    // In a pattern a backslash has a meaning that nothing takes away.
    throw new RecalError('store-place', `a store cannot be in ${printable(path)}`, {
      hint: 'no folder on its way may have a backslash while one has [, * or ? in its name',
    });
  }
  return path.replace(/[[*?]/g, '[$&]');
}

/** Such paths as a parameter. */
export function pathList(paths: readonly string[]): DuckDBListValue {
  return listValue(paths.map(escapeGlob));
}

/**
 * SQL that reads the segments an expression names. A folder of the path that is called `host=web` is no column: DuckDB
 * would put it in the place of ours.
 */
export function readParquet(paths: string): string {
  return `read_parquet(${paths}, hive_partitioning = false)`;
}

/** What a statement gives, a chunk at a time: nothing holds all of it. */
export async function* streamChunks(
  connection: DuckDBConnection,
  statement: string,
  parameters: Record<string, DuckDBValue>,
): AsyncGenerator<DuckDBDataChunk> {
  const result = await connection.stream(statement, parameters);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    yield chunk;
  }
}

/** One column to append: raw bytes in DuckDB's own layout. */
export interface RawColumn {
  readonly bytes: ArrayBufferView;
  /** Bytes a row. */
  readonly width: number;
}

/** One column of texts; undefined is NULL. */
export interface TextColumn {
  text(row: number): string | undefined;
}

/**
 * Appends rows to a table, column by column. Fixed-width columns are copied as they are, which is an order of
 * magnitude faster than a value at a time. One appender serves a table from first to last row: opening and closing
 * one per batch would cost more than the rows.
 */
export class ColumnAppender {
  readonly #appender: DuckDBAppender;
  readonly #chunk: DuckDBDataChunk;

  private constructor(appender: DuckDBAppender, chunk: DuckDBDataChunk) {
    this.#appender = appender;
    this.#chunk = chunk;
  }

  static async open(
    connection: DuckDBConnection,
    table: string,
    types: readonly DuckDBType[],
  ): Promise<ColumnAppender> {
    return new ColumnAppender(await connection.createAppender(table), DuckDBDataChunk.create(types));
  }

  append(columns: readonly (RawColumn | TextColumn)[], rows: number): void {
    const chunk = this.#chunk;
    for (let from = 0; from < rows; from += CHUNK_ROWS) {
      const size = Math.min(CHUNK_ROWS, rows - from);
      chunk.reset();
      chunk.rowCount = size;
      columns.forEach((column, index) => {
        if ('width' in column) this.#copy(index, column, from, size);
        else this.#setTexts(index, column, from, size);
      });
      this.#appender.appendDataChunk(chunk);
    }
  }

  /** All rows are in the table afterwards. */
  close(): void {
    this.#appender.closeSync();
  }

  #copy(index: number, { bytes, width }: RawColumn, from: number, size: number): void {
    const vector = duckdb.data_chunk_get_vector(this.#chunk.chunk, index);
    duckdb.copy_data_to_vector(
      vector,
      0,
      bytes.buffer as ArrayBuffer,
      bytes.byteOffset + from * width,
      size * width,
    );
  }

  #setTexts(index: number, column: TextColumn, from: number, size: number): void {
    const vector = this.#chunk.getColumnVector(index);
    for (let i = 0; i < size; i++) vector.setItem(i, column.text(from + i) ?? null);
    vector.flush();
  }
}

/** Says what a failed statement means to a person: above all, a full disk. */
export function explainStoreError(error: unknown, folder: string): Error {
  const text = error instanceof Error ? error.message : String(error);
  if (/no space left on device|ENOSPC|disk quota|file too large/i.test(text)) {
    return new RecalError('disk-full', 'there is no space left for the store', {
      hint: 'free some space, or put the store elsewhere with --store; the store is as it was before',
      where: { file: folder },
      cause: error,
    });
  }
  if (/no files found that match/i.test(text)) {
    return new RecalError('store-changed', 'a part of the store is gone', {
      hint: 'if recal drop ran meanwhile, run this again; otherwise restore the store, or ingest the logs into a new one',
      where: { file: folder },
      cause: error,
    });
  }
  return error instanceof Error ? error : new Error(text);
}
