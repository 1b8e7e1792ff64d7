import { actionNumber } from '../../actions.js';
import { type Batch, NO_SYMBOL, setKey } from '../../batch.js';
import { EntityKey } from '../../entity-key.js';
import { FLOW_IN, FLOW_OUT } from '../../flow.js';
import { digitsOf } from '../../time.js';
import type { TimeWords } from '../../time-words.js';
import type { Symbols } from '../symbols.js';
import { type Described, EntityWriter } from './entities.js';
import { processAccess } from './event-table.js';
import { type Field, type Fields, fieldGroup } from './fields.js';
import { type Named, type Naming, objectsOf, subjectOf } from './naming.js';
import { IMAGE, type Rule, ruleOf } from './rules.js';

/** The times and the place of a record. */
export interface RecordFrame {
  /** Symbol of the host, or NO_SYMBOL. */
  host: number;
  line: number;
  /** Unknown if the record has no valid `UtcTime`; the assembler then decides. */
  utc: TimeWords;
  /** The record id as a number that orders events, or undefined. */
  sequence: number | bigint | undefined;
  /** False if the assembler may change the time. */
  settled: boolean;
  naming: Naming;
}

const ABSENT = new EntityKey();
/** A record id leaves room for the events of one record. */
export const EVENTS_PER_RECORD = 4;
const WORD = 2 ** 32;
const NANOSECOND_DIGITS = digitsOf('ns');
const RIGHTS = fieldGroup('GrantedAccess');

/** Turns records into the events and upserts of a batch, by the rules of the event table. */
export class EventWriter {
  readonly #symbols: Symbols;
  readonly #entities = new EntityWriter();
  /** The symbols of relations, by the number of the rule. */
  readonly #relations: number[] = [];
  #batch!: Batch;

  constructor(symbols: Symbols) {
    this.#symbols = symbols;
  }

  /** Starts a block. */
  begin(batch: Batch): void {
    this.#batch = batch;
    this.#entities.begin(batch);
  }

  /** Adds the events of a record of a known event id. Returns their number: 0 if the record names no process. */
  write(eventId: number, fields: Fields, frame: RecordFrame): number {
    const before = this.#batch.events;
    const rule = ruleOf(eventId, fields);
    const record: Named = { fields, naming: frame.naming, creation: eventId === 1, incomplete: 0 };
    this.#writeEvent(rule, frame, record, 0);
    if (eventId === 1) this.#writeEvent(IMAGE, frame, record, 1);
    if (record.incomplete > 0) this.#batch.repair('incompleteGuid');
    return this.#batch.events - before;
  }

  #writeEvent(rule: Rule, frame: RecordFrame, record: Named, number: number): void {
    const { fields } = record;
    const subject = subjectOf(rule.subject, record);
    const objects = objectsOf(rule.object, record);
    const acts = subject !== undefined && (rule.object === undefined || objects.length > 0);
    if (!acts) return;
    const batch = this.#batch;
    const row = batch.addEvent();
    const { utc } = frame;
    batch.tsWords[row * 2] = utc.low;
    batch.tsWords[row * 2 + 1] = utc.high;
    batch.tsDigits[row] = utc.known ? NANOSECOND_DIGITS : 0;
    this.#setSequence(row, frame.sequence, number);
    setKey(batch.subject, row, this.#entities.keyOf(subject));
    setKey(batch.object, row, objects.length > 0 ? this.#entities.keyOf(objects[0]) : ABSENT);
    setKey(batch.object2, row, objects.length > 1 ? this.#entities.keyOf(objects[1]) : ABSENT);
    batch.relation[row] = this.#relationOf(rule);
    const access =
      rule.flow === undefined
        ? fields.memo(RIGHTS, () => processAccess(fields.text('GrantedAccess')))
        : undefined;
    batch.action[row] = access === undefined ? rule.action : actionNumber(access.action);
    batch.host[row] = frame.host;
    batch.flow[row] = (rule.flow ?? access?.flow) === 'in' ? FLOW_IN : FLOW_OUT;
    batch.ok[row] = rule.ok;
    batch.line[row] = frame.line;
    if (rule.attributes !== undefined && access?.isNotable !== false) {
      const { attributes } = rule;
      const json = fields.memo(attributes, () => attributesOf(attributes.fields, fields));
      if (json !== '') batch.attrs.push({ row, json });
    }
    this.#describe(subject, frame, row);
    for (const object of objects) this.#describe(object, frame, row);
  }

  #relationOf(rule: Rule): number {
    let relation = this.#relations[rule.number];
    if (relation === undefined) {
      relation = this.#symbols.numberOf(rule.relation);
      this.#relations[rule.number] = relation;
    }
    return relation;
  }

  /** The record id orders the events of a log. Without one, their order in the log does: the assembler adds to it. */
  #setSequence(row: number, sequence: number | bigint | undefined, number: number): void {
    if (typeof sequence === 'bigint') {
      this.#batch.seq[row] = sequence * BigInt(EVENTS_PER_RECORD) + BigInt(number);
      return;
    }
    const value = sequence === undefined ? row : sequence * EVENTS_PER_RECORD + number;
    this.#batch.seqWords[row * 2] = value;
    this.#batch.seqWords[row * 2 + 1] = Math.floor(value / WORD);
  }

  #describe(entity: Described, { host, settled }: RecordFrame, row: number): void {
    const kind = entity.kind === undefined ? NO_SYMBOL : this.#symbols.numberOf(entity.kind);
    this.#entities.upsert(entity, host, kind, row, settled);
    if (entity.user !== undefined) this.#entities.upsert(entity.user, host, NO_SYMBOL, row, settled);
  }
}

/** The attributes of an event as JSON, or an empty text if it has none. */
function attributesOf(names: readonly Field[], fields: Fields): string {
  let json = '';
  for (const name of names) {
    const text = fields.text(name);
    if (text !== '') json += `${json === '' ? '{' : ','}"${name}":${JSON.stringify(text)}`;
  }
  return json === '' ? '' : `${json}}`;
}
