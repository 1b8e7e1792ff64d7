import { randomUUID } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RecalError } from '../base/errors.js';
import { defaultThreads, LogReader, type ReadOptions, type SourceReport } from '../ingest/read.js';
import { type InputFile, openInput } from '../ingest/sources/byte-source.js';
import { ReadThread } from '../ingest/sources/read-thread.js';
import { explainStoreError, openDuckDB } from './duckdb.js';
import { countEntities, type EntityCounts } from './entity-counts.js';
import { IngestCounters, type LocatedProblem, sortedCounts } from './ingest-counters.js';
import type { FileEntry, Segment, Summary } from './manifest.js';
import { SegmentWriter } from './segment-writer.js';

/** Memory limit of DuckDB while files are read. */
const MEMORY_MIB = 640;

export interface StagingOptions extends ReadOptions {
  /** Host name that replaces the one in the log. */
  host?: string | undefined;
  /** Stop at the first malformed line. */
  strict?: boolean;
  onProgress?: ((progress: StagingProgress) => void) | undefined;
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
}

/** Reads files and writes their segments to a new folder in `parent`. On failure the folder is removed. */
export async function stageFiles(
  paths: readonly string[],
  parent: string,
  numbers: { ingest: number; file: number },
  options: StagingOptions,
): Promise<StagedFiles> {
  const folder = join(parent, `${process.pid}-${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  try {
    return await new StagingRun(folder, numbers, options).run(paths);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error instanceof RecalError ? error : explainStoreError(error, folder);
  }
}

class StagingRun {
  readonly #folder: string;
  readonly #numbers: { ingest: number; file: number };
  readonly #options: StagingOptions;
  readonly #counters = new IngestCounters();
  readonly #files: FileEntry[] = [];
  /** Has no prototype, because its keys come from logs. */
  readonly #hostNames: Record<string, string> = Object.create(null);
  readonly #reports = new Set<SourceReport>();
  #bytesBefore = 0;

  constructor(folder: string, numbers: { ingest: number; file: number }, options: StagingOptions) {
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
        summary: this.#summarise(entityCounts),
        problems: this.#counters.problems,
        hostNames: this.#hostNames,
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
        const input = await openInput(path, { thread });
        try {
          await this.#readFile(path, index, input, writer, reader);
        } finally {
          await input.close();
        }
      }
    } finally {
      await thread?.close();
      await reader.close();
    }
  }

  async #readFile(
    path: string,
    index: number,
    input: InputFile,
    writer: SegmentWriter,
    reader: LogReader,
  ): Promise<void> {
    const file = this.#numbers.file + index;
    const sources: SourceReport[] = [];
    let consumed = 0;
    let lines = 0;
    for await (const item of reader.read(input)) {
      const { source, batch } = item;
      if (!this.#reports.has(source)) {
        this.#reports.add(source);
        sources.push(source);
      }
      for (const [id, name] of batch.hostNames) this.#hostNames[id] = name;
      const before = this.#counters.lastEvent(source);
      this.#counters.add(item);
      this.#stopIfStrict();
      await writer.add(batch, { file, firstLine: lines + 1, host: this.#options.host, before });
      lines += batch.lines;
      consumed = item.consumed;
      this.#options.onProgress?.({ bytes: this.#bytesBefore + consumed, events: this.#counters.events });
    }
    this.#bytesBefore += consumed;
    this.#files.push(await describeFile(file, path, input, sources));
  }

  #stopIfStrict(): void {
    const [problem] = this.#counters.problems;
    if (this.#options.strict !== true || problem === undefined) return;
    throw new RecalError('malformed-line', `malformed line: ${problem.reason}`, {
      hint: 'correct the line, or leave out --strict to count and skip malformed lines',
      where: { file: problem.file, line: problem.line },
    });
  }

  #summarise({ entities, unresolved }: EntityCounts): Summary {
    const counters = this.#counters;
    const { firstTs, lastTs } = counters;
    const badTime = [...this.#reports].reduce((sum, report) => sum + report.badTime, 0);
    return {
      events: counters.events,
      edges: { total: counters.edges, secondObject: counters.secondObject },
      entities,
      unresolved,
      relations: sortedCounts(counters.relations),
      records: sortedCounts(counters.records),
      noObject: counters.noObject,
      malformed: counters.malformed,
      skipped: sortedCounts(counters.skipped),
      repaired: {
        ...(badTime > 0 ? { badTime } : {}),
        ...(counters.badText > 0 ? { badText: counters.badText } : {}),
        ...(counters.shortened.size > 0 ? { longWord: counters.shortened.size } : {}),
      },
      outOfOrder: counters.outOfOrder,
      lines: counters.lines,
      firstTs: firstTs === undefined ? null : String(firstTs),
      lastTs: lastTs === undefined ? null : String(lastTs),
    };
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
): Promise<FileEntry> {
  return {
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
