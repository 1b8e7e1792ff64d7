import type { Random } from '../../base/random.js';
import type { LocalTime, Rhythm } from '../calendar.js';
import { MILLISECOND, SECOND } from '../calendar.js';
import type { Process, User } from '../kernel/entities.js';
import type { Machine } from '../kernel/machine.js';
import type { Steps } from '../kernel/scheduler.js';

/** A running host: its machine, users and services. Workloads and attacks act on it. */
export class World {
  private readonly daemons = new Map<string, Process>();

  constructor(
    readonly machine: Machine,
    readonly local: LocalTime,
    readonly users: User[],
    readonly addUser: (name: string, uid: number, home: string) => User,
  ) {}

  /** The process with a role, such as `nginx worker 0`. */
  daemon(role: string): Process {
    const process = this.daemons.get(role);
    if (!process) throw new RangeError(`World.daemon: no process has the role '${role}'`);
    return process;
  }

  find(role: string): Process | undefined {
    return this.daemons.get(role);
  }

  assignRole(role: string, process: Process): Process {
    this.daemons.set(role, process);
    return process;
  }

  clearRole(role: string): void {
    this.daemons.delete(role);
  }

  user(name: string): User {
    const user = this.users.find((candidate) => candidate.name === name);
    if (!user) throw new RangeError(`World.user: no user '${name}'`);
    return user;
  }

  /** The users that are not service accounts. */
  get people(): User[] {
    return this.users.filter((user) => user.uid >= 1000 && user.uid < 60_000);
  }
}

/** Continuous work in sessions, which the pacing starts by the rhythm of the day. */
export interface Workload {
  readonly name: string;
  /** Share of all events at full intensity. */
  readonly share: number;
  readonly rhythm: Rhythm;
  /** First estimate of the events per session; the pacing corrects it. */
  readonly size: number;
  /** Start, in nanoseconds of simulated time. Default 0. */
  readonly since?: number;
  session(world: World, random: Random): Steps;
}

/** Work that happens at a set time. */
export interface ScheduledJob {
  readonly at: number;
  readonly name: string;
  /** Benign work that does not occur before the test. */
  readonly unusual?: boolean;
  steps(world: World, random: Random): Steps;
}

/** An exponential wait in nanoseconds, with a mean in milliseconds. */
export function millis(random: Random, mean: number): number {
  return random.exponential(mean * MILLISECOND);
}

/** An exponential wait in nanoseconds, with a mean in seconds. */
export function seconds(random: Random, mean: number): number {
  return random.exponential(mean * SECOND);
}

/** A public IPv4 address. */
export function publicAddress(random: Random): string {
  let first = random.between(11, 223);
  while (first === 127 || first === 172 || first === 192 || first === 169) first = random.between(11, 223);
  return `${first}.${random.below(256)}.${random.below(256)}.${random.between(1, 254)}`;
}
