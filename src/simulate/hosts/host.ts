import type { Random } from '../../base/random.js';
import type { AttackPlan, Surface } from '../attacks/attack.js';
import { DAY } from '../calendar.js';
import type { Programs } from '../kernel/programs.js';
import type { Timeline } from '../timeline.js';
import type { Appointment, Workload, World } from './world.js';

export type Performer = 'cadets' | 'theia' | 'trace';

/** Everything that makes one kind of host what it is. */
export interface HostProfile {
  /** Whose audit system runs on it. */
  readonly performer: Performer;
  readonly system: 'freebsd' | 'linux';
  readonly hostName: string;
  readonly maximumPid: number;
  programs(): Programs;
  readonly users: readonly (readonly [name: string, uid: number, home: string])[];
  readonly surface: Surface;
  /** Starts what runs before the log begins. */
  boot(world: World): void;
  readonly workloads: readonly Workload[];
  /** What happens at set times: rotation, updates, people joining, and the work that training never saw. */
  appointments(agenda: Agenda): Appointment[];
  /** In the order in which they happen; as many as the timeline has slots for. */
  readonly attacks: readonly AttackPlan[];
}

/** When things can be put on the calendar, and how big they should be in a world of this size. */
export class Agenda {
  readonly end: number;
  readonly testFrom: number;
  readonly testUntil: number;

  constructor(
    readonly timeline: Timeline,
    readonly random: Random,
    /** 1 for a world of a million events; rare work grows with the world, but slower. */
    readonly scale: number,
  ) {
    const { files } = timeline;
    const test = files.filter((file) => file.role === 'test');
    this.end = Math.max(...files.map((file) => file.until));
    this.testFrom = Math.min(...test.map((file) => file.from));
    this.testUntil = Math.max(...test.map((file) => file.until));
  }

  /** Every day at this hour. */
  daily(hour: number, name: string, steps: Appointment['steps']): Appointment[] {
    const result: Appointment[] = [];
    for (let at = this.timeline.local.next(-1, hour); at < this.end; at += DAY)
      result.push({ at, name, steps });
    return result;
  }

  /** Once, at this fraction of the time before the test. */
  before(fraction: number, name: string, steps: Appointment['steps']): Appointment {
    return { at: this.testFrom * fraction, name, steps };
  }

  /** Once, at this fraction of the test period: work that training never saw. */
  unusual(fraction: number, name: string, steps: Appointment['steps']): Appointment {
    return { at: this.testFrom + (this.testUntil - this.testFrom) * fraction, name, unusual: true, steps };
  }

  /** A size for rare work. */
  sized(base: number): number {
    return Math.round(base * this.scale);
  }
}
