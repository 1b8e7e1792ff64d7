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

export interface StagingOptions extends ReadOptions {
  /** Name of the host, instead of what the log says. */
  host?: string | undefined;
  /** Stop at the first malformed line. */
  strict?: boolean;
  /** Memory for DuckDB. */
  memoryMiB?: number;
  onProgress?: ((progress: StagingProgress) => void) | undefined;
}

export interface StagingProgress {
  /** Bytes on disk read so far, over all files. */
  bytes: number;
  events: number;
}

/** Files read and written as segments, not yet part of any store. */
export interface StagedFiles {
  /** Segments lie below this folder; `discard` removes it. */
  readonly folder: string;
  readonly segments: readonly Segment[];
  readonly files: readonly FileEntry[];
  readonly summary: Summary;
  readonly problems: readonly LocatedProblem[];
  readonly hostNames: Readonly<Record<string, string>>;
  discard(): Promise<void>;
}

/** Reads files into segments below a new folder inside `parent`. Nothing is left there if it fails. */
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

/** One run over a list of files. */
class StagingRun {
  readonly #folder: string;
  readonly #numbers: { ingest: number; file: number };
  readonly #options: StagingOptions;
  readonly #tally = new IngestCounters();
  readonly #files: FileEntry[] = [];
  /** Without a prototype: logs choose the names. */
  readonly #hostNames: Record<string, string> = Object.create(null);
  readonly #reports = new Set<SourceReport>();
  #bytesBefore = 0;

  constructor(folder: string, numbers: { ingest: number; file: number }, options: StagingOptions) {
    this.#folder = folder;
    this.#numbers = numbers;
    this.#options = options;
  }

  async run(paths: readonly string[]): Promise<StagedFiles> {
    const database = await openDuckDB({
      memoryMiB: this.#options.memoryMiB ?? 640,
      spill: join(this.#folder, 'spill'),
    });
    try {
      const stage = await SegmentWriter.open(database, {
        folder: this.#folder,
        ingest: this.#numbers.ingest,
      });
      const segments = await this.#readAll(paths, stage)
        .then(() => stage.finish())
        .finally(() => stage.close());
      const connection = await database.connect();
      const census = await countEntities(connection, this.#folder, segments);
      connection.closeSync();
      return {
        folder: this.#folder,
        segments,
        files: this.#files,
        summary: this.#summarise(census),
        problems: this.#tally.problems,
        hostNames: this.#hostNames,
        discard: () => rm(this.#folder, { recursive: true, force: true }),
      };
    } finally {
      database.closeSync();
    }
  }

  async #readAll(paths: readonly string[], stage: SegmentWriter): Promise<void> {
    const inputs = await Promise.all(paths.map((path) => sizeOf(path)));
    const total = inputs.reduce((sum, size) => sum + size, 0);
    const threads = this.#options.threads ?? defaultThreads(total);
    const reader = new LogReader({ ...this.#options, threads });
    const thread = threads > 0 ? new ReadThread() : undefined;
    try {
      for (const [index, path] of paths.entries()) {
        const input = await openInput(path, { thread });
        try {
          await this.#readFile(path, index, input, stage, reader);
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
    stage: SegmentWriter,
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
      const before = this.#tally.eventBefore(source);
      this.#tally.take(item);
      this.#stopIfStrict();
      await stage.take(batch, { file, firstLine: lines + 1, host: this.#options.host, before });
      lines += batch.lines;
      consumed = item.consumed;
      this.#options.onProgress?.({ bytes: this.#bytesBefore + consumed, events: this.#tally.events });
    }
    this.#bytesBefore += consumed;
    this.#files.push(await describeFile(file, path, input, sources));
  }

  #stopIfStrict(): void {
    const [problem] = this.#tally.problems;
    if (this.#options.strict !== true || problem === undefined) return;
    throw new RecalError('malformed-line', `malformed line: ${problem.reason}`, {
      hint: 'mend the line, or leave out --strict to count such lines and go on',
      where: { file: problem.file, line: problem.line },
    });
  }

  #summarise({ entities, unresolved }: EntityCounts): Summary {
    const t = this.#tally;
    const badTime = [...this.#reports].reduce((sum, report) => sum + report.badTime, 0);
    return {
      events: t.events,
      edges: { total: t.edges, secondObject: t.secondObject },
      entities,
      unresolved,
      relations: sortedCounts(t.relations),
      records: sortedCounts(t.records),
      noObject: t.noObject,
      malformed: t.malformed,
      skipped: sortedCounts(t.skipped),
      repaired: {
        ...(badTime > 0 ? { badTime } : {}),
        ...(t.badText > 0 ? { badText: t.badText } : {}),
        ...(t.longWords.size > 0 ? { longWord: t.longWords.size } : {}),
      },
      outOfOrder: t.outOfOrder,
      lines: t.lines,
      firstTs: t.firstTs === undefined ? null : String(t.firstTs),
      lastTs: t.lastTs === undefined ? null : String(t.lastTs),
    };
  }
}

async function sizeOf(path: string): Promise<number> {
  if (path === '-') return Number.POSITIVE_INFINITY; // unknown, so as good as large
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
