import { actionNumber } from '../../actions.js';
import { type Batch, NO_SYMBOL, setKey } from '../../batch.js';
import { EntityKey } from '../../entity-key.js';
import { FLOW_IN, FLOW_OUT } from '../../flow.js';
import { digitsOf } from '../../time.js';
import type { Symbols } from '../symbols.js';
import { type Described, EntityWriter } from './entities.js';
import { EVENT_TABLE, type EventRule, flowOfAccess, IMAGE_RULE, isNotable, ruleOf } from './event-table.js';
import type { Fields } from './fields.js';
import { type Naming, objectsOf, type Processes, type ProcessMemo, subjectOf, userOf } from './naming.js';

/** The times and the place of a record. */
export interface RecordFrame {
  /** Symbol of the host, or NO_SYMBOL. */
  host: number;
  line: number;
  /** Undefined if the record has no valid `UtcTime`; the assembler then decides. */
  utc: bigint | undefined;
  /** The record id as a number that orders events, or undefined. */
  sequence: bigint | undefined;
  /** False if the assembler may change the time. */
  settled: boolean;
  naming: Naming;
}

const ABSENT = new EntityKey();
/** A record id leaves room for the events of one record. */
export const EVENTS_PER_RECORD = 4n;

/** Turns records into the events and upserts of a batch, by the rules of the event table. */
export class EventWriter {
  readonly #symbols: Symbols;
  readonly #entities = new EntityWriter();
  /** The users of processes, by their name as written. */
  readonly #users: Record<Naming, Map<string, Described>> = { windows: new Map(), linux: new Map() };
  readonly #memos: Record<Naming, ProcessMemo> = { windows: new Map(), linux: new Map() };
  #batch!: Batch;

  constructor(symbols: Symbols) {
    this.#symbols = symbols;
  }

  /** Starts a block. */
  begin(batch: Batch): void {
    this.#batch = batch;
    this.#entities.begin(batch);
    for (const map of [...Object.values(this.#users), ...Object.values(this.#memos)]) map.clear();
  }

  /** Adds the events of a record of a known event id. Returns their number: 0 if the record names no process. */
  write(eventId: number, fields: Fields, frame: RecordFrame): number {
    const before = this.#batch.events;
    const rule = ruleOf(EVENT_TABLE[eventId], (field) => fields.text(field));
    const processes: Processes = {
      fields,
      naming: frame.naming,
      creation: eventId === 1,
      memo: this.#memos[frame.naming],
      incomplete: 0,
    };
    this.#writeEvent(rule, fields, frame, processes, 0n);
    if (eventId === 1) this.#writeEvent(IMAGE_RULE, fields, frame, processes, 1n);
    if (processes.incomplete > 0) this.#batch.repair('incompleteGuid');
    return this.#batch.events - before;
  }

  #writeEvent(
    rule: EventRule,
    fields: Fields,
    frame: RecordFrame,
    processes: Processes,
    number: bigint,
  ): void {
    const subject = subjectOf(rule.subject, processes);
    const objects = objectsOf(rule.object, processes);
    const acts = subject !== undefined && (rule.object === undefined || objects.length > 0);
    if (!acts) return;
    const batch = this.#batch;
    const row = batch.addEvent();
    batch.ts[row] = frame.utc ?? 0n;
    batch.tsDigits[row] = frame.utc === undefined ? 0 : digitsOf('ns');
    batch.seq[row] = frame.sequence === undefined ? BigInt(row) : frame.sequence * EVENTS_PER_RECORD + number;
    setKey(batch.subject, row, this.#entities.keyOf(subject.id));
    setKey(batch.object, row, objects.length > 0 ? this.#entities.keyOf(objects[0].id) : ABSENT);
    setKey(batch.object2, row, objects.length > 1 ? this.#entities.keyOf(objects[1].id) : ABSENT);
    batch.relation[row] = this.#symbols.numberOf(rule.relation);
    batch.action[row] = actionNumber(rule.action);
    batch.host[row] = frame.host;
    const access = rule.flow === undefined ? fields.text('GrantedAccess') : '';
    batch.flow[row] = (rule.flow ?? flowOfAccess(access)) === 'in' ? FLOW_IN : FLOW_OUT;
    batch.ok[row] = rule.ok === false ? 1 : 0;
    batch.line[row] = frame.line;
    if (rule.attributes !== undefined && (access === '' || isNotable(access)))
      this.#writeAttributes(rule.attributes, fields, row);
    this.#describe(subject, frame, row);
    for (const object of objects) this.#describe(object, frame, row);
  }

  #writeAttributes(names: NonNullable<EventRule['attributes']>, fields: Fields, row: number): void {
    let json = '';
    for (const name of names) {
      const text = fields.text(name);
      if (text !== '') json += `${json === '' ? '{' : ','}"${name}":${JSON.stringify(text)}`;
    }
    if (json !== '') this.#batch.attrs.push({ row, json: `${json}}` });
  }

  #describe(entity: Described, { host, settled, naming }: RecordFrame, row: number): void {
    const kind = entity.kind === undefined ? NO_SYMBOL : this.#symbols.numberOf(entity.kind);
    this.#entities.upsert(entity, host, kind, row, settled);
    if (entity.type !== 'process' || !entity.userName) return;
    const users = this.#users[naming];
    let user = users.get(entity.userName);
    if (user === undefined) {
      user = userOf(entity.userName, naming);
      users.set(entity.userName, user);
    }
    this.#entities.upsert(user, host, NO_SYMBOL, row, settled);
  }
}
