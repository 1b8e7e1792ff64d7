import { HostLog, type HostLogOptions } from '../audit/host-log.js';
import type { LineSink } from '../audit/line-sink.js';
import type { Call } from '../kernel/calls.js';
import type { Process, SimEntity, Unit } from '../kernel/entities.js';
import type { Collector, CollectorLog, ObservedCall } from './collector.js';

/** The log of a collector. It sees every call of the kernel, also those that the performer does not record. */
export class CollectedLog extends HostLog implements CollectorLog {
  private readonly startSeconds: number;
  private now = 0;
  private opened = false;
  private readonly observed: ObservedCall = {
    call: 'open',
    process: undefined as unknown as Process,
    object: undefined,
    object2: undefined,
    size: -1,
    path: undefined,
    seconds: 0,
    nanos: 0,
  };

  constructor(
    options: HostLogOptions,
    readonly collector: Collector,
  ) {
    super(options);
    this.startSeconds = options.startSeconds;
  }

  record(
    call: Call,
    subject: Process | Unit | undefined,
    object: SimEntity | undefined,
    object2: SimEntity | undefined,
    size: number,
    path?: string,
  ): void {
    const paced = this.relations[call] !== undefined;
    if (paced) this.tick();
    this.now = this.reach();
    if (this.now < 0) return;
    if (paced) {
      this.total++;
      for (const entity of [subject, object, object2]) this.drawAsPerformer(entity);
    }
    const { observed } = this;
    observed.call = call;
    observed.object = object;
    observed.object2 = object2;
    observed.size = size;
    observed.path = path;
    this.setTime(observed);
    let recorded = false;
    if (subject !== undefined) {
      observed.process = subject.kind === 'unit' ? subject.process : subject;
      recorded = this.collector.record(observed, this);
    }
    if (!recorded) this.countUnrecorded(call);
  }

  event(relation: string, lines: string): void {
    const { here } = this;
    this.noteTime(this.now);
    here.events++;
    here.relations[relation] = (here.relations[relation] ?? 0) + 1;
    (this.sink as LineSink).write(lines);
    this.attribution?.recorded(this.now);
  }

  records(type: string, count: number): void {
    this.here.records[type] = (this.here.records[type] ?? 0) + count;
  }

  mentions(entity: SimEntity): void {
    if (entity.firstSeenIn < 0) entity.firstSeenIn = this.fileIndex;
  }

  protected beginFile(now: number): void {
    this.here.unrecorded = {};
    this.now = now;
    this.setTime(this.observed);
    const { seconds, nanos } = this.observed;
    this.collector.open(this, !this.opened, seconds, nanos);
    this.opened = true;
  }

  protected finishFile(): void {
    this.collector.flush(this);
  }

  /** The performer's audit system draws for each new entity; the clock draws from the same random numbers. */
  private drawAsPerformer(entity: SimEntity | undefined): void {
    if (entity === undefined || entity.describedIn >= 0) return;
    entity.describedIn = this.fileIndex;
    this.drawFault(entity);
  }

  private countUnrecorded(call: Call): void {
    const { unrecorded } = this.here;
    if (unrecorded !== undefined) unrecorded[call] = (unrecorded[call] ?? 0) + 1;
  }

  private setTime(observed: ObservedCall): void {
    const second = Math.floor(this.now / 1e9);
    observed.seconds = this.startSeconds + second;
    observed.nanos = Math.floor(this.now - second * 1e9);
  }
}
