import type { Random } from '../../base/random.js';
import type { LocalTime, Rhythm } from '../calendar.js';
import { MILLISECOND, SECOND } from '../calendar.js';
import type { Process, User } from '../kernel/entities.js';
import type { Machine } from '../kernel/machine.js';
import type { Steps } from '../kernel/scheduler.js';

/** A host in motion: the machine, who works on it, and what is running. Workloads and attacks act through this. */
export class World {
  private readonly daemons = new Map<string, Process>();

  constructor(
    readonly machine: Machine,
    readonly local: LocalTime,
    readonly random: Random,
    readonly users: User[],
    /** Adds a user to the host, as the package manager or an administrator would. */
    readonly addUser: (name: string, uid: number, home: string) => User,
  ) {}

  /** The process that plays a part, such as `nginx worker`. */
  daemon(role: string): Process {
    const process = this.daemons.get(role);
    if (!process) throw new RangeError(`World.daemon: nothing plays '${role}' on this host`);
    return process;
  }

  find(role: string): Process | undefined {
    return this.daemons.get(role);
  }

  cast(role: string, process: Process): Process {
    this.daemons.set(role, process);
    return process;
  }

  dismiss(role: string): void {
    this.daemons.delete(role);
  }

  user(name: string): User {
    const user = this.users.find((candidate) => candidate.name === name);
    if (!user) throw new RangeError(`World.user: no user '${name}' on this host`);
    return user;
  }

  /** People, not service accounts. */
  get people(): User[] {
    return this.users.filter((user) => user.uid >= 1000 && user.uid < 60_000);
  }
}

/** Work that goes on all the time, in sessions started as the rhythm of the day asks for. */
export interface Workload {
  readonly name: string;
  /** Share of all events, before the rhythm. */
  readonly share: number;
  readonly rhythm: Rhythm;
  /** Events of one session; a first guess, corrected by what sessions turn out to make. */
  readonly size: number;
  /** Not before this moment. Default: from the start. */
  readonly since?: number;
  session(world: World, random: Random): Steps;
}

/** Something that happens at a set time, whatever the load. */
export interface Appointment {
  readonly at: number;
  readonly name: string;
  /** Benign work that the training period never saw. */
  readonly unusual?: boolean;
  steps(world: World, random: Random): Steps;
}

/** Milliseconds that vary as waiting times do. */
export function millis(random: Random, mean: number): number {
  return random.exponential(mean * MILLISECOND);
}

export function seconds(random: Random, mean: number): number {
  return random.exponential(mean * SECOND);
}

/** An address somewhere on the Internet: never private, never reserved. */
export function publicAddress(random: Random): string {
  let first = random.between(11, 223);
  while (first === 127 || first === 172 || first === 192 || first === 169) first = random.between(11, 223);
  return `${first}.${random.below(256)}.${random.below(256)}.${random.between(1, 254)}`;
}
