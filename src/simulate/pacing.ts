import type { Random } from '../base/random.js';
import { intensity, MINUTE, SECOND } from './calendar.js';
import type { Workload, World } from './hosts/world.js';
import type { TaskObserver } from './kernel/scheduler.js';
import type { Timeline } from './timeline.js';

/** Sessions are started in ticks; a tick is short enough for the rhythm of the day and long enough to be cheap. */
const EVENTS_PER_TICK = 2_000;

export interface PacingOptions {
  /** The test has so many times the events of its share. Default 1. */
  readonly testLoad?: number;
  /** Who watches the sessions of a workload. */
  readonly observe?: (workload: Workload) => TaskObserver | undefined;
}

/**
 * Decides how much goes on at any moment. The number of events asked for is laid out over the files and the rhythm of
 * the week; in every tick as many sessions are started as are missing from that plan. What attacks and rare work add
 * is thus made up for by a little less of everything else, and the total comes out as asked; with drift the test has up
 * to half as many more.
 */
export class Pacing {
  readonly tick: number;
  readonly ticks: number;
  /** Events that should have been written by the end of each tick. */
  private readonly planned: Float64Array;
  private readonly sizes: Float64Array;
  private readonly streams: Random[];
  private readonly chooser: Random;
  /** Events that sessions under way are still expected to make. */
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

  /** Starts the sessions of one tick. `written` tells how many events there are so far. */
  startSessions(index: number, world: World, written: () => number): void {
    const at = index * this.tick;
    let missing = (this.planned[index] as number) - written() - this.pending;
    if (missing <= 0) return;
    // Shares are of events, so a workload of long sessions is started less often.
    const weights = this.begun(at).map(
      (workload, w) =>
        (workload.share * intensity(workload.rhythm, at, this.timeline.local)) / (this.sizes[w] as number),
    );
    while (missing > 0) {
      const w = this.chooser.weighted(weights);
      // The last session of a tick is often larger than what is missing: leave it to chance, or every quiet tick
      // would overshoot.
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

  /** What goes on at a moment. What begins later comes last, so that until then nothing is drawn otherwise. */
  private begun(at: number): Workload[] {
    return this.workloads.filter(({ since = 0 }) => since <= at);
  }

  /** Keeps `pending` true, and learns how large sessions of a workload are. */
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
      for (const { share, rhythm } of this.begun(at)) load[index]! += share * intensity(rhythm, at, local);
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
