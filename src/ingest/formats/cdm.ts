import {
  type Batch,
  NO_SYMBOL,
  RANK_ADDRESS,
  RANK_HINT,
  RANK_STATED,
  setKey,
  TEXT_CMD,
  TEXT_ID,
  TEXT_LOCAL,
  TEXT_NAME,
} from '../batch.js';
import { EntityKey } from '../entity-key.js';
import { ENTITY_TYPES, type EntityType } from '../event.js';
import { FLOW_UNKNOWN } from '../flow.js';
import type { ScanMemory } from '../scan/json-scan.js';
import { Shape, type Slot } from '../scan/shape.js';
import { ENTITY_KINDS } from './cdm-kinds.js';
import { JsonLinesReader } from './json-lines.js';
import { formatEndpoint } from './network.js';
import { directionOfOpen, flagsParameter } from './open-flags.js';
import type { Format, ReaderOptions } from './reader.js';

/**
 * The Common Data Model of DARPA Transparent Computing, CDM18 (Engagement 3) and CDM20 (Engagement 5), with one JSON
 * object per line: `{"datum":{"com.bbn.tc.schema.avro.cdm18.Event":{…}},"CDMVersion":"18","source":…}`. Short union names,
 * bare values and lower-case UUIDs are accepted too, because some translators write them.
 */
export const cdm: Format = {
  name: 'cdm',
  module: import.meta.url,
  title: 'DARPA TC CDM18/CDM20 JSON lines',
  exactTime: false,
  recognises(record: unknown): boolean {
    if (typeof record !== 'object' || record === null || !('datum' in record)) return false;
    const { datum } = record as { datum: unknown };
    return typeof datum === 'object' && datum !== null;
  },
  open: (memory: ScanMemory, options: ReaderOptions) => new CdmReader(memory, options),
};

const shape = new Shape();
/** `datum.<kind>`. All kinds of records share these fields, because no two kinds use the same name differently. */
const KIND = shape.key('datum.*');
const HOST = shape.symbol('datum.*.hostId', 'datum.*.baseObject.hostId');
/** CDM20 has the host in the outer object. */
const ENVELOPE_HOST = shape.symbol('hostId');
const TYPE = shape.symbol('datum.*.type');

const SEQUENCE = shape.integer('datum.*.sequence');
const TIMESTAMP = shape.integer('datum.*.timestampNanos');
const SUBJECT = shape.uuid('datum.*.subject');
const OBJECT = shape.uuid('datum.*.predicateObject');
const OBJECT2 = shape.uuid('datum.*.predicateObject2');
const PATH = shape.scalar('datum.*.predicateObjectPath');
const PATH2 = shape.scalar('datum.*.predicateObject2Path');
const PARAMETERS = shape.raw('datum.*.parameters');

const UUID = shape.uuid('datum.*.uuid');
const PID = shape.integer('datum.*.cid');
const PARENT = shape.uuid('datum.*.parentSubject');
const PRINCIPAL = shape.uuid('datum.*.localPrincipal');
const CMD_LINE = shape.scalar('datum.*.cmdLine');
const LOCAL_ADDRESS = shape.scalar('datum.*.localAddress');
const LOCAL_PORT = shape.scalar('datum.*.localPort');
const REMOTE_ADDRESS = shape.scalar('datum.*.remoteAddress');
const REMOTE_PORT = shape.scalar('datum.*.remotePort');
const REGISTRY_KEY = shape.scalar('datum.*.key');
const USER_NAME = shape.scalar('datum.*.username');
const USER_ID = shape.scalar('datum.*.userId');
const HOST_NAME = shape.scalar('datum.*.hostName');

/** Properties are a map on the record or its baseObject, with or without Avro's `map` around it. */
function property(name: string): Slot {
  const places = ['datum.*.properties', 'datum.*.baseObject.properties'];
  return shape.scalar(...places.flatMap((place) => [`${place}.map.${name}`, `${place}.${name}`]));
}
const P_EXEC = property('exec');
const P_CMD_LINE = property('cmdLine');
const P_PARTIAL_PATH = property('partial_path');
const P_FLAGS = property('flags');
const P_NAME = property('name');
const P_PATH = property('path');
const P_FILENAME = property('filename');

/** CADETS writes this for an unknown path. */
const UNKNOWN = '<unknown>';
const PACKAGE = 'com.bbn.tc.schema.avro.';
const UUID_TEXT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The number of distinct `parameters` of OPEN events in the cache. Real logs have a few dozen. */
const MAX_CACHED_FLAGS = 1024;
const TOO_MANY_SYMBOLS = 'too many different event types, entity types and hosts';

class CdmReader extends JsonLinesReader {
  protected override readonly eventKind = 'Event';
  readonly #subject = new EntityKey();
  readonly #object = new EntityKey();
  readonly #object2 = new EntityKey();
  readonly #key = new EntityKey();
  readonly #symbols: string[] = [];
  readonly #directionOf = new Map<string, number>();

  constructor(memory: ScanMemory, options: ReaderOptions) {
    super(shape, memory, options);
  }

  protected override take(batch: Batch): string | undefined {
    const { scan } = this;
    const symbol = scan.symbolNumber(KIND);
    if (symbol === -1) return 'not a CDM record: no `datum`';
    if (symbol < 0) return TOO_MANY_SYMBOLS;
    const kind = this.#symbol(symbol);
    batch.symbols = this.#symbols;
    if (kind === 'Event') return this.#takeEvent(batch);
    const type = ENTITY_KINDS[kind];
    if (type !== undefined) return this.#takeEntity(kind, type, batch);
    batch.count(kind);
    if (kind === 'Host') this.#takeHost(batch);
    else batch.skip(kind);
    return undefined;
  }

  /**
   * Normalises a symbol: removes the package of a kind (`com.bbn.tc.schema.avro.cdm18.Event` becomes `Event`) and writes
   * the UUID of a host in upper case.
   */
  #symbol(number: number): string {
    const symbols = this.#symbols;
    while (symbols.length <= number) symbols.push('');
    if (symbols[number] === '') {
      const text = this.scan.symbols[number];
      const name = text.startsWith(PACKAGE) ? text.slice(text.lastIndexOf('.') + 1) : text;
      const bare = name === '' ? text : name;
      symbols[number] = UUID_TEXT.test(bare) ? bare.toUpperCase() : bare;
    }
    return symbols[number];
  }

  #symbolOf(slot: Slot): number {
    const number = this.scan.symbolNumber(slot);
    if (number >= 0) this.#symbol(number);
    return number;
  }

  /** Returns the symbol of the host, NO_SYMBOL if the log names none, or -1 if there are too many symbols. */
  #host(): number {
    const own = this.#symbolOf(HOST);
    const symbol = own === -1 ? this.#symbolOf(ENVELOPE_HOST) : own;
    return symbol === -1 ? NO_SYMBOL : symbol < 0 ? -1 : symbol;
  }

  #takeEvent(batch: Batch): string | undefined {
    const { scan } = this;
    const relation = this.#symbolOf(TYPE);
    if (relation < 0) return relation === -1 ? 'the event has no `type`' : TOO_MANY_SYMBOLS;
    const host = this.#host();
    if (host < 0) return TOO_MANY_SYMBOLS;
    this.takeKey(SUBJECT, this.#subject);
    this.takeKey(OBJECT, this.#object);
    this.takeKey(OBJECT2, this.#object2);
    batch.eventRecords++;
    if (this.#subject.absent && (this.#object.absent || this.#object2.absent)) {
      batch.skip('noSubject');
      return undefined;
    }
    const row = batch.addEvent();
    this.#takeTime(batch, row);
    batch.seqWords[row * 2] = scan.word(SEQUENCE, 0);
    batch.seqWords[row * 2 + 1] = scan.word(SEQUENCE, 1);
    setKey(batch.subject, row, this.#subject);
    setKey(batch.object, row, this.#object);
    setKey(batch.object2, row, this.#object2);
    batch.relation[row] = relation;
    batch.host[row] = host;
    batch.flow[row] = this.#openDirection();
    batch.ok[row] = 0;
    batch.line[row] = this.line;
    this.#takeNames(batch, host, row);
    return undefined;
  }

  #takeTime(batch: Batch, row: number): void {
    const { scan } = this;
    const low = scan.word(TIMESTAMP, 0);
    const high = scan.word(TIMESTAMP, 1);
    const positive = scan.isInteger(TIMESTAMP) && high >>> 31 === 0;
    batch.tsWords[row * 2] = positive ? low : 0;
    batch.tsWords[row * 2 + 1] = positive ? high : 0;
    batch.tsDigits[row] = positive ? scan.digits(TIMESTAMP) : 0;
  }

  #openDirection(): number {
    const { scan } = this;
    if (!scan.is(TYPE, 'EVENT_OPEN')) return FLOW_UNKNOWN;
    if (scan.has(P_FLAGS)) return directionOfOpen(scan.text(P_FLAGS), 10);
    if (!scan.isRaw(PARAMETERS)) return FLOW_UNKNOWN;
    const parameters = scan.text(PARAMETERS);
    let direction = this.#directionOf.get(parameters);
    if (direction === undefined) {
      const flags = flagsParameter(parameters);
      direction = flags === undefined ? FLOW_UNKNOWN : directionOfOpen(flags, 16);
      if (this.#directionOf.size < MAX_CACHED_FLAGS) this.#directionOf.set(parameters, direction);
    }
    return direction;
  }

  /** Takes names from the event, because CADETS has the names of processes and files on events only. */
  #takeNames(batch: Batch, host: number, row: number): void {
    const { scan } = this;
    if (!this.#subject.absent) {
      this.#upsertText(batch, this.#subject, TEXT_NAME, P_EXEC, RANK_STATED, host, row);
      // The command line of an EXECUTE event belongs to the new program of the subject.
      if (scan.is(TYPE, 'EVENT_EXECUTE')) {
        this.#upsertText(batch, this.#subject, TEXT_CMD, P_CMD_LINE, RANK_STATED, host, row);
      }
      this.#upsertId(batch, this.#subject, SUBJECT, host, row);
    }
    if (!this.#object.absent) {
      const stated = scan.has(PATH) && !scan.is(PATH, UNKNOWN);
      if (stated) this.#upsertText(batch, this.#object, TEXT_NAME, PATH, RANK_STATED, host, row);
      else this.#upsertText(batch, this.#object, TEXT_NAME, P_PARTIAL_PATH, RANK_HINT, host, row);
      this.#upsertId(batch, this.#object, OBJECT, host, row);
    }
    if (!this.#object2.absent) {
      this.#upsertText(batch, this.#object2, TEXT_NAME, PATH2, RANK_STATED, host, row);
      this.#upsertId(batch, this.#object2, OBJECT2, host, row);
    }
  }

  #upsertText(
    batch: Batch,
    key: EntityKey,
    field: number,
    slot: Slot,
    rank: number,
    host: number,
    row: number,
  ): void {
    const { scan } = this;
    if (!scan.has(slot) || scan.is(slot, UNKNOWN)) return;
    const start = scan.start(slot);
    const stop = scan.stop(slot);
    const attribute = (host << 4) | (field << 2) | rank;
    if (this.upsertCache.find(key, attribute, scan.bytes, start, stop)) {
      this.upsertCache.extend(batch, row);
      return;
    }
    const at = batch.addUpsert(key, host, row);
    batch.upsertRank[at] = rank;
    this.takeText(slot, batch, at, field);
    this.upsertCache.add(key, attribute, start, stop, at);
  }

  #upsertId(batch: Batch, key: EntityKey, slot: Slot, host: number, row: number): void {
    if (!this.scan.isUuid(slot)) this.#upsertText(batch, key, TEXT_ID, slot, RANK_STATED, host, row);
  }

  #takeHost(batch: Batch): void {
    const { scan } = this;
    if (scan.has(UUID) && scan.has(HOST_NAME)) {
      batch.hostNames.set(scan.text(UUID).toUpperCase(), scan.text(HOST_NAME));
    }
  }

  #takeEntity(kind: string, type: EntityType, batch: Batch): string | undefined {
    const { scan } = this;
    const host = this.#host();
    const sourceType = this.#symbolOf(TYPE);
    if (host < 0 || sourceType === -2) return TOO_MANY_SYMBOLS;
    batch.count(kind);
    this.takeKey(UUID, this.#key);
    if (this.#key.absent) {
      batch.skip('noUuid');
      return undefined;
    }
    const at = batch.addUpsert(this.#key, host, batch.events - 1);
    batch.upsertType[at] = ENTITY_TYPES.indexOf(type) + 1;
    // The kind replaces a missing `type`.
    batch.upsertKind[at] = sourceType >= 0 ? sourceType : scan.symbolNumber(KIND);
    const pid = scan.isInteger(PID) && scan.word(PID, 1) === 0 ? scan.word(PID, 0) : -1;
    if (pid <= 0x7fffffff) batch.upsertPid[at] = pid;
    this.takeKey(PARENT, this.#key);
    setKey(batch.upsertParent, at, this.#key);
    this.takeKey(PRINCIPAL, this.#key);
    setKey(batch.upsertUser, at, this.#key);
    this.takeId(UUID, batch, at);
    this.takeText(CMD_LINE, batch, at, TEXT_CMD);
    if (type === 'flow') this.#takeAddresses(batch, at);
    else {
      const name = this.#nameSlot(type);
      if (!scan.is(name, UNKNOWN)) this.takeText(name, batch, at, TEXT_NAME);
    }
    return undefined;
  }

  #takeAddresses(batch: Batch, at: number): void {
    const { scan } = this;
    const remote = formatEndpoint(scan.text(REMOTE_ADDRESS), scan.text(REMOTE_PORT));
    const local = formatEndpoint(scan.text(LOCAL_ADDRESS), scan.text(LOCAL_PORT));
    batch.upsertRank[at] = RANK_ADDRESS;
    if (remote !== undefined) batch.setText(at, TEXT_NAME, remote);
    if (local !== undefined) batch.setText(at, TEXT_LOCAL, local);
  }

  /** Returns the slot that holds the name: the DARPA performers use different fields. */
  #nameSlot(type: EntityType): Slot {
    const { scan } = this;
    if (type === 'process') return scan.has(P_NAME) ? P_NAME : P_PATH;
    if (type === 'principal') return scan.has(USER_NAME) ? USER_NAME : USER_ID;
    if (type === 'registry') return REGISTRY_KEY;
    return scan.has(P_FILENAME) ? P_FILENAME : scan.has(P_PATH) ? P_PATH : P_NAME;
  }
}
