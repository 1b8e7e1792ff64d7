import { randomUUID } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RecalError } from '../base/errors.js';
import {
  defaultThreads,
  LogReader,
  type ReadBefore,
  type ReadOptions,
  type SourceReport,
} from '../ingest/read.js';
import { type InputFile, openInput } from '../ingest/sources/byte-source.js';
import { FIRST_CHECKPOINT } from '../ingest/sources/content-hash.js';
import { ReadThread } from '../ingest/sources/read-thread.js';
import { explainStoreError, openDuckDB } from './duckdb.js';
import { countEntities } from './entity-counts.js';
import { IngestCounters, type LocatedProblem } from './ingest-counters.js';
import type { KnownContents } from './known-contents.js';
import { LossCollector } from './losses.js';
import type { FileEntry, Segment, Summary } from './manifest.js';
import { SegmentWriter } from './segments/segment-writer.js';
import { summarise } from './summarise.js';

/** Memory limit of DuckDB while files are read. */
const MEMORY_MIB = 640;

export interface StagingOptions extends ReadOptions {
  /** Host name that replaces the one in the log. */
  host?: string | undefined;
  /** Stop at the first malformed line. */
  strict?: boolean;
  onProgress?: ((progress: StagingProgress) => void) | undefined;
}

/** Options that only the store itself sets. */
interface OwnOptions {
  /** What the store has already. Files that it has whole are skipped, and files that have grown are continued. */
  readonly contents?: KnownContents | undefined;
}

export interface StagingProgress {
  /** Bytes on disk read so far, of all files. */
  bytes: number;
  events: number;
}

/** The segments of some files, not yet part of a store. */
export interface StagedFiles {
  /** The folder that contains the segments. */
  readonly folder: string;
  readonly segments: readonly Segment[];
  readonly files: readonly FileEntry[];
  readonly summary: Summary;
  readonly problems: readonly LocatedProblem[];
  readonly hostNames: Readonly<Record<string, string>>;
  /** The states of readers after the last file, by format. */
  readonly states: Readonly<Record<string, unknown>>;
  /** Files that were skipped because another file of the run has their content, with that file. */
  readonly repeated: readonly { readonly name: string; readonly of: FileEntry }[];
}

/** Reads files and writes their segments to a new folder in `parent`. On failure the folder is removed. */
export async function stageFiles(
  paths: readonly string[],
  parent: string,
  numbers: { ingest: number; file: number },
  options: StagingOptions & OwnOptions,
): Promise<StagedFiles> {
  const folder = join(parent, `${process.pid}-${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  try {
    return await new StagingRun(folder, numbers, options).run(paths);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    options.signal?.throwIfAborted(); // a signal ends reads with all kinds of errors
    throw error instanceof RecalError ? error : explainStoreError(error, folder);
  }
}

class StagingRun {
  readonly #folder: string;
  readonly #numbers: { ingest: number; file: number };
  readonly #options: StagingOptions & OwnOptions;
  readonly #counters = new IngestCounters();
  readonly #files: FileEntry[] = [];
  /** Has no prototype, because its keys come from logs. */
  readonly #hostNames: Record<string, string> = Object.create(null);
  readonly #reports = new Set<SourceReport>();
  readonly #losses = new LossCollector();
  readonly #repeated: { name: string; of: FileEntry }[] = [];
  #states: Record<string, unknown> = {};
  #bytesBefore = 0;

  constructor(
    folder: string,
    numbers: { ingest: number; file: number },
    options: StagingOptions & OwnOptions,
  ) {
    this.#folder = folder;
    this.#numbers = numbers;
    this.#options = options;
  }

  async run(paths: readonly string[]): Promise<StagedFiles> {
    const folder = this.#folder;
    const database = await openDuckDB({ memoryMiB: MEMORY_MIB, spillFolder: join(folder, 'spill') });
    try {
      const writer = await SegmentWriter.open(database, { folder, ingest: this.#numbers.ingest });
      const segments = await this.#readAll(paths, writer)
        .then(() => writer.finish())
        .finally(() => writer.close());
      const connection = await database.connect();
      const entityCounts = await countEntities(connection, folder, segments);
      connection.closeSync();
      return {
        folder,
        segments,
        files: this.#files,
        summary: summarise(this.#counters, this.#losses, this.#reports, entityCounts),
        problems: this.#counters.problems,
        hostNames: this.#hostNames,
        states: this.#states,
        repeated: this.#repeated,
      };
    } finally {
      database.closeSync();
    }
  }

  async #readAll(paths: readonly string[], writer: SegmentWriter): Promise<void> {
    const sizes = await Promise.all(paths.map((path) => sizeOf(path)));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const threads = this.#options.threads ?? defaultThreads(total);
    const reader = new LogReader({ ...this.#options, threads });
    const thread = threads > 0 ? new ReadThread() : undefined;
    try {
      for (const [index, path] of paths.entries()) {
        const known = await this.#options.contents?.find(path);
        if (known?.whole === true) {
          this.#repeated.push({ name: path, of: known.file });
          continue;
        }
        const input = await openInput(path, { thread, signal: this.#options.signal });
        try {
          const place = { last: index === paths.length - 1, after: known?.before };
          await this.#readFile(path, place, input, writer, reader);
        } finally {
          await input.close();
        }
      }
      this.#states = reader.saveStates();
    } finally {
      await thread?.close();
      await reader.close();
    }
  }

  async #readFile(
    path: string,
    { last, after }: { last: boolean; after: ReadBefore | undefined },
    input: InputFile,
    writer: SegmentWriter,
    reader: LogReader,
  ): Promise<void> {
    const file = this.#numbers.file + this.#files.length;
    const sources: SourceReport[] = [];
    let consumed = 0;
    let lines = after?.lines ?? 0;
    const grows = input.size !== undefined && input.compression === 'none' && !input.archive;
    for await (const item of reader.read(input, { last, after, grows })) {
      const { source, batch } = item;
      if (!this.#reports.has(source)) {
        this.#reports.add(source);
        sources.push(source);
      }
      for (const [id, name] of batch.hostNames) this.#hostNames[id] = name;
      for (const loss of batch.losses) this.#losses.add(loss, this.#options.host);
      const before = this.#counters.lastEvent(source);
      this.#counters.add(item);
      this.#stopIfStrict();
      await writer.add(batch, { file, firstLine: lines + 1, host: this.#options.host, before });
      lines += batch.lines;
      reader.reuse(batch);
      consumed = item.consumed;
      this.#options.onProgress?.({ bytes: this.#bytesBefore + consumed, events: this.#counters.events });
    }
    this.#bytesBefore += consumed;
    const entry = await describeFile(file, path, input, sources, after);
    this.#files.push(entry);
    this.#options.contents?.add(entry);
    if (sources.some((source) => source.unfinished > 0)) this.#counters.skip('unfinishedLine');
  }

  #stopIfStrict(): void {
    const [problem] = this.#counters.problems;
    if (this.#options.strict !== true || problem === undefined) return;
    throw new RecalError('malformed-line', `malformed line: ${problem.reason}`, {
      hint: 'correct the line, or leave out --strict to count and skip malformed lines',
      where: { file: problem.file, line: problem.line },
    });
  }
}

async function sizeOf(path: string): Promise<number> {
  if (path === '-') return Number.POSITIVE_INFINITY; // standard input may be large
  return (await stat(path)).size;
}

async function describeFile(
  number: number,
  path: string,
  input: InputFile,
  sources: readonly SourceReport[],
  after: ReadBefore | undefined,
): Promise<FileEntry> {
  return {
    content: describeContent(input, sources, after),
    number,
    name: path === '-' ? '<stdin>' : path,
    bytes: input.size ?? sources.reduce((sum, source) => sum + source.bytes, 0),
    sha256: await input.sha256(),
    sources: sources.map(({ name, format, timeUnit, lines }) => ({
      name,
      format,
      timeUnit: timeUnit ?? null,
      lines,
    })),
  };
}

function describeContent(
  input: InputFile,
  sources: readonly SourceReport[],
  after: ReadBefore = { bytes: 0, lines: 0 },
): FileEntry['content'] {
  const print = input.content();
  if (print === undefined) return null;
  const unfinished = sources.length === 0 ? print.bytes - after.bytes : sources[0].unfinished;
  const { bytes, sha256 } = unfinished > 0 ? print.lines : print;
  return {
    bytes,
    sha256,
    checkpoints: print.checkpoints.filter((_, at) => FIRST_CHECKPOINT * 2 ** at <= bytes),
    lines: after.lines + sources.reduce((sum, source) => sum + source.lines, 0),
    linesBefore: after.lines,
  };
}
