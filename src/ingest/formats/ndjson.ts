import { ACTIONS, type Action, actionNumber } from '../actions.js';
import {
  type Batch,
  NO_SYMBOL,
  setKey,
  TEXT_CMD,
  TEXT_CONTAINER,
  TEXT_LOCAL,
  TEXT_NAME,
  TEXT_SESSION,
  TEXT_UNIT,
} from '../batch.js';
import { EntityKey } from '../entity-key.js';
import { ENTITY_TYPES } from '../event.js';
import { FLOW_IN, FLOW_OUT, FLOW_UNKNOWN } from '../flow.js';
import type { JsonScan, ScanMemory } from '../scan/json-scan.js';
import { Shape, type Slot } from '../scan/shape.js';
import { digitsOf, parseRfc3339 } from '../time.js';
import { JsonLinesReader } from './json-lines.js';
import type { Format, ReaderOptions } from './reader.js';

/**
 * recal NDJSON, the interchange format: one event or one entity per line. schema/events.schema.json describes it.
 *
 * Event: `{"ts":"…","seq"?:n,"host":"…","rel":"EVENT_READ","subj":{…},"obj"?:{…},"obj2"?:{…},"ok"?,"flow"?,"attrs"?}`
 * Entity: `{"entity":{"id":"…","type":"file","name":"/etc/passwd"},"host":"…"}`; it is valid from the event before it
 */
export const ndjson: Format = {
  name: 'ndjson',
  module: import.meta.url,
  title: 'recal NDJSON',
  exactTime: true,
  recognises(record: unknown): boolean {
    if (typeof record !== 'object' || record === null) return false;
    return ('ts' in record && 'rel' in record) || 'entity' in record;
  },
  open: (memory: ScanMemory, options: ReaderOptions) => new NdjsonReader(memory, options),
};

const shape = new Shape();
const TS = shape.integer('ts');
const SEQ = shape.integer('seq');
const HOST = shape.symbol('host');
const REL = shape.symbol('rel');
const ACTION = shape.scalar('action');
const OK = shape.scalar('ok');
const FLOW = shape.scalar('flow');
const ATTRS = shape.raw('attrs');

/** The slots of one entity inside a record. */
interface EntitySlots {
  /** The whole object, to detect repetitions. */
  whole: Slot;
  id: Slot;
  type: Slot;
  kind: Slot;
  name: Slot;
  cmd: Slot;
  pid: Slot;
  parent: Slot;
  user: Slot;
  local: Slot;
  session: Slot;
  container: Slot;
  unit: Slot;
}

function entity(at: string): EntitySlots {
  return {
    whole: shape.raw(at),
    id: shape.uuid(`${at}.id`),
    type: shape.scalar(`${at}.type`),
    kind: shape.symbol(`${at}.kind`),
    name: shape.scalar(`${at}.name`),
    cmd: shape.scalar(`${at}.cmd`),
    pid: shape.integer(`${at}.pid`),
    parent: shape.uuid(`${at}.parent`),
    user: shape.uuid(`${at}.user`),
    local: shape.scalar(`${at}.local`),
    session: shape.scalar(`${at}.session`),
    container: shape.scalar(`${at}.container`),
    unit: shape.scalar(`${at}.unit`),
  };
}
const SUBJECT = entity('subj');
const OBJECT = entity('obj');
const OBJECT2 = entity('obj2');
const ENTITY = entity('entity');

const ENTITIES = [
  ['subj', SUBJECT],
  ['obj', OBJECT],
  ['obj2', OBJECT2],
  ['entity', ENTITY],
] as const;
const TEXT_FIELDS = [
  'id',
  'type',
  'kind',
  'name',
  'cmd',
  'parent',
  'user',
  'local',
  'session',
  'container',
  'unit',
] as const;

/** The fields with information about an entity. */
const ATTRIBUTES = [
  'type',
  'kind',
  'name',
  'cmd',
  'pid',
  'local',
  'parent',
  'user',
  'session',
  'container',
  'unit',
] as const;

const TOO_MANY_SYMBOLS = 'too many different hosts, relations and kinds';

const NANOSECOND_DIGITS = digitsOf('ns');

class NdjsonReader extends JsonLinesReader {
  protected override readonly eventKind = 'event';
  readonly #subject = new EntityKey();
  readonly #object = new EntityKey();
  readonly #object2 = new EntityKey();
  readonly #key = new EntityKey();

  constructor(memory: ScanMemory, options: ReaderOptions) {
    super(shape, memory, options);
  }

  protected override take(batch: Batch): string | undefined {
    const { scan } = this;
    batch.symbols = scan.symbols;
    const host = scan.symbolNumber(HOST);
    if (host === -2) return TOO_MANY_SYMBOLS;
    if (host === -1 && scan.has(HOST)) return '`host` is not a string';
    const problem = this.#checkEntities();
    if (problem !== undefined) return problem;
    return scan.has(ENTITY.id) ? this.#takeEntity(batch, host) : this.#takeEvent(batch, host);
  }

  /** Returns a reason if an entity of this record does not conform to schema/events.schema.json. */
  #checkEntities(): string | undefined {
    const { scan } = this;
    for (const [at, slots] of ENTITIES) {
      for (const field of TEXT_FIELDS) {
        const slot = slots[field];
        if (!scan.has(slot)) continue;
        if (!scan.isString(slot)) return `\`${at}.${field}\` is not a string`;
        if (!scan.has(slots.id)) return `\`${at}\` has no \`id\``;
      }
      if (scan.has(slots.pid) && !isPid(scan, slots.pid))
        return `\`${at}.pid\` must be an integer from 0 to 2147483647`;
      if (scan.has(slots.type) && typeNumber(scan.text(slots.type)) === 0) {
        return `unknown \`${at}.type\`; use one of ${ENTITY_TYPES.join(', ')}`;
      }
    }
    return undefined;
  }

  #takeEntity(batch: Batch, host: number): string | undefined {
    this.takeKey(ENTITY.id, this.#key);
    if (this.#key.absent) return '`entity.id` is the all-zero UUID, which means no entity';
    batch.count('entity');
    this.#upsert(batch, ENTITY, this.#key, host, batch.events - 1);
    return undefined;
  }

  #takeEvent(batch: Batch, host: number): string | undefined {
    const { scan } = this;
    const relation = scan.symbolNumber(REL);
    if (relation < 0) return relation === -2 ? TOO_MANY_SYMBOLS : '`rel` is missing or not a string';
    const ts = this.#readTime();
    if (typeof ts === 'string') return ts;
    if (scan.has(SEQ) && !scan.isInteger(SEQ)) return '`seq` is not a 64-bit integer';
    if (scan.has(FLOW) && !scan.is(FLOW, 'in') && !scan.is(FLOW, 'out'))
      return '`flow` must be "in" or "out"';
    const action = scan.has(ACTION) ? actionOf(scan.text(ACTION)) : 0;
    if (action === undefined) return `unknown \`action\`; use one of ${ACTIONS.join(', ')}`;
    if (scan.has(OK) && scan.boolean(OK) === undefined) return '`ok` must be true or false';
    if (scan.has(ATTRS) && !(scan.isRaw(ATTRS) && scan.bytes[scan.start(ATTRS)] === 0x7b))
      return '`attrs` is not an object';
    this.takeKey(SUBJECT.id, this.#subject);
    this.takeKey(OBJECT.id, this.#object);
    this.takeKey(OBJECT2.id, this.#object2);
    batch.eventRecords++;
    if (this.#subject.absent && (this.#object.absent || this.#object2.absent)) {
      batch.skip('noSubject');
      return undefined;
    }
    const row = batch.addEvent();
    batch.ts[row] = ts;
    batch.tsDigits[row] = NANOSECOND_DIGITS;
    batch.seqWords[row * 2] = scan.word(SEQ, 0);
    batch.seqWords[row * 2 + 1] = scan.word(SEQ, 1);
    setKey(batch.subject, row, this.#subject);
    setKey(batch.object, row, this.#object);
    setKey(batch.object2, row, this.#object2);
    batch.relation[row] = relation;
    batch.action[row] = action;
    batch.host[row] = host < 0 ? NO_SYMBOL : host;
    batch.flow[row] = scan.is(FLOW, 'in') ? FLOW_IN : scan.is(FLOW, 'out') ? FLOW_OUT : FLOW_UNKNOWN;
    const ok = scan.boolean(OK);
    batch.ok[row] = ok === undefined ? 0 : ok ? 2 : 1;
    batch.line[row] = this.line;
    if (scan.isRaw(ATTRS)) batch.attrs.push({ row, json: scan.text(ATTRS) });
    if (!this.#subject.absent) this.#upsertUnlessRepeated(batch, SUBJECT, this.#subject, host, row);
    if (!this.#object.absent) this.#upsertUnlessRepeated(batch, OBJECT, this.#object, host, row);
    if (!this.#object2.absent) this.#upsertUnlessRepeated(batch, OBJECT2, this.#object2, host, row);
    return undefined;
  }

  #readTime(): bigint | string {
    const { scan } = this;
    if (scan.isInteger(TS)) return (BigInt(scan.word(TS, 1) | 0) << 32n) | BigInt(scan.word(TS, 0));
    if (!scan.has(TS)) return '`ts` is missing';
    return (
      (scan.isString(TS) ? parseRfc3339(scan.text(TS)) : undefined) ??
      '`ts` must be nanoseconds since 1970 or an RFC 3339 time'
    );
  }

  /** Upserts an entity of an event, unless the event before it has the same information. */
  #upsertUnlessRepeated(batch: Batch, slots: EntitySlots, key: EntityKey, host: number, row: number): void {
    const { scan } = this;
    const bare = !ATTRIBUTES.some((name) => scan.has(slots[name]));
    if (bare && this.isUuid(slots.id)) return;
    // An identifier without attributes has its own cache entry, so that it does not evict the attributes.
    const attribute = ((host + 1) << 1) | (bare ? 1 : 0);
    const [start, stop] = [scan.start(slots.whole), scan.stop(slots.whole)];
    if (this.upsertCache.find(key, attribute, scan.bytes, start, stop)) {
      this.upsertCache.extend(batch, row);
      return;
    }
    this.upsertCache.add(key, attribute, start, stop, batch.upserts);
    this.#upsert(batch, slots, key, host, row);
  }

  #upsert(batch: Batch, slots: EntitySlots, key: EntityKey, host: number, row: number): void {
    const { scan } = this;
    const at = batch.addUpsert(key, host < 0 ? NO_SYMBOL : host, row);
    batch.upsertType[at] = typeNumber(scan.text(slots.type));
    const kind = scan.symbolNumber(slots.kind);
    if (kind >= 0) batch.upsertKind[at] = kind;
    const { pid } = slots;
    if (scan.has(pid)) batch.upsertPid[at] = scan.word(pid, 0);
    this.takeKey(slots.parent, this.#key);
    setKey(batch.upsertParent, at, this.#key);
    this.takeKey(slots.user, this.#key);
    setKey(batch.upsertUser, at, this.#key);
    this.takeId(slots.id, batch, at);
    this.takeText(slots.name, batch, at, TEXT_NAME);
    this.takeText(slots.cmd, batch, at, TEXT_CMD);
    this.takeText(slots.local, batch, at, TEXT_LOCAL);
    this.takeText(slots.session, batch, at, TEXT_SESSION);
    this.takeText(slots.container, batch, at, TEXT_CONTAINER);
    this.takeText(slots.unit, batch, at, TEXT_UNIT);
  }
}

/** Tells whether the value is an integer of 31 bits, as the process numbers of all systems are. */
function isPid(scan: JsonScan, slot: Slot): boolean {
  return (
    scan.isNumber(slot) && scan.isInteger(slot) && scan.word(slot, 1) === 0 && scan.word(slot, 0) >>> 31 === 0
  );
}

/** Returns the number of an action, or undefined for an unknown one. */
function actionOf(text: string): number | undefined {
  return (ACTIONS as readonly string[]).includes(text) ? actionNumber(text as Action) : undefined;
}

/** Returns the index into ENTITY_TYPES plus one, or 0 for an unknown type. */
function typeNumber(type: string): number {
  return (ENTITY_TYPES as readonly string[]).indexOf(type) + 1;
}
