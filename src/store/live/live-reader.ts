import { detectFormat } from '../../ingest/formats/known-formats.js';
import { DEFAULT_MAX_LINE } from '../../ingest/formats/reader.js';
import { LogReader, type ReadOptions, type SourceBatch } from '../../ingest/read.js';
import type { TimeUnit } from '../../ingest/time.js';
import type { EventPosition } from '../ingest-counters.js';
import { inputOf, type LogChunk } from './log-chunk.js';

/** What a reader of a live source needs to go on after a restart, as JSON. */
export interface SavedReader {
  readonly format: string | null;
  readonly unit: TimeUnit | null;
  readonly last: { readonly ts: string; readonly seq: string } | null;
  readonly states: Readonly<Record<string, unknown>>;
}

export type LiveReadOptions = Pick<ReadOptions, 'format' | 'maxLine' | 'timeUnit' | 'threads'>;

/** Reads the chunks of one source. Its format and time unit are found once, and kept. */
export class LiveReader {
  readonly #options: LiveReadOptions;
  #format: string | undefined;
  #unit: TimeUnit | undefined;
  #states: Readonly<Record<string, unknown>>;
  #reader: LogReader | undefined;
  /** The last event so far. */
  last: EventPosition | undefined;

  constructor(options: LiveReadOptions, saved?: SavedReader) {
    this.#options = options;
    this.#format = options.format === 'auto' ? (saved?.format ?? undefined) : options.format;
    this.#unit = options.timeUnit ?? saved?.unit ?? undefined;
    this.#states = saved?.states ?? {};
    const last = saved?.last ?? undefined;
    this.last = last === undefined ? undefined : { ts: BigInt(last.ts), seq: BigInt(last.seq) };
  }

  /** Whether the format of the source is known, or is found in this chunk. */
  recognises({ bytes }: LogChunk): boolean {
    this.#format ??= detectFormat(bytes, this.#options.maxLine ?? DEFAULT_MAX_LINE)?.name;
    return this.#format !== undefined;
  }

  async *read(chunk: LogChunk): AsyncGenerator<SourceBatch> {
    const after = { bytes: 0, lines: chunk.linesBefore };
    for await (const item of this.#open().read(inputOf(chunk), { last: false, after })) {
      yield this.#note(item);
      if (this.#unit === undefined && item.source.timeUnit !== undefined) this.#unit = item.source.timeUnit;
    }
    await this.#adoptUnit();
  }

  /** The events that wait for further records. */
  *finish(name: string, line: number): Generator<SourceBatch> {
    if (this.#reader !== undefined || Object.keys(this.#states).length > 0)
      for (const item of this.#open().finish(name, line)) yield this.#note(item);
  }

  save(): SavedReader {
    const { last } = this;
    return {
      format: this.#format ?? null,
      unit: this.#unit ?? null,
      last: last === undefined ? null : { ts: String(last.ts), seq: String(last.seq) },
      states: this.#reader?.saveStates() ?? this.#states,
    };
  }

  async close(): Promise<void> {
    await this.#reader?.close();
    this.#reader = undefined;
  }

  #note(item: SourceBatch): SourceBatch {
    const { events, ts, seq } = item.batch;
    if (events > 0) this.last = { ts: ts[events - 1], seq: seq[events - 1] };
    return item;
  }

  #open(): LogReader {
    this.#reader ??= new LogReader({
      ...this.#options,
      threads: this.#options.threads ?? 0,
      format: this.#format ?? 'auto',
      timeUnit: this.#unit,
      states: this.#states,
    });
    return this.#reader;
  }

  /** A log has one time unit. Without this, every chunk would decide again. */
  async #adoptUnit(): Promise<void> {
    if (this.#unit === undefined || this.#options.timeUnit !== undefined || this.#adopted) return;
    this.#adopted = true;
    this.#states = this.#reader?.saveStates() ?? this.#states;
    await this.close();
  }

  #adopted = false;
}
