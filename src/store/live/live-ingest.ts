import { rm } from 'node:fs/promises';
import { type DroppedDays, dropDays } from '../drop-days.js';
import type { IngestEntry, Manifest } from '../manifest.js';
import { readStates, stageStates } from '../reader-states.js';
import { StoreWriter } from '../store.js';
import { chooseIngests, isFull, type OpenIngest } from './choose-ingests.js';
import { compactIngests } from './compact.js';
import { LiveReader, type LiveReadOptions, type SavedReader } from './live-reader.js';
import type { SourcePart } from './log-chunk.js';
import { type StagedChunks, stageChunks } from './stage-chunks.js';

/** The part of the state file that belongs to live sources. */
const LIVE = 'live';
/** So many small commits wait before some are merged; more while the sources are behind, because merging takes time. */
const MOST_OPEN = { keepingUp: 24, behind: 96 };

interface SavedLive {
  readonly positions: Readonly<Record<string, unknown>>;
  readonly readers: Readonly<Record<string, SavedReader>>;
  /** Ingests that may still be merged, the oldest first. */
  readonly open: readonly number[];
}

export interface LiveIngestOptions extends LiveReadOptions {
  readonly host?: string | undefined;
}

/** What a commit added. */
export type Appended = Pick<
  StagedChunks,
  'summary' | 'problems' | 'latest' | 'late' | 'unknownLines' | 'eventsBySource'
>;

/**
 * Adds the lines of live sources to a store. Each commit replaces the manifest once, together with the positions of the
 * sources and the states of the readers, so that after a crash every line is stored exactly once. Holds the lock of the
 * store until closed.
 */
export class LiveIngest {
  readonly #writer: StoreWriter;
  readonly #options: LiveIngestOptions;
  #states: Readonly<Record<string, unknown>>;
  #live: SavedLive;
  #readers = new Map<string, LiveReader>();

  private constructor(
    writer: StoreWriter,
    options: LiveIngestOptions,
    states: Readonly<Record<string, unknown>>,
  ) {
    this.#writer = writer;
    this.#options = options;
    this.#states = states;
    this.#live = (states[LIVE] as SavedLive | undefined) ?? { positions: {}, readers: {}, open: [] };
  }

  static async open(folder: string, options: LiveIngestOptions = {}): Promise<LiveIngest> {
    const writer = await StoreWriter.open(folder);
    try {
      return new LiveIngest(writer, options, await readStates(folder, writer.manifest));
    } catch (error) {
      await writer.close();
      throw error;
    }
  }

  get manifest(): Manifest {
    return this.#writer.manifest;
  }

  /** The committed position of a source; undefined at its first start. */
  position(source: string): unknown {
    return this.#live.positions[source];
  }

  /** Stores the parts and their positions. If it throws, nothing is stored and the sources must be opened again. */
  async append(
    parts: readonly SourcePart[],
    times: { readonly lateBefore?: bigint | undefined; readonly futureAfter: bigint },
  ): Promise<Appended> {
    const { manifest } = this.#writer;
    const numbers = { ingest: manifest.nextIngest, file: manifest.nextFile };
    try {
      const staged = await stageChunks(parts, this.#writer.stagingFolder, numbers, {
        ...times,
        host: this.#options.host,
        readers: (source) => this.#readerOf(source),
      });
      const isEmpty = staged.files.length === 0;
      const live = {
        positions: {
          ...this.#live.positions,
          ...Object.fromEntries(parts.map((p) => [p.source, p.position])),
        },
        readers: {
          ...this.#live.readers,
          ...Object.fromEntries([...this.#readers].map(([source, reader]) => [source, reader.save()])),
        },
        open:
          isEmpty || isFull(staged.summary.events)
            ? this.#live.open
            : [...this.#live.open, manifest.nextIngest],
      };
      const entry: IngestEntry = {
        number: manifest.nextIngest,
        split: null,
        files: [...staged.files],
        summary: staged.summary,
      };
      const next = {
        ...manifest,
        hostNames: { ...manifest.hostNames, ...staged.hostNames },
        ingests: isEmpty ? manifest.ingests : [...manifest.ingests, entry],
        segments: [...manifest.segments, ...staged.segments],
        nextFile: manifest.nextFile + staged.files.length,
      };
      await this.#commit(next, staged.folder, staged.segments, live);
      return staged;
    } catch (error) {
      await this.#forgetReaders();
      throw error;
    }
  }

  /** True if so many small commits wait that some should become one. */
  wantsCompaction(isBehind: boolean): boolean {
    return this.#live.open.length >= (isBehind ? MOST_OPEN.behind : MOST_OPEN.keepingUp);
  }

  /** Merges the segments of some commits. Their old files stay until `removeOld`. */
  async compact(): Promise<void> {
    const chosen = chooseIngests(this.#openIngests).map(({ number }) => number);
    if (chosen.length < 2) return;
    const { manifest, added, folder, merged } = await compactIngests(this.#writer, chosen);
    const { open } = this.#live;
    const left = isFull(merged.summary.events) ? [] : [merged.number];
    const next = open.toSpliced(open.indexOf(chosen[0]), chosen.length, ...left);
    await this.#commit(manifest, folder, added, { ...this.#live, open: next });
  }

  /** Removes the files that earlier commits replaced. Readers that opened the store before may still need them. */
  async removeOld(): Promise<void> {
    await this.#writer.removeOld();
  }

  drop(before: string): Promise<DroppedDays> {
    return dropDays(this.#writer, before);
  }

  async close(): Promise<void> {
    await this.#forgetReaders();
    await this.#writer.removeOld();
    await this.#writer.close();
  }

  get #openIngests(): OpenIngest[] {
    const events = new Map(this.manifest.ingests.map(({ number, summary }) => [number, summary.events]));
    return this.#live.open
      .map((number) => ({ number, events: events.get(number) ?? 0 }))
      .filter((ingest) => !isFull(ingest.events)); // an earlier version merged more
  }

  async #commit(
    manifest: Manifest,
    folder: string,
    added: Parameters<StoreWriter['commit']>[2],
    live: SavedLive,
  ): Promise<void> {
    const states = { ...this.#states, [LIVE]: live };
    const state = await stageStates(folder, this.#writer.manifest.nextIngest, states);
    const next = { ...manifest, state, nextIngest: this.#writer.manifest.nextIngest + 1 };
    await this.#writer.commit(next, folder, added, { keepOld: true });
    await rm(folder, { recursive: true, force: true });
    this.#states = states;
    this.#live = live;
  }

  #readerOf(source: string): LiveReader {
    let reader = this.#readers.get(source);
    if (reader === undefined) {
      reader = new LiveReader({ format: 'auto', ...this.#options }, this.#live.readers[source]);
      this.#readers.set(source, reader);
    }
    return reader;
  }

  /** After a failure, readers start again from what was committed. */
  async #forgetReaders(): Promise<void> {
    const readers = [...this.#readers.values()];
    this.#readers = new Map();
    for (const reader of readers) await reader.close();
  }
}
