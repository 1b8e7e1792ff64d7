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

/** The largest number of rows in one DuckDB data chunk. */
const CHUNK_ROWS = 2048;

export interface DuckDBOptions {
  /** Memory limit of DuckDB; beyond it, data spills to `spillFolder`. */
  memoryMiB?: number;
  /** Folder for spilled data. Default: a new folder in the system's temporary folder. */
  spillFolder?: string;
}

/** Opens DuckDB in memory. Without a database file, the readers of a store never wait for its writer. */
export async function openDuckDB(options: DuckDBOptions = {}): Promise<DuckDBInstance> {
  const config: Record<string, string> = {
    memory_limit: `${options.memoryMiB ?? 512}MiB`,
    autoinstall_known_extensions: 'false', // recal downloads nothing
    autoload_known_extensions: 'false',
    preserve_insertion_order: 'true',
    // By default DuckDB would spill into the working directory.
    temp_directory: options.spillFolder ?? join(tmpdir(), `recal-spill-${randomUUID()}`),
  };
  return DuckDBInstance.create(':memory:', config);
}

/** Quotes a string for SQL. Needed only for the path of COPY … TO, which accepts no parameter. */
export function sqlLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Escapes a path for `readParquet`, which treats `[`, `*` and `?` in paths as a glob. */
export function escapeGlob(path: string): string {
  if (!/[[*?]/.test(path)) return path;
  if (path.includes('\\')) {
    // A glob has no way to escape a backslash.
    throw new RecalError('store-place', `the database cannot open ${printable(path)}`, {
      hint: 'move the store to a path without backslashes, or to one without [, * and ?',
    });
  }
  return path.replace(/[[*?]/g, '[$&]');
}

/** The escaped paths as one SQL parameter. */
export function pathList(paths: readonly string[]): DuckDBListValue {
  return listValue(paths.map(escapeGlob));
}

/**
 * SQL that reads the segments at `paths`, an SQL expression. Hive partitioning is off: a folder called `host=web` in
 * the path would replace the column `host`.
 */
export function readParquet(paths: string): string {
  return `read_parquet(${paths}, hive_partitioning = false)`;
}

/** Columns that segments of 0.1.0 do not have. */
const ADDED_COLUMNS = {
  events: ['action'],
  entities: ['session', 'container', 'unit'],
} as const;

/**
 * SQL that reads segments at `paths` like `readParquet`; columns that older segments lack are NULL. `hosts`, an SQL expression
 * of a list, keeps the rows of these hosts: several hosts may share a segment.
 */
export function readSegments(kind: keyof typeof ADDED_COLUMNS, paths: string, hosts?: string): string {
  const added = ADDED_COLUMNS[kind].map((column) => `NULL::VARCHAR AS ${column}`).join(', ');
  const where = hosts === undefined ? '' : `WHERE host IN (SELECT unnest(${hosts}::VARCHAR[]))`;
  return `(SELECT * FROM read_parquet(${paths}, hive_partitioning = false, union_by_name = true) ${where}
    UNION ALL BY NAME SELECT ${added} WHERE false)`;
}

/** Segments of which some rows are to be read. */
export interface OpenSegments {
  readonly paths: readonly string[];
  /** The hosts to read, if the segments have rows of others too. */
  readonly hosts: readonly string[] | undefined;
}

/** SQL like `readSegments` for the parameters `paths` and `hosts`, and these parameters. */
export function readOpen(kind: keyof typeof ADDED_COLUMNS, { paths, hosts }: OpenSegments) {
  if (hosts === undefined) {
    return { source: readSegments(kind, '$paths'), parameters: { paths: pathList(paths) } };
  }
  const parameters = { paths: pathList(paths), hosts: listValue([...hosts]) };
  return { source: readSegments(kind, '$paths', '$hosts'), parameters };
}

/** Streams the result of a statement in chunks, so that memory stays bounded. */
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

/** Copies the bytes of a fixed-width column, because the memory of a chunk is freed with the chunk. */
export function columnBytes(chunk: DuckDBDataChunk, column: number, bytes: number): ArrayBuffer {
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, column);
  const data = duckdb.vector_get_data(vector, bytes);
  return data.buffer.slice(data.byteOffset, data.byteOffset + bytes) as ArrayBuffer;
}

/** A column of UUIDs without NULLs as keys of four words each, the first word first. Ten times as fast as texts. */
export function columnKeys(chunk: DuckDBDataChunk, column: number): Uint32Array {
  const words = new Uint32Array(columnBytes(chunk, column, chunk.rowCount * 16));
  for (let at = 0; at < words.length; at += 4) {
    const [last, third] = [words[at], words[at + 1]];
    words[at] = words[at + 3] ^ 0x80000000; // DuckDB stores a UUID with its top bit flipped
    words[at + 1] = words[at + 2];
    words[at + 2] = third;
    words[at + 3] = last;
  }
  return words;
}

/** SQL that reads a column of UUIDs for `columnKeys`; NULL becomes the key of zeros. */
export const keyColumn = (column: string): string =>
  `coalesce(${column}, '00000000-0000-0000-0000-000000000000'::UUID)`;

/** A fixed-width column to append, in DuckDB's memory layout. */
export interface RawColumn {
  readonly bytes: ArrayBufferView;
  /** Bytes per row. */
  readonly width: number;
}

/** A column of texts to append; undefined is NULL. */
export interface TextColumn {
  text(row: number): string | undefined;
}

/**
 * Appends rows to a table, column by column. Copying fixed-width columns whole is an order of magnitude faster than
 * appending single values. Use one appender for all rows of a table: opening one per batch costs more than the rows.
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

  /** Flushes the remaining rows to the table. */
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

/** Converts a DuckDB error that a user can act on, such as a full disk, to a RecalError. */
export function explainStoreError(error: unknown, folder: string): Error {
  const text = error instanceof Error ? error.message : String(error);
  if (/no space left on device|ENOSPC|disk quota|file too large/i.test(text)) {
    return new RecalError('disk-full', 'the disk has no space left for the store', {
      hint: 'free some space, or put the store on another disk with --store; the store is unchanged',
      where: { file: folder },
      cause: error,
    });
  }
  if (/no files found that match/i.test(text)) {
    return new RecalError('store-changed', 'a segment of the store is missing', {
      hint: 'if recal drop ran at the same time, run the command again; otherwise restore the store from a backup, or ingest the logs into a new folder with: recal ingest FILE… --store DIR',
      where: { file: folder },
      cause: error,
    });
  }
  if (DAMAGED.test(text)) {
    return new RecalError(
      'segment-damaged',
      `a segment of the store cannot be read: ${printable(text, 300)}`,
      {
        hint: 'find it with: recal verify --store DIR; then restore it from a backup, or continue without it: recal repair --store DIR',
        where: { file: folder },
        cause: error,
      },
    );
  }
  return error instanceof Error ? error : new Error(text);
}

/** What DuckDB says about a damaged Parquet file. Segments without a checksum get this far. */
const DAMAGED =
  /magic bytes|not a parquet file|TProtocol|\bthrift|parquet (file|reader|footer|metadata)|(zstd|snappy|gzip|lz4)\b.*(fail|error|corrupt)|(fail|error|corrupt).*(zstd|snappy|gzip|lz4)\b|decompress|corrupt|utf-?8|out of (range|buffer)|(column|page|dictionary|offset|metadata).*(invalid|larger|exceed|mismatch)|could not read enough bytes|could not convert|INTERNAL Error/i;
