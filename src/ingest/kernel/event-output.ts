import { type Action, actionNumber } from '../actions.js';
import {
  type Batch,
  NO_SYMBOL,
  setKey,
  TEXT_CMD,
  TEXT_CONTAINER,
  TEXT_ID,
  TEXT_LOCAL,
  TEXT_NAME,
  TEXT_SESSION,
  TEXT_UNIT,
} from '../batch.js';
import { FLOW_IN, FLOW_OUT } from '../flow.js';
import { digitsOf } from '../time.js';
import { ACT, NONE } from './act.js';
import type { ActTape } from './act-tape.js';
import type { Call } from './calls.js';
import { EntityRecord } from './entity-record.js';
import { ProcessRecord } from './process-record.js';

const NANOSECOND_DIGITS = digitsOf('ns');

/** What an event is, apart from its ends. */
export interface EventKind {
  readonly relation: number;
  readonly action: number;
  readonly flow: number;
}

/** Adds events and what is known of their entities to the current batch. */
export class EventOutput {
  /** Relations, hosts and kinds. */
  readonly symbols: string[] = [];
  readonly tape: ActTape;
  readonly fork: EventKind;
  readonly login: EventKind;
  readonly #numbers = new Map<string, number>();
  readonly #kinds = new Map<string, Map<string, EventKind>>();
  /** The kinds of calls without a suffix, by the index of the call. */
  readonly #plainKinds: EventKind[] = [];
  /** The files of the current batch by the number of their path. */
  readonly #files: (EntityRecord | undefined)[] = [];
  /** The host of each file in `#files`: two hosts may have the same path. */
  readonly #fileHosts: number[] = [];
  #hosts: number[] = [];
  #act = 0;
  #sub = 0;
  #host = NO_SYMBOL;

  constructor(tape: ActTape) {
    this.tape = tape;
    this.fork = this.newKind('fork', 'fork', false);
    this.login = this.newKind('USER_LOGIN', 'login', false);
  }

  /** Goes on with the batch that the tape is attached to. */
  beginBatch(): void {
    const { batch } = this.tape;
    this.#hosts = batch.symbols.map((name) => this.symbol(name));
    batch.symbols = this.symbols;
    this.#files.length = 0;
    batch.reserve(batch.events + batch.eventRoom, batch.upserts + batch.upsertRoom);
  }

  /** The number of a host for the acts of this batch. */
  hostNumber(name: string | undefined): number {
    return name === undefined ? NONE : this.#hosts.push(this.symbol(name)) - 1;
  }

  beginAct(act: number): void {
    this.#act = act;
    this.#sub = 0;
    const host = this.tape.words[act + ACT.host];
    this.#host = host === NONE ? NO_SYMBOL : this.#hosts[host];
  }

  /** The name of the host of the act, or undefined. */
  get hostName(): string | undefined {
    return this.#host === NO_SYMBOL ? undefined : this.symbols[this.#host];
  }

  symbol(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.symbols.push(name) - 1;
    this.#numbers.set(name, number);
    return number;
  }

  /** The kind of events of a call, given by its index in CALLS too. */
  kindOf(number: number, call: Call): EventKind {
    const known = this.#plainKinds[number];
    if (known !== undefined) return known;
    const kind = this.kind(call);
    this.#plainKinds[number] = kind;
    return kind;
  }

  /** The kind of events of a call. A suffix tells uses of a call apart that mean different things. */
  kind(call: Call, suffix = '', action = call.action, inward = call.inward): EventKind {
    let kinds = this.#kinds.get(suffix);
    if (kinds === undefined) {
      kinds = new Map();
      this.#kinds.set(suffix, kinds);
    }
    const known = kinds.get(call.name);
    if (known !== undefined) return known;
    const kind = this.newKind(call.name + suffix, action, inward);
    kinds.set(call.name, kind);
    return kind;
  }

  /** A kind of events by its relation. */
  newKind(relation: string, action: Action, inward: boolean): EventKind {
    const flow = inward ? FLOW_IN : FLOW_OUT;
    return { relation: this.symbol(relation), action: actionNumber(action), flow };
  }

  /** Adds an event of the current act and returns its row. */
  event(
    kind: EventKind,
    ok: number,
    subject: EntityRecord,
    object?: EntityRecord,
    object2?: EntityRecord,
  ): number {
    const { tape } = this;
    const { batch, words } = tape;
    const act = this.#act;
    const row = batch.addEvent();
    batch.tsWords[row * 2] = words[act + ACT.timeLow];
    batch.tsWords[row * 2 + 1] = words[act + ACT.timeHigh];
    batch.tsDigits[row] = NANOSECOND_DIGITS;
    const serial = words[act + ACT.serial];
    batch.seqWords[row * 2] = (serial << 8) | Math.min(this.#sub++, 255);
    batch.seqWords[row * 2 + 1] = serial >>> 24;
    batch.relation[row] = kind.relation;
    batch.action[row] = kind.action;
    batch.flow[row] = kind.flow;
    batch.ok[row] = ok;
    batch.host[row] = this.#host;
    batch.line[row] = words[act + ACT.line] + batch.linesBefore;
    this.#setEnd(batch.subject, row, subject);
    this.#setEnd(batch.object, row, object);
    this.#setEnd(batch.object2, row, object2);
    return row;
  }

  /** The file whose path is this text of the tape. */
  file(path: number, kind: string | undefined): EntityRecord {
    const known = this.#files[path];
    if (known !== undefined && this.#fileHosts[path] === this.#host) {
      if (kind !== undefined && known.kind !== kind) {
        known.kind = kind;
        known.changed();
      }
      return known;
    }
    const file = this.#named('file', path);
    file.kind = kind;
    this.#files[path] = file;
    this.#fileHosts[path] = this.#host;
    return file;
  }

  /** The network flow whose remote address is this text of the tape. */
  flow(address: number): EntityRecord {
    return this.#named('flow', address);
  }

  #named(type: 'file' | 'flow', number: number): EntityRecord {
    const record = new EntityRecord(type, this.tape.text(number) as string);
    record.name = record.id;
    record.textGeneration = this.tape.generation;
    record.text = number;
    this.tape.keyOf(number, record.key);
    return record;
  }

  /** Describes an entity at the time of the last event. */
  describe(entity: EntityRecord): void {
    entity.changed();
    this.#upsert(entity, this.tape.batch.events - 1);
  }

  #setEnd(column: Uint32Array, row: number, entity: EntityRecord | undefined): void {
    if (entity === undefined) {
      const at = row * 4;
      column[at] = column[at + 1] = column[at + 2] = 0;
      column[at + 3] = 0x80000000;
      return;
    }
    setKey(column, row, entity.key);
    if (entity.generation === this.tape.generation) extend(this.tape.batch, entity.upsert, row);
    else this.#upsert(entity, row);
  }

  #upsert(entity: EntityRecord, row: number): void {
    const { batch, generation } = this.tape;
    const at = batch.addUpsert(entity.key, this.#host, row);
    entity.generation = generation;
    entity.upsert = at;
    batch.upsertType[at] = entity.typeNumber;
    if (entity.kind !== undefined) batch.upsertKind[at] = this.symbol(entity.kind);
    if (entity.textGeneration === generation) {
      this.tape.setText(at, TEXT_ID, entity.text);
      this.tape.setText(at, TEXT_NAME, entity.text);
    } else {
      batch.setText(at, TEXT_ID, entity.id);
      if (entity.name !== undefined) batch.setText(at, TEXT_NAME, entity.name);
    }
    if (entity.local !== undefined) batch.setText(at, TEXT_LOCAL, entity.local);
    if (entity instanceof ProcessRecord) this.#upsertProcess(entity, at, row);
  }

  #upsertProcess(process: ProcessRecord, at: number, row: number): void {
    const { batch } = this.tape;
    batch.upsertPid[at] = process.pid;
    if (process.cmd !== undefined) batch.setText(at, TEXT_CMD, process.cmd);
    if (process.session !== NONE) batch.setText(at, TEXT_SESSION, `ses:${process.session >>> 0}`);
    if (process.container !== undefined) batch.setText(at, TEXT_CONTAINER, process.container);
    if (process.unit !== undefined) batch.setText(at, TEXT_UNIT, process.unit);
    if (process.parent !== undefined) setKey(batch.upsertParent, at, process.parent.key);
    const { user } = process;
    if (user === undefined) return;
    setKey(batch.upsertUser, at, user.key);
    if (user.generation === this.tape.generation) extend(batch, user.upsert, row);
    else this.#upsert(user, row);
  }
}

/** Extends the events with an upsert to `row`. Rows come in the order of the log, which is not always that of time. */
function extend(batch: Batch, upsert: number, row: number): void {
  if (!isBefore(batch, row, batch.upsertLast[upsert])) batch.upsertLast[upsert] = row;
  else if (isBefore(batch, row, batch.upsertRow[upsert])) batch.upsertRow[upsert] = row;
}

/** Tells whether event `a` is before event `b`. */
function isBefore({ tsWords, seqWords }: Batch, a: number, b: number): boolean {
  if (b < 0) return false;
  const [ah, bh] = [tsWords[a * 2 + 1], tsWords[b * 2 + 1]];
  if (ah !== bh) return ah < bh;
  const [al, bl] = [tsWords[a * 2], tsWords[b * 2]];
  if (al !== bl) return al < bl;
  const [as, bs] = [seqWords[a * 2 + 1], seqWords[b * 2 + 1]];
  return as !== bs ? as < bs : seqWords[a * 2] < seqWords[b * 2];
}
