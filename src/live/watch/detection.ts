import type { Severity } from '../../detect/alerts/severity.js';
import { parseThreshold, type ThresholdSpec } from '../../detect/threshold/threshold.js';
import { DEFAULT_EPISODES } from '../../pipeline/calibration-summary.js';
import type { Notification } from '../sinks/notification.js';
import type { ToldIncident, WatchState } from './checkpoint.js';
import { decide } from './decide.js';
import type { JudgedSpan, JudgeRequest } from './judge-span.js';
import type { Metrics } from './metrics.js';
import type { WatchFolder } from './watch-folder.js';
import type { WatchLog } from './watch-log.js';
import { floorTo } from './watermark.js';
import { WorkerProcess } from './worker-process.js';

/** Incidents of spans that ended so long ago are forgotten. */
const REMEMBERED_NS = 40n * 86_400_000_000_000n;
/** A judge that fails is tried again after this time. */
const PAUSE_MS = 10_000;
/** Judging takes at most this share of the time. */
const MOST_SHARE = 0.5;

export interface DetectionOptions {
  readonly threshold?: string | undefined;
  readonly minSeverity: Severity;
  /** Nanoseconds. */
  readonly span: bigint;
  readonly tellEveryMs: number;
  readonly threads?: number | undefined;
}

/** What has to be judged next. */
interface Job {
  readonly kind: JudgeRequest['kind'];
  readonly to: bigint;
  readonly final: boolean;
}

/** Has the open span judged, and decides what is told. */
export class Detection {
  readonly #options: DetectionOptions;
  readonly #rule: ThresholdSpec;
  readonly #folder: WatchFolder;
  readonly #metrics: Metrics;
  readonly #log: WatchLog;
  readonly #judge = new WorkerProcess<JudgeRequest, JudgedSpan>(
    new URL('./judge-worker.js', import.meta.url),
  );
  #busy = false;
  #toldAt = Number.NEGATIVE_INFINITY;
  #notBefore = Number.NEGATIVE_INFINITY;
  /** The number of stored events at the last judgement of each kind. */
  readonly #judgedEvents = { tell: -1, score: -1 };
  /** Why judging fails; undefined if it works. */
  problem: string | undefined;

  constructor(options: DetectionOptions, folder: WatchFolder, metrics: Metrics, log: WatchLog) {
    this.#options = options;
    this.#rule = parseThreshold(options.threshold ?? DEFAULT_EPISODES);
    this.#folder = folder;
    this.#metrics = metrics;
    this.#log = log;
  }

  get isBusy(): boolean {
    return this.#busy;
  }

  /** The end of the open span. */
  endOf(from: bigint): bigint {
    return floorTo(from, this.#options.span) + this.#options.span;
  }

  /** What is due, if anything. `drain` asks for everything that is there. */
  due(
    state: WatchState,
    { watermark, events, drain }: { watermark: bigint | undefined; events: number; drain: boolean },
  ): Job | undefined {
    const now = performance.now();
    if (this.#busy || state.model === null || state.span === null || watermark === undefined)
      return undefined;
    if (now < this.#notBefore && !drain) return undefined;
    const from = BigInt(state.span);
    const end = this.endOf(from);
    if (watermark >= end) return { kind: 'score', to: end, final: true };
    const isNew = (kind: Job['kind']) => events !== this.#judgedEvents[kind];
    if (drain) return isNew('score') ? { kind: 'score', to: end, final: false } : undefined;
    const over = floorTo(watermark, BigInt(state.model.window));
    if (over > BigInt(state.closed ?? from) && over > from && isNew('score'))
      return { kind: 'score', to: over, final: false };
    if (isNew('tell') && now - this.#toldAt >= this.#options.tellEveryMs)
      return { kind: 'tell', to: end, final: false };
    return undefined;
  }

  /** Does a job. Returns the next state and what to tell; undefined if the judge failed. */
  async run(
    job: Job,
    state: WatchState,
    events: number,
  ): Promise<{ state: WatchState; notifications: readonly Notification[] } | undefined> {
    const { model, span } = state;
    if (model === null || span === null) return undefined;
    const from = BigInt(span);
    this.#busy = true;
    const started = performance.now();
    try {
      const judged = await this.#judge.call({
        kind: job.kind,
        store: this.#folder.store,
        model: this.#folder.model(model.file),
        current: this.#folder.current,
        from,
        to: job.to,
        threshold: this.#options.threshold,
        out: this.#folder.alerts(from),
        threads: this.#options.threads,
      });
      this.problem = undefined;
      this.#measure(job, judged);
      const { minSeverity } = this.#options;
      const options = { rule: this.#rule, minSeverity, span: from, final: job.final };
      const { incidents, notifications } = decide(state.incidents, judged.incidents, options);
      for (const each of notifications) this.#announce(each);
      return { state: next(state, job, incidents, this.endOf(from)), notifications };
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      this.#metrics.add('recal_judge_errors_total', 1);
      this.#log('error', 'judge', { kind: job.kind, error: this.problem });
      this.#notBefore = performance.now() + PAUSE_MS;
      return undefined;
    } finally {
      const took = performance.now() - started;
      if (this.problem === undefined) {
        this.#judgedEvents[job.kind] = job.final ? -1 : events;
        if (job.kind === 'tell') this.#toldAt = performance.now();
        // A busy host must not be judged all the time.
        this.#notBefore = performance.now() + (took * (1 - MOST_SHARE)) / MOST_SHARE;
      }
      this.#busy = false;
    }
  }

  async close(): Promise<void> {
    await this.#judge.close();
  }

  #measure({ kind, final }: Job, judged: JudgedSpan): void {
    const metrics = this.#metrics;
    metrics.set('recal_score_duration_seconds', judged.seconds, { stage: kind });
    for (const [stage, seconds] of Object.entries(judged.stages))
      metrics.set('recal_score_duration_seconds', seconds, { stage });
    if (kind !== 'score') return;
    metrics.add('recal_windows_scored_total', judged.graphs);
    metrics.add('recal_candidates_total', judged.candidates);
    metrics.set('recal_graph_nodes', judged.nodes);
    const seconds = Math.round(judged.seconds * 10) / 10;
    this.#log('info', 'scored', {
      graphs: judged.graphs,
      incidents: judged.incidents.length,
      final,
      seconds,
    });
  }

  #announce({ id, revision, status, severity, title, sentence }: Notification): void {
    this.#metrics.add('recal_alerts_total', 1, { severity });
    this.#log('info', 'incident', { id: id.slice(0, 8), revision, status, severity, title, sentence });
  }
}

/** The state after a judgement. With the end of a span, the next one begins, with a new model if there is one. */
function next(
  state: WatchState,
  { kind, to, final }: Job,
  incidents: Record<string, ToldIncident>,
  end: bigint,
): WatchState {
  if (!final) return { ...state, incidents, ...(kind === 'score' ? { closed: String(to) } : {}) };
  const oldest = end - REMEMBERED_NS;
  const kept = Object.fromEntries(Object.entries(incidents).filter(([, { span }]) => BigInt(span) >= oldest));
  const takesOver = state.next !== null && BigInt(state.next.calibratedTo) < end;
  return {
    ...state,
    incidents: kept,
    span: String(end),
    closed: String(end),
    ...(takesOver ? { model: state.next, previous: state.model, next: null } : {}),
  };
}
