import type { Random } from '../base/random.js';
import { intensity, MINUTE, SECOND } from './calendar.js';
import type { Workload, World } from './hosts/world.js';
import type { TaskObserver } from './kernel/scheduler.js';
import type { Timeline } from './timeline.js';

/** Sessions start in ticks, which are short enough to follow the rhythm of the day. */
const EVENTS_PER_TICK = 2_000;

export interface PacingOptions {
  /** Factor on the events of the test. Default 1. */
  readonly testLoad?: number;
  /** Observes the sessions of a workload. */
  readonly observe?: (workload: Workload) => TaskObserver | undefined;
}

/**
 * Starts sessions so that each host reaches its number of events. The plan divides the events among the files and the
 * rhythm of the week. Each tick starts as many sessions as the plan lacks, so other work makes room for attacks and rare
 * jobs.
 */
export class Pacing {
  readonly tick: number;
  readonly ticks: number;
  /** Planned number of events at the end of each tick. */
  private readonly planned: Float64Array;
  private readonly sizes: Float64Array;
  private readonly streams: Random[];
  private readonly chooser: Random;
  /** Events that running sessions are still expected to make. */
  private pending = 0;

  constructor(
    private readonly timeline: Timeline,
    private readonly workloads: readonly Workload[],
    events: number,
    random: Random,
    private readonly options: PacingOptions = {},
  ) {
    const end = Math.max(...timeline.files.map((file) => file.until));
    this.tick = Math.max(SECOND, Math.min(5 * MINUTE, (end * EVENTS_PER_TICK) / events));
    this.ticks = Math.ceil(end / this.tick);
    this.planned = this.plan(events);
    this.sizes = Float64Array.from(workloads, (workload) => workload.size);
    this.streams = workloads.map((workload) => random.stream(`workload ${workload.name}`));
    this.chooser = random.stream('pacing');
  }

  /** Starts the sessions of one tick. `written` returns the number of events so far. */
  startSessions(index: number, world: World, written: () => number): void {
    const at = index * this.tick;
    let missing = (this.planned[index] as number) - written() - this.pending;
    if (missing <= 0) return;
    // Shares count events, so workloads with long sessions start less often.
    const weights = this.activeAt(at).map(
      (workload, w) =>
        (workload.share * intensity(workload.rhythm, at, this.timeline.local)) / (this.sizes[w] as number),
    );
    while (missing > 0) {
      const w = this.chooser.weighted(weights);
      // The last session is often larger than the rest of the plan; starting it always would exceed the plan in every
      // quiet tick.
      const size = this.sizes[w] as number;
      if (missing < size && !this.chooser.chance(missing / size)) break;
      missing -= size;
      const workload = this.workloads[w] as Workload;
      const start = at + this.chooser.float() * this.tick;
      world.machine.scheduler.start(
        start,
        workload.session(world, this.streams[w] as Random),
        this.watch(w, size, written, this.options.observe?.(workload)),
      );
    }
  }

  /** The workloads at a time. Later ones are last in the list, so they do not change the draws before they start. */
  private activeAt(at: number): Workload[] {
    return this.workloads.filter(({ since = 0 }) => since <= at);
  }

  /** Updates `pending` and the mean size of a workload's sessions. */
  private watch(w: number, expected: number, written: () => number, also?: TaskObserver): TaskObserver {
    let made = 0;
    let before = 0;
    this.pending += expected;
    const outstanding = () => Math.max(0, expected - made);
    return {
      resume: () => {
        before = written();
        also?.resume();
      },
      pause: (finished) => {
        also?.pause(finished);
        this.pending -= outstanding();
        made += written() - before;
        if (finished) this.sizes[w] = (this.sizes[w] as number) * 0.98 + Math.max(1, made) * 0.02;
        else this.pending += outstanding();
      },
    };
  }

  private plan(events: number): Float64Array {
    const { files, local } = this.timeline;
    const load = new Float64Array(this.ticks);
    const fileOf = new Int32Array(this.ticks);
    const fileLoad = new Float64Array(files.length);
    let file = 0;
    for (let index = 0; index < this.ticks; index++) {
      const at = index * this.tick;
      while (file < files.length - 1 && at >= (files[file]?.until ?? 0)) file++;
      fileOf[index] = file;
      for (const { share, rhythm } of this.activeAt(at)) load[index]! += share * intensity(rhythm, at, local);
      fileLoad[file]! += load[index] as number;
    }
    const planned = new Float64Array(this.ticks);
    const { testLoad = 1 } = this.options;
    let sum = 0;
    for (let index = 0; index < this.ticks; index++) {
      const f = fileOf[index] as number;
      const share = (files[f]?.share ?? 0) * (files[f]?.role === 'test' ? testLoad : 1);
      sum += (events * share * (load[index] as number)) / (fileLoad[f] as number);
      planned[index] = sum;
    }
    return planned;
  }
}
