import type { Random } from '../base/random.js';
import { Attack } from './attacks/attack.js';
import { cadets } from './audit/cadets.js';
import type { Dialect, HostIdentity } from './audit/dialect.js';
import type { Attribution, HostLog } from './audit/host-log.js';
import { ndjson } from './audit/ndjson.js';
import { Recorder } from './audit/recorder.js';
import { theia } from './audit/theia.js';
import { trace } from './audit/trace.js';
import { CollectedLog } from './collectors/collected-log.js';
import { makeCollector } from './collectors/make-collector.js';
import { planDrift } from './hosts/drift.js';
import { type HostProfile, type Performer, Schedule } from './hosts/host-profile.js';
import { type ScheduledJob, World } from './hosts/world.js';
import type { User } from './kernel/entities.js';
import { Machine } from './kernel/machine.js';
import { Scheduler, type TaskObserver } from './kernel/scheduler.js';
import { cadetsUuids, randomUuid, theiaUuids, traceUuids, type UuidScheme } from './kernel/uuid-schemes.js';
import { LabelCollector } from './labels.js';
import { makeTimeline } from './layout.js';
import { EXTENSIONS, type SimulationSettings } from './options.js';
import { Pacing } from './pacing.js';
import type { Timeline, TimeSpan } from './timeline.js';

const UUID_SCHEMES: Readonly<Record<Performer, (random: Random) => UuidScheme>> = {
  cadets: cadetsUuids,
  theia: theiaUuids,
  trace: traceUuids,
};

const DIALECTS: Readonly<Record<Performer, (host: HostIdentity, nextUuid: () => string) => Dialect>> = {
  cadets,
  theia,
  trace,
};

interface HostRunOptions {
  readonly settings: SimulationSettings;
  readonly profile: HostProfile;
  readonly directory: string;
  readonly random: Random;
  /** Position among the hosts, from 0: it gives the host its name and address. */
  readonly index: number;
  readonly attacked: boolean;
}

/** The simulation of one host, from its first tick to its last. */
export class HostRun {
  readonly directory: string;
  readonly identity: HostIdentity;
  readonly timeline: Timeline;
  readonly recorder: HostLog;
  readonly labels: LabelCollector;
  readonly attacks: Attack[] = [];
  readonly machine: Machine;
  private readonly pacing: Pacing;
  private readonly world: World;

  constructor({ settings, profile, directory, random, index, attacked }: HostRunOptions) {
    this.directory = directory;
    this.timeline = makeTimeline(
      settings.scenario,
      settings.layout,
      settings.events,
      EXTENSIONS[settings.format],
      settings.days,
    );
    const { startSeconds, files } = this.timeline;
    const address = `10.0.${4 + Math.floor(index / 200)}.${50 + (index % 200)}`;
    const name = index === 0 ? profile.hostName : `${profile.hostName}-${index + 1}`;
    this.identity = { uuid: randomUuid(random.stream('host id')), name, address, startSeconds };

    const uuids = UUID_SCHEMES[profile.performer](random.stream('identifiers'));
    const performer = DIALECTS[profile.performer](this.identity, uuids.event);
    const dialect = settings.format === 'ndjson' ? ndjson(this.identity, performer) : performer;
    const scheduler = new Scheduler();
    const log = { directory, files, dialect, scheduler, startSeconds, random: random.stream('recorder') };
    const collector = makeCollector(settings.format, this.identity, settings.hosts > 1, () => this.machine);
    this.recorder = collector === undefined ? new Recorder(log) : new CollectedLog(log, collector);
    this.labels = new LabelCollector(collector);

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
    this.world = new World(this.machine, this.timeline.local, users, addUser);
    const scale = Math.max(0.25, Math.min(6, Math.sqrt(settings.events / 1_000_000)));
    const schedule = new Schedule(this.timeline, scale);
    const drift = settings.drift > 0 ? planDrift(profile, schedule, settings.drift) : undefined;
    const workloads = [...profile.workloads, ...(drift?.workloads ?? [])];
    this.pacing = new Pacing(this.timeline, workloads, settings.events, random, {
      testLoad: drift?.load ?? 1,
      observe: (workload) =>
        drift?.workloads.includes(workload) ? this.asUnusual(workload.name) : undefined,
    });
    profile.boot(this.world);
    const usual = profile
      .jobs(schedule)
      .map((each, number) => ({ each, stream: random.stream(`appointment ${number} ${each.name}`) }))
      .filter(({ each }) => settings.unusual === 'test' || !each.unusual);
    const changes = (drift?.jobs ?? []).map((each, number) => {
      return { each, stream: random.stream(`drift ${number} ${each.name}`) };
    });
    for (const { each, stream } of [...usual, ...changes]) this.startJob(each, stream);
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

  private startJob({ at, name, unusual, steps }: ScheduledJob, random: Random): void {
    const observer = unusual ? this.asUnusual(name) : undefined;
    this.machine.scheduler.start(at, steps(this.world, random), observer);
  }

  /** Lists the entities that a task creates as unusual. */
  private asUnusual(activity: string): TaskObserver {
    return this.attribute({
      created: (entity) => this.labels.addUnusual(entity, activity),
      recorded: () => {},
    });
  }

  private planAttacks(profile: HostProfile, random: Random, { events, stealth }: SimulationSettings): void {
    const test = this.timeline.files.filter((file) => file.role === 'test');
    profile.attacks.slice(0, this.timeline.attackSpans.length).forEach((plan, number) => {
      const span = this.timeline.attackSpans[number] as TimeSpan;
      const stream = random.stream(`attack ${number} ${plan.name}`);
      const attack = new Attack({
        id: `A${number + 1}-${plan.name}`,
        plan,
        world: this.world,
        random: stream,
        surface: profile.surface,
        stealth,
        span,
        labels: this.labels,
        fullScan: Math.max(200, Math.min(12_000, Math.round(events / 200))),
        size: Math.max(0.4, Math.min(1, Math.sqrt(events / 1_000_000))),
        testFrom: Math.min(...test.map((file) => file.from)),
      });
      this.attacks.push(attack);
      const start = span.from + stream.float() * 0.1 * (span.until - span.from);
      this.machine.scheduler.start(start, plan.steps(attack), this.attribute(attack));
    });
  }

  /** Attributes the entities and events of a task while it runs. */
  private attribute(attribution: Attribution): TaskObserver {
    const { recorder } = this;
    return {
      resume: () => {
        recorder.attribution = attribution;
      },
      pause: () => {
        recorder.attribution = undefined;
      },
    };
  }
}
