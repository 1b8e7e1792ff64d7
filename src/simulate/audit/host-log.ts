import { join } from 'node:path';
import type { Random } from '../../base/random.js';
import type { Call, CallSink } from '../kernel/calls.js';
import { FileNode, type Process, type SimEntity, type Unit } from '../kernel/entities.js';
import type { Scheduler } from '../kernel/scheduler.js';
import type { LogFile } from '../timeline.js';
import type { Dialect } from './dialect.js';
import { LineSink } from './line-sink.js';

/** Counts of one log file. */
export interface FileCounts {
  events: number;
  relations: Record<string, number>;
  /** Entity records by CDM record name, or auditd records by type; empty if the format has none. */
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
  /** Calls that a collector does not record, by call. Absent in CDM and NDJSON. */
  unrecorded?: Record<string, number>;
}

/** One in this many short-lived entities is described late, and one never. */
const FAULT_EVERY = 4_000;

/** Receives the new entities and events of an attack or of unusual work. */
export interface Attribution {
  created(entity: SimEntity): void;
  recorded(at: number): void;
}

export interface HostLogOptions {
  readonly directory: string;
  readonly files: readonly LogFile[];
  /** The audit system of the performer. It sets the pace in every format. */
  readonly dialect: Dialect;
  readonly scheduler: Scheduler;
  readonly startSeconds: number;
  readonly random: Random;
}

/**
 * The log of a host, in files that follow each other in time. The calls that the performer's audit system records move
 * the clock and count for the pacing, whatever the format of the log is: one seed gives one world in every format.
 */
export abstract class HostLog implements CallSink {
  readonly counts: FileCounts[] = [];
  /** Calls that the performer's audit system records: the size of the world. */
  total = 0;
  /** Set while a task runs that is an attack or unusual work. */
  attribution: Attribution | undefined;

  protected fileIndex = -1;
  protected sink: LineSink | undefined;
  protected here: FileCounts = emptyCounts();
  protected readonly relations: Readonly<Partial<Record<Call, string>>>;
  protected readonly dialect: Dialect;
  private fileEnd = 0;
  private second = -1;
  private secondText = '';

  constructor(private readonly options: HostLogOptions) {
    this.dialect = options.dialect;
    this.relations = options.dialect.relations;
  }

  abstract record(
    call: Call,
    subject: Process | Unit | undefined,
    object: SimEntity | undefined,
    object2: SimEntity | undefined,
    size: number,
    path?: string,
  ): void;

  created(entity: SimEntity): void {
    this.attribution?.created(entity);
  }

  /** Events in the log. */
  get events(): number {
    return this.counts.reduce((sum, { events }) => sum + events, 0);
  }

  /** Writes what is pending. `counts` lacks the files that the simulation did not reach. */
  close(): void {
    this.endFile();
  }

  /** Called when a file begins and before it ends. */
  protected abstract beginFile(now: number): void;
  protected abstract finishFile(): void;

  /** Moves the clock for an event. In the real CADETS trace five of six events have the timestamp of the one before. */
  protected tick(): void {
    const draw = this.options.random.u32();
    if (draw < 0x1800_0000) this.options.scheduler.now += 1_000 + (draw & 0xffff);
  }

  /** The time now, after starting the file of this time; -1 after the last file. */
  protected reach(): number {
    const { now } = this.options.scheduler;
    return now >= this.fileEnd && !this.nextFile(now) ? -1 : now;
  }

  /** Draws whether a new entity is described late or never. Only short-lived ones are; programs and processes never. */
  protected drawFault(entity: SimEntity): 'late' | 'missing' | undefined {
    if (this.attribution !== undefined || !isShortLived(entity)) return undefined;
    const draw = this.options.random.below(FAULT_EVERY);
    return draw === 0 ? 'late' : draw === 1 ? 'missing' : undefined;
  }

  /** Notes the time of an event in the counts of its file and returns it in nanoseconds, as digits. */
  protected noteTime(now: number): string {
    const time = this.timestamp(now);
    if (this.here.events === 0) this.here.first = time;
    this.here.last = time;
    return time;
  }

  private nextFile(now: number): boolean {
    this.endFile();
    const { files, directory } = this.options;
    let index = this.fileIndex + 1;
    while (index < files.length && now >= (files[index] as LogFile).until) index++;
    const file = files[index];
    if (!file) {
      this.fileEnd = Number.POSITIVE_INFINITY;
      this.fileIndex = files.length;
      return false;
    }
    this.fileIndex = index;
    this.fileEnd = file.until;
    this.here = emptyCounts();
    this.counts[index] = this.here;
    this.sink = new LineSink(join(directory, file.name));
    this.beginFile(now);
    return true;
  }

  private endFile(): void {
    if (this.sink === undefined) return;
    this.finishFile();
    this.sink.close();
    this.here.bytes = this.sink.bytes;
    this.sink = undefined;
  }

  private timestamp(now: number): string {
    const second = Math.floor(now / 1e9);
    if (second !== this.second) {
      this.second = second;
      this.secondText = String(this.options.startSeconds + second);
    }
    const nanos = Math.floor(now - second * 1e9);
    const { resolution } = this.dialect;
    return this.secondText + String(1e9 + (resolution === 1 ? nanos : nanos - (nanos % resolution))).slice(1);
  }
}

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
