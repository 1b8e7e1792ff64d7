import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RecalError } from '../../base/errors.js';
import type { LiveIngest } from '../../store/live/live-ingest.js';
import type { SourcePart } from '../../store/live/log-chunk.js';
import { CHUNK_BYTES, COMMIT_BYTES, type Source } from '../sources/source.js';
import { countLines } from '../sources/tailed-log.js';
import type { Metrics } from './metrics.js';
import type { WatchLog } from './watch-log.js';
import type { Watermark } from './watermark.js';

/** After this pause, records that wait for others of their event are complete. */
const QUIET_MS = 5000;
/** A clock that is further ahead is not believed. */
const FUTURE_NS = 3_600_000_000_000n;
const MOST_ATTEMPTS = 3;
const MOST_WAIT_MS = 30_000;
/** Errors that pass when somebody frees space: the lines wait. */
const PASSING = new Set(['disk-full', 'store-busy', 'store-changed']);

export interface IntakeContext {
  readonly ingest: LiveIngest;
  readonly sources: readonly Source[];
  readonly watermark: Watermark;
  readonly metrics: Metrics;
  readonly log: WatchLog;
  /** Folder for lines that cannot be stored. */
  readonly setAside: string;
  readonly signal: AbortSignal;
}

/** Moves lines from the sources to the store. */
export class Intake {
  readonly #context: IntakeContext;
  readonly #quietSince = new Map<string, number>();
  readonly #flushed = new Set<string>();
  readonly #ended = new Set<string>();
  readonly #losses = new Map<string, number>();
  #warnedOfFormat = false;
  /** The source that is read first. It changes, so that one that is behind does not keep the others waiting. */
  #first = 0;
  /** Why the store cannot be written; undefined if it can. */
  problem: string | undefined;
  /** Events stored since the start. */
  events = 0;

  constructor(context: IntakeContext) {
    this.#context = context;
  }

  /** Says why a source has nothing to read yet. */
  async reportProblems(): Promise<void> {
    const { sources, log } = this.#context;
    for (const source of sources) {
      const why = await source.problem?.();
      if (why !== undefined) log('warn', 'nothing-to-read', { source: source.name, why });
    }
  }

  async open(): Promise<void> {
    for (const source of this.#context.sources) await source.open(this.#context.ingest.position(source.name));
  }

  /** True if all sources have ended. */
  get ended(): boolean {
    return this.#context.sources.every(({ name }) => this.#ended.has(name));
  }

  /** True if no source is still about to end. */
  get settled(): boolean {
    return this.#context.sources.every(({ name, ends }) => !ends || this.#ended.has(name));
  }

  /** Stores what is there now. Returns whether there may be more. `drain` completes records that wait for others. */
  async step(lateBefore: bigint | undefined, drain = false): Promise<{ events: number; more: boolean }> {
    const parts: SourcePart[] = [];
    const now = performance.now();
    let more = false;
    let left = COMMIT_BYTES;
    const { sources } = this.#context;
    const first = this.#first++ % sources.length;
    for (const source of [...sources.slice(first), ...sources.slice(0, first)]) {
      // With less room than a chunk, a long line would be taken for one that is too long.
      if (left < CHUNK_BYTES) {
        more = true;
        break;
      }
      const { chunks, position, idle, ended } = await source.read(left);
      left -= chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
      if (ended) this.#ended.add(source.name);
      this.#noteLosses(source);
      if (chunks.length > 0) {
        this.#quietSince.set(source.name, now);
        this.#flushed.delete(source.name);
        more ||= !idle;
      }
      const quiet = now - (this.#quietSince.get(source.name) ?? now) >= QUIET_MS || ended;
      // What a pipe has not sent yet may belong to the last event.
      const flush = idle && (quiet || (drain && !source.ends)) && !this.#flushed.has(source.name);
      if (flush) this.#flushed.add(source.name);
      if (chunks.length > 0 || flush) parts.push({ source: source.name, chunks, position, idle: flush });
    }
    if (parts.length === 0) return { events: 0, more };
    const events = await this.#store(parts, lateBefore);
    return { events, more };
  }

  async close(): Promise<void> {
    for (const source of this.#context.sources) await source.close();
  }

  /** Tries until the parts are stored. Lines that cannot be stored are set aside. */
  async #store(parts: readonly SourcePart[], lateBefore: bigint | undefined): Promise<number> {
    const { ingest, sources, signal, log } = this.#context;
    let rest = parts;
    for (let attempt = 1; ; attempt++) {
      try {
        const futureAfter = BigInt(Date.now()) * 1_000_000n + FUTURE_NS;
        const added = await ingest.append(rest, { lateBefore, futureAfter });
        this.problem = undefined;
        for (const { source, position } of rest)
          await sources.find(({ name }) => name === source)?.commit(position);
        this.#count(rest, added);
        return added.summary.events;
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        const code = error instanceof RecalError ? error.code : 'internal';
        this.problem = error.message;
        log('error', 'store', { code, error: error.message, attempt });
        if (signal.aborted) throw error;
        if (attempt >= MOST_ATTEMPTS && !PASSING.has(code)) {
          await this.#putAside(rest, code);
          rest = rest.map((part) => ({ ...part, chunks: [] }));
        }
        const wait = Math.min(MOST_WAIT_MS, 250 * 2 ** attempt);
        await sleep(wait, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) throw error;
      }
    }
  }

  async #putAside(parts: readonly SourcePart[], code: string): Promise<void> {
    const { setAside, log, metrics } = this.#context;
    await mkdir(setAside, { recursive: true, mode: 0o700 });
    for (const { source, chunks } of parts) {
      const lines = chunks.reduce((sum, { bytes }) => sum + countLines(bytes), 0);
      if (lines === 0) continue;
      const path = join(setAside, `${Date.now()}-${process.pid}.log`);
      await writeFile(path, Buffer.concat(chunks.map(({ bytes }) => bytes)), { mode: 0o600, flag: 'a' });
      metrics.add('recal_events_dropped_total', lines, {
        stage: 'parse',
        reason: code,
        intentional: 'false',
      });
      log('error', 'set-aside', { source, lines, file: path, code });
    }
  }

  #count(parts: readonly SourcePart[], added: Awaited<ReturnType<LiveIngest['append']>>): void {
    const { metrics, watermark, log } = this.#context;
    const { summary } = added;
    this.events += summary.events;
    for (const [host, latest] of added.latest) watermark.see(host, latest, Date.now());
    for (const [source, events] of added.eventsBySource)
      metrics.add('recal_events_received_total', events, { source });
    for (const { source, chunks } of parts)
      for (const { bytes } of chunks)
        metrics.add('recal_lines_received_total', countLines(bytes), { source });
    metrics.add('recal_events_late_total', added.late);
    metrics.add('recal_parse_errors_total', summary.malformed, { error_code: 'malformed' });
    metrics.add('recal_parse_errors_total', added.unknownLines, { error_code: 'unknown-format' });
    for (const [reason, count] of Object.entries(summary.skipped))
      metrics.add('recal_events_dropped_total', count, { stage: 'parse', reason, intentional: 'true' });
    for (const { records } of summary.losses)
      metrics.add('recal_source_loss_events_total', records, { source: 'sensor' });
    const [problem] = added.problems;
    if (problem !== undefined)
      log('warn', 'malformed', { lines: summary.malformed, first: `${problem.file}:${problem.line}` });
    if (added.unknownLines > 0 && !this.#warnedOfFormat) {
      this.#warnedOfFormat = true;
      log('warn', 'unknown-format', { lines: added.unknownLines, hint: 'name the format with --format' });
    }
  }

  #noteLosses({ name, losses }: Source): void {
    for (const [reason, count] of losses) {
      const key = `${name} ${reason}`;
      const fresh = count - (this.#losses.get(key) ?? 0);
      if (fresh <= 0) continue;
      this.#losses.set(key, count);
      this.#context.metrics.add('recal_source_loss_events_total', fresh, { source: name });
      this.#context.log('warn', 'loss', { source: name, reason, count: fresh });
    }
  }
}
