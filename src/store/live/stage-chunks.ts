import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Batch } from '../../ingest/batch.js';
import type { SourceBatch, SourceReport } from '../../ingest/read.js';
import { explainStoreError, openDuckDB } from '../duckdb.js';
import { countEntities } from '../entity-counts.js';
import { IngestCounters, type LocatedProblem } from '../ingest-counters.js';
import { LossCollector } from '../losses.js';
import type { FileEntry, Segment, Summary } from '../manifest.js';
import { SegmentWriter, UNKNOWN_HOST } from '../segments/segment-writer.js';
import { summarise } from '../summarise.js';
import type { LiveReader } from './live-reader.js';
import type { LogChunk, SourcePart } from './log-chunk.js';

const MEMORY_MIB = 512;
const NEWLINE = 0x0a;

/** The segments of some chunks, not yet part of a store. */
export interface StagedChunks {
  readonly folder: string;
  readonly segments: readonly Segment[];
  readonly files: readonly FileEntry[];
  readonly summary: Summary;
  readonly problems: readonly LocatedProblem[];
  readonly hostNames: Readonly<Record<string, string>>;
  /** The latest event of each host, in nanoseconds. */
  readonly latest: ReadonlyMap<string, bigint>;
  /** Events before `lateBefore`. */
  readonly late: number;
  /** Lines of sources whose format is unknown. */
  readonly unknownLines: number;
  readonly eventsBySource: ReadonlyMap<string, number>;
}

export interface StageChunksOptions {
  readonly readers: (source: string) => LiveReader;
  readonly host?: string | undefined;
  /** Events before this time are late. */
  readonly lateBefore?: bigint | undefined;
  /** Times after this are not believed: they do not count as the latest. */
  readonly futureAfter: bigint;
}

/** Reads chunks and writes their segments to a new folder in `parent`. On failure the folder is removed. */
export async function stageChunks(
  parts: readonly SourcePart[],
  parent: string,
  numbers: { ingest: number; file: number },
  options: StageChunksOptions,
): Promise<StagedChunks> {
  const folder = join(parent, `${process.pid}-${randomUUID()}`);
  try {
    await mkdir(folder, { recursive: true });
    return await new ChunkStaging(folder, numbers, options).run(parts);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw explainStoreError(error, folder);
  }
}

class ChunkStaging {
  readonly #folder: string;
  readonly #numbers: { ingest: number; file: number };
  readonly #options: StageChunksOptions;
  readonly #counters = new IngestCounters();
  readonly #losses = new LossCollector();
  readonly #reports = new Set<SourceReport>();
  readonly #files = new Map<string, FileEntry>();
  readonly #hostNames: Record<string, string> = Object.create(null);
  readonly #latest = new Map<string, bigint>();
  readonly #eventsBySource = new Map<string, number>();
  #late = 0;
  #unknownLines = 0;

  constructor(folder: string, numbers: { ingest: number; file: number }, options: StageChunksOptions) {
    this.#folder = folder;
    this.#numbers = numbers;
    this.#options = options;
  }

  async run(parts: readonly SourcePart[]): Promise<StagedChunks> {
    const folder = this.#folder;
    const database = await openDuckDB({ memoryMiB: MEMORY_MIB, spillFolder: join(folder, 'spill') });
    try {
      const writer = await SegmentWriter.open(database, { folder, ingest: this.#numbers.ingest });
      const segments = await this.#readAll(parts, writer)
        .then(() => writer.finish())
        .finally(() => writer.close());
      const connection = await database.connect();
      const counts = await countEntities(connection, folder, segments);
      connection.closeSync();
      return {
        folder,
        segments,
        files: [...this.#files.values()],
        summary: summarise(this.#counters, this.#losses, this.#reports, counts),
        problems: this.#counters.problems,
        hostNames: this.#hostNames,
        latest: this.#latest,
        late: this.#late,
        unknownLines: this.#unknownLines,
        eventsBySource: this.#eventsBySource,
      };
    } finally {
      database.closeSync();
    }
  }

  async #readAll(parts: readonly SourcePart[], writer: SegmentWriter): Promise<void> {
    for (const part of parts) {
      const reader = this.#options.readers(part.source);
      for (const chunk of part.chunks) {
        if (!reader.recognises(chunk)) {
          this.#unknownLines += countLines(chunk.bytes);
          continue;
        }
        let { last } = reader;
        const line = { next: chunk.linesBefore + 1 };
        for await (const item of reader.read(chunk)) {
          await this.#add(item, { part, chunk, line, before: last }, writer);
          last = reader.last;
        }
      }
      const chunk = part.chunks.at(-1) ?? {
        log: part.source,
        name: part.source,
        linesBefore: 0,
        bytes: NONE,
      };
      const line = { next: chunk.linesBefore + countLines(chunk.bytes) };
      const { last } = reader;
      if (part.idle)
        for (const item of reader.finish(chunk.name, line.next))
          await this.#add(item, { part, chunk, line, before: last }, writer);
    }
  }

  async #add(
    item: SourceBatch,
    {
      part,
      chunk,
      line,
      before,
    }: { part: SourcePart; chunk: LogChunk; line: { next: number }; before: LiveReader['last'] },
    writer: SegmentWriter,
  ): Promise<void> {
    const { source, batch } = item;
    this.#reports.add(source);
    for (const [id, name] of batch.hostNames) this.#hostNames[id] = name;
    for (const loss of batch.losses) this.#losses.add(loss, this.#options.host);
    this.#counters.add(item);
    this.#eventsBySource.set(part.source, (this.#eventsBySource.get(part.source) ?? 0) + batch.events);
    this.#noteTimes(batch);
    const { number } = this.#fileOf(part.source, chunk, item);
    await writer.add(batch, { file: number, firstLine: line.next, host: this.#options.host, before });
    line.next += batch.lines;
  }

  #noteTimes({ events, ts, host, symbols }: Batch): void {
    const { lateBefore, futureAfter, host: only } = this.#options;
    for (let i = 0; i < events; i++) {
      const time = ts[i];
      if (lateBefore !== undefined && time < lateBefore) this.#late++;
      if (time > futureAfter) continue;
      const name = only ?? symbols[host[i]] ?? UNKNOWN_HOST;
      const latest = this.#latest.get(name);
      if (latest === undefined || time > latest) this.#latest.set(name, time);
    }
  }

  #fileOf(source: string, { log, name, bytes }: LogChunk, { source: report, batch }: SourceBatch): FileEntry {
    const key = JSON.stringify([source, log]);
    let file = this.#files.get(key);
    if (file === undefined) {
      file = {
        number: this.#numbers.file + this.#files.size,
        name,
        bytes: 0,
        // Stands for the whole log, of which this is a part: its hash is not known while it grows.
        sha256: createHash('sha256').update(key).digest('hex'),
        content: null,
        sources: [{ name, format: report.format, timeUnit: report.timeUnit ?? null, lines: 0 }],
      };
      this.#files.set(key, file);
    }
    if (!this.#counted.has(bytes)) file.bytes += bytes.length;
    this.#counted.add(bytes);
    file.sources[0].lines += batch.lines;
    return file;
  }

  readonly #counted = new Set<Uint8Array>();
}

const NONE = new Uint8Array(0);

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}
