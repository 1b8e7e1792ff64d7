import { type Batch, NO_SYMBOL, setKey, TEXT_CMD, TEXT_LOCAL, TEXT_NAME } from '../batch.js';
import { EntityKey } from '../entity-key.js';
import { ENTITY_TYPES } from '../event.js';
import { FLOW_IN, FLOW_OUT, FLOW_UNKNOWN } from '../flow.js';
import type { JsonScan, ScanMemory } from '../scan/json-scan.js';
import { Shape, type Slot } from '../scan/shape.js';
import { digitsOf, parseRfc3339 } from '../time.js';
import { JsonLinesReader } from './json-lines.js';
import type { Format, ReaderOptions } from './reader.js';

/**
 * recal NDJSON: our interchange, one event or one entity a line, described by schema/events.schema.json. Golden
 * files, the simulator and other people's scripts use it.
 *
 * Event: `{"ts":"…","seq"?:n,"host":"…","rel":"EVENT_READ","subj":{…},"obj"?:{…},"obj2"?:{…},"ok"?,"flow"?,"attrs"?}`
 * Entity: `{"entity":{"id":"…","type":"file","name":"/etc/passwd"},"host":"…"}`; it holds from the event before it on
 */
export const ndjson: Format = {
  name: 'ndjson',
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
const OK = shape.scalar('ok');
const FLOW = shape.scalar('flow');
const ATTRS = shape.raw('attrs');

/** The slots of one entity inside a record. */
interface EntitySlots {
  /** The mention as it stands, to know it again. */
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
const TEXTS = ['id', 'type', 'kind', 'name', 'cmd', 'parent', 'user', 'local'] as const;

/** What a mention of an entity may say besides whose it is. */
const SAID = ['type', 'kind', 'name', 'cmd', 'pid', 'local', 'parent', 'user'] as const;

const TOO_MANY_SYMBOLS = 'too many different hosts, relations and kinds in one input';

/** Times are nanoseconds, however they were written. */
const NANOSECOND_DIGITS = digitsOf('ns');

class NdjsonReader extends JsonLinesReader {
  protected override readonly eventKind = 'event';
  readonly #subject = new EntityKey();
  readonly #object = new EntityKey();
  readonly #object2 = new EntityKey();
  readonly #other = new EntityKey();

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

  /** Why the entities of this record are not as schema/events.schema.json has them. */
  #checkEntities(): string | undefined {
    const { scan } = this;
    for (const [at, slots] of ENTITIES) {
      for (const field of TEXTS) {
        const slot = slots[field];
        if (!scan.has(slot)) continue;
        if (!scan.isString(slot)) return `\`${at}.${field}\` is not a string`;
        if (!scan.has(slots.id)) return `\`${at}\` has no \`id\``;
      }
      if (scan.has(slots.pid) && !isPid(scan, slots.pid)) return `\`${at}.pid\` is no process number`;
      if (scan.has(slots.type) && typeNumber(scan.text(slots.type)) === 0) {
        return `unknown entity type (one of: ${ENTITY_TYPES.join(' ')})`;
      }
    }
    return undefined;
  }

  #takeEntity(batch: Batch, host: number): string | undefined {
    this.takeKey(ENTITY.id, this.#other);
    if (this.#other.absent) return 'an entity without an id';
    batch.count('entity');
    this.#upsert(batch, ENTITY, this.#other, host, batch.events - 1);
    return undefined;
  }

  #takeEvent(batch: Batch, host: number): string | undefined {
    const { scan } = this;
    const relation = scan.symbolNumber(REL);
    if (relation < 0) return relation === -2 ? TOO_MANY_SYMBOLS : '`rel` is missing or no string';
    const ts = this.#readTime();
    if (typeof ts === 'string') return ts;
    if (scan.has(SEQ) && !scan.isInteger(SEQ)) return '`seq` is not a 64-bit integer';
    if (scan.has(FLOW) && !scan.is(FLOW, 'in') && !scan.is(FLOW, 'out'))
      return '`flow` must be "in" or "out"';
    if (scan.has(OK) && scan.boolean(OK) === undefined) return '`ok` is neither true nor false';
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
    batch.host[row] = host < 0 ? NO_SYMBOL : host;
    batch.flow[row] = scan.is(FLOW, 'in') ? FLOW_IN : scan.is(FLOW, 'out') ? FLOW_OUT : FLOW_UNKNOWN;
    const ok = scan.boolean(OK);
    batch.ok[row] = ok === undefined ? 0 : ok ? 2 : 1;
    batch.line[row] = this.line;
    if (scan.isRaw(ATTRS)) batch.attrs.push({ row, json: scan.text(ATTRS) });
    if (!this.#subject.absent) this.#mention(batch, SUBJECT, this.#subject, host, row);
    if (!this.#object.absent) this.#mention(batch, OBJECT, this.#object, host, row);
    if (!this.#object2.absent) this.#mention(batch, OBJECT2, this.#object2, host, row);
    return undefined;
  }

  #readTime(): bigint | string {
    const { scan } = this;
    if (scan.isInteger(TS)) return (BigInt(scan.word(TS, 1) | 0) << 32n) | BigInt(scan.word(TS, 0));
    if (!scan.has(TS)) return '`ts` is missing';
    return (
      (scan.isString(TS) ? parseRfc3339(scan.text(TS)) : undefined) ??
      '`ts` is neither nanoseconds nor RFC 3339'
    );
  }

  /** An entity as an event mentions it: an upsert only where it says something new. */
  #mention(batch: Batch, slots: EntitySlots, key: EntityKey, host: number, row: number): void {
    const { scan } = this;
    const bare = !SAID.some((name) => scan.has(slots[name]));
    if (bare && scan.isUuid(slots.id)) return;
    // Bare mentions are known apart: between them and full ones nothing is news.
    const what = ((host + 1) << 1) | (bare ? 1 : 0);
    const [start, stop] = [scan.start(slots.whole), scan.stop(slots.whole)];
    if (this.upsertCache.knows(key, what, scan.bytes, start, stop)) {
      this.upsertCache.extend(batch, row);
      return;
    }
    this.upsertCache.remember(key, what, start, stop, batch.upserts);
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
    this.takeKey(slots.parent, this.#other);
    setKey(batch.upsertParent, at, this.#other);
    this.takeKey(slots.user, this.#other);
    setKey(batch.upsertUser, at, this.#other);
    this.takeId(slots.id, batch, at);
    this.takeText(slots.name, batch, at, TEXT_NAME);
    this.takeText(slots.cmd, batch, at, TEXT_CMD);
    this.takeText(slots.local, batch, at, TEXT_LOCAL);
  }
}

/** True for an integer that 31 bits hold, as process numbers of every system do. */
function isPid(scan: JsonScan, slot: Slot): boolean {
  return (
    scan.isNumber(slot) && scan.isInteger(slot) && scan.word(slot, 1) === 0 && scan.word(slot, 0) >>> 31 === 0
  );
}

/** Number in ENTITY_TYPES plus one; 0 if it is none of them. */
function typeNumber(type: string): number {
  return (ENTITY_TYPES as readonly string[]).indexOf(type) + 1;
}
