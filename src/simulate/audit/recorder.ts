import type { Call } from '../kernel/calls.js';
import { FileNode, Process, type SimEntity, type Unit, type User } from '../kernel/entities.js';
import type { AuditEvent, EntityRecord } from './dialect.js';
import { HostLog } from './host-log.js';
import type { LineSink } from './line-sink.js';

/** A late record follows this many events after the first use. */
const LATE_BY_EVENTS = 40;

interface LateRecord {
  readonly due: number;
  readonly entity: SimEntity;
}

/** The log of the performer's audit system: describes each entity before its first use in each file. */
export class Recorder extends HostLog {
  private readonly describedUsers = new Set<User>();
  private late: LateRecord[] = [];
  private readonly missing = new Set<SimEntity>();
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

  record(
    call: Call,
    subject: Process | Unit | undefined,
    object: SimEntity | undefined,
    object2: SimEntity | undefined,
    size: number,
  ): void {
    const relation = this.relations[call];
    if (relation === undefined) return;
    this.tick();
    const now = this.reach();
    if (now < 0) return;

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
    event.time = this.noteTime(now);
    here.events++;
    here.relations[relation] = (here.relations[relation] ?? 0) + 1;
    this.total++;
    (this.sink as LineSink).write(this.dialect.event(event));
    if (this.late.length > 0 && (this.late[0] as LateRecord).due <= this.total) this.describeLate();
    this.attribution?.recorded(now);
  }

  protected beginFile(): void {
    this.describedUsers.clear();
    this.missing.clear();
    for (const record of this.dialect.opening()) this.write(record);
  }

  protected finishFile(): void {
    for (const { entity } of this.late) this.write(this.dialect.entity(entity));
    this.late = [];
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
    const fault = first ? this.drawFault(entity) : undefined;
    if (fault === undefined) {
      this.write(record);
      return;
    }
    this.here[fault]++;
    if (fault === 'late') this.late.push({ due: this.total + LATE_BY_EVENTS, entity });
    else this.missing.add(entity);
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
}
