import type { Random } from '../base/random.js';
import { Attack } from './attacks/attack.js';
import { cadets } from './audit/cadets.js';
import type { Dialect, HostIdentity } from './audit/dialect.js';
import { ndjson } from './audit/ndjson.js';
import { Recorder, type Witness } from './audit/recorder.js';
import { theia } from './audit/theia.js';
import { trace } from './audit/trace.js';
import { driftOf } from './hosts/drift.js';
import { Agenda, type HostProfile, type Performer } from './hosts/host.js';
import { type Appointment, World } from './hosts/world.js';
import type { User } from './kernel/entities.js';
import { Machine } from './kernel/machine.js';
import { Scheduler, type TaskObserver } from './kernel/scheduler.js';
import { cadetsShape, randomUuid, theiaShape, traceShape, type UuidShape } from './kernel/uuid-shapes.js';
import { LabelBook } from './labels.js';
import { timelineOf } from './layout.js';
import type { Settings } from './options.js';
import { Pacing } from './pacing.js';
import type { Slot, Timeline } from './timeline.js';

const SHAPES: Readonly<Record<Performer, (random: Random) => UuidShape>> = {
  cadets: cadetsShape,
  theia: theiaShape,
  trace: traceShape,
};

const DIALECTS: Readonly<Record<Performer, (host: HostIdentity, nextUuid: () => string) => Dialect>> = {
  cadets,
  theia,
  trace,
};

/** One host of a scenario, from its first tick to its last. */
export class HostRun {
  readonly identity: HostIdentity;
  readonly timeline: Timeline;
  readonly recorder: Recorder;
  readonly book = new LabelBook();
  readonly attacks: Attack[] = [];
  readonly machine: Machine;
  private readonly pacing: Pacing;
  private readonly world: World;

  constructor(
    settings: Settings,
    profile: HostProfile,
    readonly directory: string,
    random: Random,
    index: number,
    attacked: boolean,
  ) {
    const extension = settings.format === 'ndjson' ? 'ndjson' : 'json';
    this.timeline = timelineOf(settings.scenario, settings.layout, settings.events, extension, settings.days);
    const { startSeconds, files } = this.timeline;
    const address = `10.0.${4 + Math.floor(index / 200)}.${50 + (index % 200)}`;
    const name = index === 0 ? profile.hostName : `${profile.hostName}-${index + 1}`;
    this.identity = { uuid: randomUuid(random.stream('host id')), name, address, startSeconds };

    const uuids = SHAPES[profile.performer](random.stream('identifiers'));
    const performer = DIALECTS[profile.performer](this.identity, uuids.event);
    const dialect = settings.format === 'ndjson' ? ndjson(this.identity, performer) : performer;
    const scheduler = new Scheduler();
    this.recorder = new Recorder(
      directory,
      files,
      dialect,
      scheduler,
      startSeconds,
      random.stream('recorder'),
    );

    const users: User[] = [];
    const addUser = (login: string, uid: number, home: string): User => {
      const user = { name: login, uid, home, principal: uuids.principal(uid) };
      users.push(user);
      return user;
    };
    for (const [login, uid, home] of profile.users) addUser(login, uid, home);
    this.machine = new Machine({
      random: random.stream('machine'),
      uuids,
      sink: this.recorder,
      scheduler,
      programs: profile.programs(),
      root: users[0] as User,
      address,
      system: profile.system,
      maximumPid: profile.maximumPid,
    });
    this.world = new World(this.machine, this.timeline.local, random.stream('world'), users, addUser);
    const scale = Math.max(0.25, Math.min(6, Math.sqrt(settings.events / 1_000_000)));
    const agenda = new Agenda(this.timeline, random.stream('agenda'), scale);
    const drift = settings.drift > 0 ? driftOf(profile, agenda, settings.drift) : undefined;
    const workloads = [...profile.workloads, ...(drift?.workloads ?? [])];
    this.pacing = new Pacing(this.timeline, workloads, settings.events, random, {
      testLoad: drift?.load ?? 1,
      observe: (workload) =>
        drift?.workloads.includes(workload) ? this.asUnusual(workload.name) : undefined,
    });
    profile.boot(this.world);
    const usual = profile
      .appointments(agenda)
      .map((each, number) => ({ each, stream: random.stream(`appointment ${number} ${each.name}`) }))
      .filter(({ each }) => settings.unusual === 'test' || !each.unusual);
    const changes = (drift?.appointments ?? []).map((each, number) => {
      return { each, stream: random.stream(`drift ${number} ${each.name}`) };
    });
    for (const { each, stream } of [...usual, ...changes]) this.makeAppointment(each, stream);
    if (attacked) this.planAttacks(profile, random, settings);
  }

  get ticks(): number {
    return this.pacing.ticks;
  }

  /** Runs one tick of simulated time. */
  advance(tick: number): void {
    this.pacing.startSessions(tick, this.world, this.written);
    this.machine.scheduler.runUntil((tick + 1) * this.pacing.tick);
  }

  private readonly written = () => this.recorder.total;

  private makeAppointment({ at, name, unusual, steps }: Appointment, random: Random): void {
    const observer = unusual ? this.asUnusual(name) : undefined;
    this.machine.scheduler.start(at, steps(this.world, random), observer);
  }

  /** What a task makes is listed as benign and new. */
  private asUnusual(activity: string): TaskObserver {
    return this.attributing({
      created: (entity) => this.book.addUnusual(entity, activity),
      recorded: () => {},
    });
  }

  private planAttacks(profile: HostProfile, random: Random, { events, stealth }: Settings): void {
    const test = this.timeline.files.filter((file) => file.role === 'test');
    profile.attacks.slice(0, this.timeline.attackSlots.length).forEach((plan, number) => {
      const slot = this.timeline.attackSlots[number] as Slot;
      const stream = random.stream(`attack ${number} ${plan.name}`);
      const attack = new Attack({
        id: `A${number + 1}-${plan.name}`,
        plan,
        world: this.world,
        random: stream,
        surface: profile.surface,
        stealth,
        slot,
        book: this.book,
        fullScan: Math.max(200, Math.min(12_000, Math.round(events / 200))),
        size: Math.max(0.4, Math.min(1, Math.sqrt(events / 1_000_000))),
        since: Math.min(...test.map((file) => file.from)),
      });
      this.attacks.push(attack);
      const start = slot.from + stream.float() * 0.1 * (slot.until - slot.from);
      this.machine.scheduler.start(start, plan.steps(attack), this.attributing(attack));
    });
  }

  /** While a task runs, what it makes is put down to it. */
  private attributing(witness: Witness): TaskObserver {
    const { recorder } = this;
    return {
      resume: () => {
        recorder.witness = witness;
      },
      pause: () => {
        recorder.witness = undefined;
      },
    };
  }
}
