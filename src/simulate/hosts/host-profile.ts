import type { AttackPlan, Surface } from '../attacks/attack.js';
import { DAY } from '../calendar.js';
import type { Programs } from '../kernel/programs.js';
import type { Timeline } from '../timeline.js';
import type { ScheduledJob, Workload, World } from './world.js';

/** A team of DARPA Transparent Computing: each built its own audit system. */
export type Performer = 'cadets' | 'theia' | 'trace';

/** The description of one kind of host. */
export interface HostProfile {
  readonly performer: Performer;
  readonly system: 'freebsd' | 'linux';
  readonly hostName: string;
  readonly maximumPid: number;
  programs(): Programs;
  readonly users: readonly (readonly [name: string, uid: number, home: string])[];
  readonly surface: Surface;
  /** Starts the processes that run before the log begins. */
  boot(world: World): void;
  readonly workloads: readonly Workload[];
  /** Work at set times: log rotation, updates, new users, and the unusual work of the test. */
  jobs(schedule: Schedule): ScheduledJob[];
  /** In order of time; only as many run as the timeline has spans for. */
  readonly attacks: readonly AttackPlan[];
}

/** Places jobs on the timeline and scales them to the size of the simulation. */
export class Schedule {
  readonly end: number;
  readonly testFrom: number;
  readonly testUntil: number;

  constructor(
    readonly timeline: Timeline,
    /** 1 for a million events; rare work grows more slowly than the simulation. */
    readonly scale: number,
  ) {
    const { files } = timeline;
    const test = files.filter((file) => file.role === 'test');
    this.end = Math.max(...files.map((file) => file.until));
    this.testFrom = Math.min(...test.map((file) => file.from));
    this.testUntil = Math.max(...test.map((file) => file.until));
  }

  /** A job every day at this hour. */
  daily(hour: number, name: string, steps: ScheduledJob['steps']): ScheduledJob[] {
    const result: ScheduledJob[] = [];
    for (let at = this.timeline.local.next(-1, hour); at < this.end; at += DAY)
      result.push({ at, name, steps });
    return result;
  }

  /** One job at this fraction of the time before the test. */
  before(fraction: number, name: string, steps: ScheduledJob['steps']): ScheduledJob {
    return { at: this.testFrom * fraction, name, steps };
  }

  /** One unusual job at this fraction of the test. */
  unusual(fraction: number, name: string, steps: ScheduledJob['steps']): ScheduledJob {
    return { at: this.testFrom + (this.testUntil - this.testFrom) * fraction, name, unusual: true, steps };
  }

  /** The size of a rare job. */
  scaled(base: number): number {
    return Math.round(base * this.scale);
  }
}
