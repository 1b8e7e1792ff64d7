import { setTimeout as sleep } from 'node:timers/promises';
import { spaceProblem } from '../../base/files/space-problem.js';
import { LiveIngest } from '../../store/live/live-ingest.js';
import { partsOf } from '../../store/segments/segment-parts.js';
import { DeadLetters } from '../sinks/dead-letters.js';
import { DeliveredNotifications } from '../sinks/deliver.js';
import type { Notification } from '../sinks/notification.js';
import {
  type ModelEntry,
  readCheckpoint,
  rolledBack,
  type WatchState,
  writeCheckpoint,
} from './checkpoint.js';
import { Courier } from './courier.js';
import { Detection } from './detection.js';
import { followDecisions, spansToRead } from './follow-decisions.js';
import { Housekeeping } from './housekeeping.js';
import { Intake } from './intake.js';
import { Learning } from './learning.js';
import { LiveDecisions } from './live-decisions.js';
import { measureWatch } from './measure.js';
import { Metrics } from './metrics.js';
import { type Health, healthOf, MetricsServer } from './metrics-server.js';
import { readRecords, SpanRecords } from './standing.js';
import type { WatchOptions, WatchStatus } from './watch-options.js';
import { Watermark } from './watermark.js';

/** How long a single run waits for receivers. The next run tells what they have not taken. */
const DRAIN_SINKS_MS = 15_000;
const DAY_NS = 86_400_000_000_000n;
const SETTLE_EVERY_MS = 2000;
const MOST_WAIT_MS = 10_000;

/** Watches logs until `signal` aborts, the sources end, or, with `once`, everything there is judged. */
export async function watch(options: WatchOptions): Promise<WatchStatus> {
  await options.folder.make();
  const run = new WatchRun(options);
  try {
    await run.open();
    await run.loop();
  } finally {
    await run.close();
  }
  return run.status;
}

class WatchRun {
  readonly #options: WatchOptions;
  readonly #metrics = new Metrics();
  readonly #watermark: Watermark;
  readonly #learning: Learning;
  readonly #detection: Detection;
  readonly #decisions: LiveDecisions;
  #state!: WatchState;
  #ingest: LiveIngest | undefined;
  #intake: Intake | undefined;
  #courier: Courier | undefined;
  #housekeeping: Housekeeping | undefined;
  #server: MetricsServer | undefined;
  #checkpointed = Date.now();
  #told = 0;
  /** The model file that the folder names as the one in use. */
  #used = '';
  /** The decisions that were followed. */
  #followed = '';
  #settledAt = 0;
  #progressAt = 0;
  #working: Promise<void> | undefined;
  #failure: Error | undefined;
  /** Why the checkpoint cannot be written; undefined if it can. */
  #checkpointProblem: string | undefined;
  /** What adds to the outbox happens one after another. */
  #telling: Promise<void> = Promise.resolve();
  /** Checkpoints are written one after another. */
  #writing: Promise<void> = Promise.resolve();

  constructor(options: WatchOptions) {
    this.#options = options;
    const { folder, log } = options;
    this.#watermark = new Watermark(options.latenessMs);
    this.#learning = new Learning(options, folder, this.#metrics, log);
    this.#detection = new Detection(options, folder, this.#metrics, log);
    this.#decisions = new LiveDecisions(folder.store, log);
  }

  get status(): WatchStatus {
    const { manifest } = this.#ingest ?? { manifest: undefined };
    return {
      phase: this.#phase,
      learned: manifest === undefined ? 0 : this.#learning.progress(manifest, this.#watermark.latest),
      events: this.#intake?.events ?? 0,
      told: this.#told,
      incidents: Object.keys(this.#state?.incidents ?? {}).length,
      suppressed: Object.values(this.#state?.held ?? {}).filter(({ suppression }) => suppression !== null)
        .length,
      waiting: this.#state?.outbox.length ?? 0,
      metricsPort: this.#server?.port ?? 0,
    };
  }

  get #phase(): WatchStatus['phase'] {
    if (this.#state?.model != null) return 'detecting';
    return this.#learning.isTraining ? 'training' : 'learning';
  }

  async open(): Promise<void> {
    const { folder, sources, sinks, log, signal } = this.#options;
    const { state, isOlder } = await readCheckpoint(folder.checkpoint);
    if (isOlder) log('warn', 'older-checkpoint', { file: folder.checkpoint });
    this.#state = this.#options.rollback ? rolledBack(state) : state;
    this.#ingest = await LiveIngest.open(folder.store, this.#options.reading);
    this.#housekeeping = new Housekeeping(this.#ingest, this.#options);
    if (this.#options.rollback) await this.#save();
    await this.#useModel();
    this.#seeStored();
    const receivers = await Promise.all(
      sinks.map(async (sink) => ({
        sink,
        delivered: await DeliveredNotifications.open(folder.sent(sink.name)),
      })),
    );
    this.#courier = new Courier(receivers, new DeadLetters(folder.deadLetters), {
      delivered: (sink) => this.#metrics.add('recal_notifications_delivered_total', 1, { sink }),
      failed: (sink, error, final) => {
        this.#metrics.add('recal_sink_errors_total', 1, { sink });
        log(final ? 'error' : 'warn', final ? 'refused' : 'undelivered', { sink, error: error.message });
      },
    });
    this.#courier.add(this.#state.outbox);
    await this.#follow();
    this.#intake = new Intake({
      ingest: this.#ingest,
      sources,
      watermark: this.#watermark,
      metrics: this.#metrics,
      log,
      setAside: folder.setAside,
      signal,
    });
    await this.#intake.open();
    this.#metrics.collect(() => this.#measure());
    if (this.#options.metrics !== undefined)
      this.#server = await MetricsServer.open(this.#options.metrics, this.#metrics, () => this.#health());
    log('info', 'started', { phase: this.#phase, sources: sources.length, sinks: sinks.length });
    await this.#intake.reportProblems();
  }

  async loop(): Promise<void> {
    const { signal, once, commitEveryMs } = this.#options;
    const intake = this.#intake as Intake;
    for (;;) {
      const started = performance.now();
      const { closed } = this.#state;
      const { more } = await intake.step(closed === null ? undefined : BigInt(closed), once);
      if (this.#failure !== undefined) throw this.#failure;
      if (signal.aborted) return;
      const drained = (once ? intake.settled : intake.ended) && !more;
      if (!once || drained) this.#work(drained, more);
      await this.#keepHouse(more);
      if (drained && (await this.#isDone())) return;
      if (more) continue;
      const pause = drained ? 50 : Math.max(50, commitEveryMs - (performance.now() - started));
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
  }

  /** Starts what is due: training, or a judgement. */
  #work(drain: boolean, isBehind: boolean): void {
    if (this.#working !== undefined) return;
    const { latest } = this.#watermark;
    const complete = drain ? latest : this.#watermark.at(Date.now());
    const ingest = this.#ingest as LiveIngest;
    const period = this.#learning.due(this.#state, ingest.manifest, complete);
    if (period !== undefined) {
      const training = this.#learning
        .start(period, this.#state.model === null, (model, learnedTo) => this.#learned(model, learnedTo))
        .catch((error: Error) => this.#fail(error));
      // The first model is waited for; later ones are trained while the earlier one detects.
      if (this.#state.model === null) this.#track(training);
      return;
    }
    const events = this.#storedEvents;
    const job = this.#detection.due(this.#state, { watermark: complete, events, drain, isBehind });
    if (job === undefined) return;
    this.#track(
      this.#detection.judge(job, this.#state, events, this.#decisions.active()).then(async (judgement) => {
        if (judgement === undefined) return;
        await this.#inTurn(async () => {
          await this.#decisions.refresh();
          const standingOf = await this.#detection.standings(judgement, this.#decisions);
          // Nothing is awaited between reading the state and replacing it: a training may end at any time.
          const { state, notifications } = this.#detection.conclude(judgement, this.#state, standingOf);
          await this.#tell(state, notifications);
          // What was told now may have been judged before.
          if (notifications.length > 0) await this.#applyDecisions();
        });
      }),
    );
  }

  /** Applies what people decided since the last time. */
  async #follow(): Promise<void> {
    await this.#decisions.refresh();
    const { key } = this.#decisions;
    if (key === this.#followed) return;
    await this.#inTurn(() => this.#applyDecisions());
    this.#detection.judgeAgain();
    this.#followed = key;
  }

  async #applyDecisions(): Promise<void> {
    const { triage } = this.#decisions;
    const active = this.#decisions.active();
    const records = await readRecords(spansToRead(this.#state, triage), this.#options.folder);
    const recordsOf = (span: string) => records.get(span) ?? SpanRecords.none;
    const followed = followDecisions(this.#state, { triage, active, recordsOf });
    const { incidents, held, notifications } = followed;
    this.#detection.announce(followed);
    const state = { ...this.#state, incidents, held };
    if (notifications.length > 0) await this.#tell(state, notifications);
    else this.#state = state;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#telling.then(work);
    this.#telling = turn.catch(() => undefined); // whoever waits for it knows
    return turn;
  }

  #track(work: Promise<void>): void {
    this.#working = work
      .catch((error: Error) => this.#fail(error))
      .finally(() => {
        this.#working = undefined;
      });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
  }

  async #learned(model: ModelEntry | undefined, learnedTo: bigint): Promise<void> {
    const state = { ...this.#state, learnedTo: String(learnedTo) };
    if (model === undefined) this.#state = state;
    else if (state.model === null)
      this.#state = { ...state, model, span: String(BigInt(model.calibratedTo) + 1n) };
    else this.#state = { ...state, next: model };
    await this.#save();
    const { model: current, previous, next } = this.#state;
    await this.#options.folder.removeModels([current, previous, next]);
  }

  /** Writes down what will be told, then tells it. */
  async #tell(state: WatchState, notifications: readonly Notification[]): Promise<void> {
    const courier = this.#courier as Courier;
    this.#told += notifications.length;
    const hasSinks = this.#options.sinks.length > 0;
    this.#state = { ...state, outbox: [...courier.settle(), ...(hasSinks ? notifications : [])] };
    await this.#save();
    courier.add(hasSinks ? notifications : []);
  }

  async #keepHouse(isBehind: boolean): Promise<void> {
    const now = Date.now();
    const isQuiet = this.#working === undefined && !this.#learning.isTraining;
    await this.#housekeeping?.keep({ isQuiet, isBehind }, this.#watermark.latest);
    if (now - this.#settledAt >= SETTLE_EVERY_MS) {
      this.#settledAt = now;
      const outbox = (this.#courier as Courier).settle();
      if (this.#working === undefined && outbox.length !== this.#state.outbox.length) {
        this.#state = { ...this.#state, outbox: [...outbox] };
        await this.#save();
      }
      await this.#follow();
    }
    if (now - this.#progressAt >= 1000) {
      this.#progressAt = now;
      this.#options.progress?.(this.status);
    }
  }

  /** With everything read: whether everything is judged, too. */
  async #isDone(): Promise<boolean> {
    if (this.#working !== undefined) {
      await Promise.race([this.#working, sleep(200)]);
      return false;
    }
    if (this.#learning.isTraining && this.#state.model === null) return false;
    await this.#follow();
    const { latest } = this.#watermark;
    const events = this.#storedEvents;
    const asked = { watermark: latest, events, drain: true, isBehind: false };
    const isDue = this.#detection.due(this.#state, asked) !== undefined;
    const manifest = (this.#ingest as LiveIngest).manifest;
    if ((isDue && this.#detection.problem === undefined) || this.#learning.due(this.#state, manifest, latest))
      return false;
    if (this.#detection.problem !== undefined) throw new Error(this.#detection.problem);
    if (!(await (this.#courier as Courier).drain(DRAIN_SINKS_MS)))
      this.#options.log('warn', 'outbox', { waiting: this.#state.outbox.length });
    return true;
  }

  async close(): Promise<void> {
    await this.#intake?.close();
    await this.#detection.close();
    await this.#learning.close();
    await this.#working?.catch(() => undefined);
    try {
      if (this.#courier !== undefined) {
        await this.#courier.drain(this.#options.signal.aborted ? 2000 : 0);
        this.#state = { ...this.#state, outbox: [...this.#courier.settle()] };
        await this.#courier.close();
        await this.#save();
      }
    } finally {
      await this.#server?.close();
      await this.#ingest?.close();
    }
    const peakMiB = Math.round(process.resourceUsage().maxRSS / 1024);
    this.#options.log('info', 'stopped', { events: this.#intake?.events ?? 0, peakMiB });
  }

  #save(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** On a full disk, waits until there is space: what is not written down must not be told. */
  async #write(): Promise<void> {
    const { folder, log, signal } = this.#options;
    for (let wait = 250; ; wait = Math.min(MOST_WAIT_MS, wait * 2)) {
      try {
        await writeCheckpoint(folder.checkpoint, this.#state);
        this.#checkpointed = Date.now();
        this.#checkpointProblem = undefined;
        return await this.#useModel();
      } catch (error) {
        const problem = spaceProblem(error);
        if (problem === undefined || signal.aborted) throw error;
        this.#checkpointProblem = problem;
        log('error', 'checkpoint', { error: problem });
        await sleep(wait, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Detection opens models by their own names, so that a failure here does not stop it. */
  async #useModel(): Promise<void> {
    const { folder, log } = this.#options;
    const file = this.#state.model?.file ?? this.#used;
    if (file === this.#used) return;
    this.#used = file;
    await folder.use(file).catch((error: Error) => log('warn', 'model-name', { error: error.message }));
  }

  /** Events of the store that the detection has not seen count as new after a restart. */
  get #storedEvents(): number {
    return (this.#ingest as LiveIngest).manifest.ingests.reduce(
      (sum, { summary }) => sum + summary.events,
      0,
    );
  }

  #seeStored(): void {
    const limit = BigInt(Date.now()) * 1_000_000n + DAY_NS / 24n;
    for (const { kind, host, lastTs } of partsOf((this.#ingest as LiveIngest).manifest.segments))
      if (kind === 'events' && lastTs !== null && BigInt(lastTs) <= limit)
        this.#watermark.see(host, BigInt(lastTs), Date.now());
  }

  #health(): Health {
    return healthOf(this.#phase, {
      store: this.#intake?.problem,
      judge: this.#detection.problem,
      checkpoint: this.#checkpointProblem,
      decisions: this.#decisions.problem,
    });
  }

  #measure(): Promise<void> {
    return measureWatch(this.#metrics, {
      phase: this.#phase,
      state: this.#state,
      sources: this.#options.sources,
      latest: this.#watermark.latest,
      unscoredWindows: this.#detection.unscoredWindows(this.#state, this.#watermark.at(Date.now())),
      outbox: this.#courier?.settle().length ?? 0,
      segments: this.#ingest?.manifest.segments.length ?? 0,
      checkpointed: this.#checkpointed,
    });
  }
}
