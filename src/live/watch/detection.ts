import type { Severity } from '../../detect/alerts/severity.js';
import { parseThreshold, type ThresholdSpec } from '../../detect/threshold/threshold.js';
import { DEFAULT_EPISODES } from '../../pipeline/calibration-summary.js';
import type { Notification } from '../sinks/notification.js';
import type { Suppression } from '../triage/triage-ledger.js';
import type { HeldIncident, ModelEntry, WatchState } from './checkpoint.js';
import { type Decisions, decide } from './decide.js';
import type { JudgedIncident, JudgedSpan, JudgeRequest } from './judge-span.js';
import type { LiveDecisions } from './live-decisions.js';
import type { Metrics } from './metrics.js';
import { Pace } from './pace.js';
import { SpanRecords, type Standing, standingWithoutAlerts } from './standing.js';
import type { WatchFolder } from './watch-folder.js';
import type { WatchLog } from './watch-log.js';
import { floorTo } from './watermark.js';
import { WorkerProcess } from './worker-process.js';

/** Incidents of spans that ended so long ago are forgotten. */
const REMEMBERED_NS = 40n * 86_400_000_000_000n;
/** A judge that fails is tried again after this time. */
const PAUSE_MS = 10_000;
/**
 * The most that each kind of judgement takes of the time. Both read the whole open span, so on a busy host they take longer and
 * longer. While the sources are behind, they wait: a window that is over helps nobody while the next ones are not read.
 */
const MOST_SHARE = {
  keepingUp: { tell: 0.3, score: 0.2 },
  behind: { tell: 0.05, score: 0.05 },
};

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

/** A judged span, and what the judge knew. */
interface Judgement {
  readonly job: Job;
  readonly judged: JudgedSpan;
  readonly from: bigint;
  readonly asked: readonly Suppression[];
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
  #notBefore = Number.NEGATIVE_INFINITY;
  readonly #pace = { tell: new Pace(), score: new Pace() };
  /** The number of stored events at the last judgement of each kind. */
  readonly #judgedEvents = { tell: -1, score: -1 };
  /** What was said to be held back, by incident and suppression. */
  readonly #saidHeld = new Set<string>();
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

  /** What is due, if anything. `drain` asks for everything that is there, `isBehind` says that more lines wait. */
  due(
    state: WatchState,
    {
      watermark,
      events,
      drain,
      isBehind,
    }: { watermark: bigint | undefined; events: number; drain: boolean; isBehind: boolean },
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
    const share = isBehind ? MOST_SHARE.behind : MOST_SHARE.keepingUp;
    const { over, windows } = this.#unscored(state.model, from, state.closed, watermark);
    if (windows > 0 && isNew('score') && this.#pace.score.isTime(now, share.score))
      return { kind: 'score', to: over, final: false };
    if (isNew('tell') && this.#pace.tell.isTime(now, share.tell, this.#options.tellEveryMs))
      return { kind: 'tell', to: end, final: false };
    return undefined;
  }

  /** Windows of the open span that are over but not scored. */
  unscoredWindows({ model, span, closed }: WatchState, watermark: bigint | undefined): number {
    if (model === null || span === null || watermark === undefined) return 0;
    return this.#unscored(model, BigInt(span), closed, watermark).windows;
  }

  #unscored(
    { window }: ModelEntry,
    from: bigint,
    closed: string | null,
    watermark: bigint,
  ): { over: bigint; windows: number } {
    const step = BigInt(window);
    const over = floorTo(watermark, step);
    const scored = closed === null || BigInt(closed) < from ? from : BigInt(closed);
    return { over, windows: over <= scored ? 0 : Math.ceil(Number(over - scored) / Number(step)) };
  }

  /** The open span is judged again even without new events. */
  judgeAgain(): void {
    this.#judgedEvents.tell = -1;
    this.#judgedEvents.score = -1;
  }

  /** Has a job judged; undefined if the judge failed. */
  async judge(
    job: Job,
    state: WatchState,
    events: number,
    asked: readonly Suppression[],
  ): Promise<Judgement | undefined> {
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
        suppressions: asked,
      });
      this.problem = undefined;
      this.#measure(job, judged);
      return { job, judged, from, asked };
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
        // After the end of a span, the next one begins with few events.
        this.#pace[job.kind].note(performance.now(), job.final ? 0 : took);
      }
      this.#busy = false;
    }
  }

  /** What people decided about the judged incidents. Where alerts are known, they are those of `recal incidents`. */
  async standings(
    { job, from, asked }: Judgement,
    decisions: LiveDecisions,
  ): Promise<(each: JudgedIncident) => Standing> {
    const { triage } = decisions;
    if (triage.entries.length === 0) return () => ({ kind: 'tell' });
    const active = decisions.active();
    if (job.kind === 'tell') return (each) => standingWithoutAlerts(each, triage, active, asked);
    const records = await SpanRecords.read(this.#folder.alerts(from));
    return (each) => records.standingOf(each, triage, active);
  }

  /** Decides what is told. Returns the next state. */
  conclude(
    { job, judged, from }: Judgement,
    state: WatchState,
    standingOf: (each: JudgedIncident) => Standing,
  ): { state: WatchState; notifications: readonly Notification[] } {
    const { minSeverity } = this.#options;
    const options = { rule: this.#rule, minSeverity, span: from, final: job.final, standingOf };
    const decisions = decide(state, judged.incidents, options);
    this.announce(decisions);
    return { state: next(state, job, decisions, this.endOf(from)), notifications: decisions.notifications };
  }

  /** Logs and counts what is told and what is held back. */
  announce({ notifications, held }: Pick<Decisions, 'notifications' | 'held'>): void {
    for (const { id, revision, status, severity, title, sentence } of notifications) {
      this.#metrics.add('recal_alerts_total', 1, { severity });
      this.#log('info', 'incident', { id: id.slice(0, 8), revision, status, severity, title, sentence });
    }
    for (const [id, { suppression, notification }] of Object.entries(held))
      this.#sayHeld(id, suppression, notification);
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

  #sayHeld(id: string, suppression: string | null, { severity, title }: HeldIncident['notification']): void {
    const key = `${id} ${suppression}`;
    if (suppression === null || this.#saidHeld.has(key)) return;
    this.#saidHeld.add(key);
    const rule = suppression.slice(0, 8);
    this.#metrics.add('recal_alerts_suppressed_total', 1, { rule });
    this.#log('info', 'suppressed', { id: id.slice(0, 8), rule, severity, title });
  }
}

/** The state after a judgement. With the end of a span, the next one begins, with a new model if there is one. */
function next(
  state: WatchState,
  { kind, to, final }: Job,
  { incidents, held }: Decisions,
  end: bigint,
): WatchState {
  if (!final) return { ...state, incidents, held, ...(kind === 'score' ? { closed: String(to) } : {}) };
  const oldest = end - REMEMBERED_NS;
  const takesOver = state.next !== null && BigInt(state.next.calibratedTo) < end;
  return {
    ...state,
    incidents: since(incidents, oldest),
    held: since(held, oldest),
    span: String(end),
    closed: String(end),
    ...(takesOver ? { model: state.next, previous: state.model, next: null } : {}),
  };
}

function since<Each extends { readonly span: string }>(
  all: Readonly<Record<string, Each>>,
  oldest: bigint,
): Record<string, Each> {
  return Object.fromEntries(Object.entries(all).filter(([, { span }]) => BigInt(span) >= oldest));
}
