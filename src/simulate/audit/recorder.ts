import { join } from 'node:path';
import type { Random } from '../../base/random.js';
import type { Call, CallSink } from '../kernel/calls.js';
import { FileNode, Process, type SimEntity, type Unit, type User } from '../kernel/entities.js';
import type { Scheduler } from '../kernel/scheduler.js';
import type { LogFile } from '../timeline.js';
import type { AuditEvent, Dialect, EntityRecord } from './dialect.js';
import { LineSink } from './line-sink.js';

/** Counts of one log file. */
export interface FileCounts {
  events: number;
  relations: Record<string, number>;
  /** Entity records by CDM record name; empty if the format has none. */
  records: Record<string, number>;
  entities: number;
  /** Entities described only after their first use, as happens in real logs. */
  late: number;
  /** Entities never described in this file, as happens in real logs. */
  missing: number;
  /** Subjects and objects of events whose entity is never described in this file. */
  unresolvedEndpoints: number;
  bytes: number;
  first: string;
  last: string;
}

/** One in this many short-lived entities is described late, and one never. */
const FAULT_EVERY = 4_000;
/** A late record follows this many events after the first use. */
const LATE_BY_EVENTS = 40;

interface LateRecord {
  readonly due: number;
  readonly entity: SimEntity;
}

/** Receives the new entities and events of an attack or of unusual work. */
export interface Attribution {
  created(entity: SimEntity): void;
  recorded(at: number): void;
}

/**
 * The audit system: turns calls into records, describes each entity before its first use in each file, and starts the
 * next file when its time begins.
 */
export class Recorder implements CallSink {
  readonly counts: FileCounts[] = [];
  total = 0;
  /** Set while a task runs that is an attack or unusual work. */
  attribution: Attribution | undefined;

  private fileIndex = -1;
  private fileEnd = 0;
  private sink: LineSink | undefined;
  private here: FileCounts = emptyCounts();
  private readonly describedUsers = new Set<User>();
  private readonly relations: Readonly<Partial<Record<Call, string>>>;
  private late: LateRecord[] = [];
  private readonly missing = new Set<SimEntity>();
  private second = -1;
  private secondText = '';
  private readonly event: AuditEvent = {
    call: 'open',
    relation: '',
    subject: undefined,
    object: undefined,
    object2: undefined,
    size: -1,
    sequence: 0,
    time: '',
  };

  constructor(
    private readonly directory: string,
    private readonly files: readonly LogFile[],
    private readonly dialect: Dialect,
    private readonly scheduler: Scheduler,
    private readonly startSeconds: number,
    private readonly random: Random,
  ) {
    this.relations = dialect.relations;
  }

  record(
    call: Call,
    subject: Process | Unit | undefined,
    object: SimEntity | undefined,
    object2: SimEntity | undefined,
    size: number,
  ): void {
    const relation = this.relations[call];
    if (relation === undefined) return;
    // In the real CADETS trace five of six events have the timestamp of the event before.
    const draw = this.random.u32();
    if (draw < 0x1800_0000) this.scheduler.now += 1_000 + (draw & 0xffff);
    const now = this.scheduler.now;
    if (now >= this.fileEnd && !this.nextFile(now)) return;

    const { here, event, fileIndex } = this;
    if (subject !== undefined && subject.describedIn !== fileIndex) this.describe(subject);
    if (object !== undefined && object.describedIn !== fileIndex) this.describe(object);
    if (object2 !== undefined && object2.describedIn !== fileIndex) this.describe(object2);
    if (this.missing.size > 0) this.countUnresolved(object, object2);

    event.call = call;
    event.relation = relation;
    event.subject = subject;
    event.object = object;
    event.object2 = object2;
    event.size = size;
    event.sequence = this.total;
    event.time = this.timestamp(now);
    if (here.events === 0) here.first = event.time;
    here.last = event.time;
    here.events++;
    here.relations[relation] = (here.relations[relation] ?? 0) + 1;
    this.total++;
    (this.sink as LineSink).write(this.dialect.event(event));
    if (this.late.length > 0 && (this.late[0] as LateRecord).due <= this.total) this.describeLate();
    this.attribution?.recorded(now);
  }

  created(entity: SimEntity): void {
    this.attribution?.created(entity);
  }

  /** Writes what is pending. `counts` lacks the files that the simulation did not reach. */
  close(): void {
    this.endFile();
  }

  private nextFile(now: number): boolean {
    this.endFile();
    let index = this.fileIndex + 1;
    while (index < this.files.length && now >= (this.files[index] as LogFile).until) index++;
    const file = this.files[index];
    if (!file) {
      this.fileEnd = Number.POSITIVE_INFINITY;
      this.fileIndex = this.files.length;
      return false;
    }
    this.fileIndex = index;
    this.fileEnd = file.until;
    this.describedUsers.clear();
    this.missing.clear();
    this.here = emptyCounts();
    this.counts[index] = this.here;
    this.sink = new LineSink(join(this.directory, file.name));
    for (const record of this.dialect.opening()) this.write(record);
    return true;
  }

  private endFile(): void {
    if (this.sink === undefined) return;
    for (const { entity } of this.late) this.write(this.dialect.entity(entity));
    this.late = [];
    this.sink.close();
    this.here.bytes = this.sink.bytes;
    this.sink = undefined;
  }

  private describe(entity: SimEntity): void {
    const first = entity.firstSeenIn < 0;
    entity.describedIn = this.fileIndex;
    if (first) entity.firstSeenIn = this.fileIndex;
    this.here.entities++;
    if (entity instanceof Process) this.describeUser(entity.user);
    else if (entity instanceof FileNode) this.describeUser(entity.owner);
    const record = this.dialect.entity(entity);
    if (record === undefined) return;
    if (first && this.attribution === undefined && isShortLived(entity)) {
      const draw = this.random.below(FAULT_EVERY);
      if (draw === 0) {
        this.late.push({ due: this.total + LATE_BY_EVENTS, entity });
        this.here.late++;
        return;
      }
      if (draw === 1) {
        this.missing.add(entity);
        this.here.missing++;
        return;
      }
    }
    this.write(record);
  }

  private describeUser(user: User): void {
    if (this.describedUsers.has(user)) return;
    this.describedUsers.add(user);
    this.write(this.dialect.user(user));
  }

  private describeLate(): void {
    while (this.late.length > 0 && (this.late[0] as LateRecord).due <= this.total) {
      this.write(this.dialect.entity((this.late.shift() as LateRecord).entity));
    }
  }

  private countUnresolved(object: SimEntity | undefined, object2: SimEntity | undefined): void {
    if (object !== undefined && this.missing.has(object)) this.here.unresolvedEndpoints++;
    if (object2 !== undefined && this.missing.has(object2)) this.here.unresolvedEndpoints++;
  }

  private write(record: EntityRecord | undefined): void {
    if (record === undefined) return;
    (this.sink as LineSink).write(record.line);
    this.here.records[record.record] = (this.here.records[record.record] ?? 0) + 1;
  }

  private timestamp(now: number): string {
    const second = Math.floor(now / 1e9);
    if (second !== this.second) {
      this.second = second;
      this.secondText = String(this.startSeconds + second);
    }
    const nanos = Math.floor(now - second * 1e9);
    const { resolution } = this.dialect;
    return this.secondText + String(1e9 + (resolution === 1 ? nanos : nanos - (nanos % resolution))).slice(1);
  }
}

/** Only short-lived entities have late or missing records; programs and processes are always described. */
function isShortLived(entity: SimEntity): boolean {
  return entity.kind === 'flow' || entity.kind === 'pipe' || (entity instanceof FileNode && entity.transient);
}

function emptyCounts(): FileCounts {
  return {
    events: 0,
    relations: {},
    records: {},
    entities: 0,
    late: 0,
    missing: 0,
    unresolvedEndpoints: 0,
    bytes: 0,
    first: '',
    last: '',
  };
}
