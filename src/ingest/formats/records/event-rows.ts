import { type Action, actionNumber } from '../../actions.js';
import {
  type Batch,
  NO_SYMBOL,
  RANK_ADDRESS,
  RANK_HINT,
  RANK_STATED,
  setKey,
  TEXT_CMD,
  TEXT_CONTAINER,
  TEXT_ID,
  TEXT_LOCAL,
  TEXT_NAME,
  TEXT_SESSION,
  TEXT_UNIT,
} from '../../batch.js';
import { EntityKey } from '../../entity-key.js';
import { type EntityType, TYPE_NUMBERS } from '../../event.js';
import { FLOW_IN, FLOW_OUT, FLOW_UNKNOWN } from '../../flow.js';
import { digitsOf } from '../../time.js';
import { Symbols } from '../symbols.js';
import { extendUpsert } from '../upsert-cache.js';
import { type Identity, isLong, KeyCache } from './key-cache.js';

/** An entity of an event, with what the record says about it. `id` is a natural key: see docs/reference/formats.md. */
export interface Described {
  readonly id: string;
  readonly type: EntityType;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  /** True if a better name may come from another record. */
  readonly hint?: boolean | undefined;
  readonly cmd?: string | undefined;
  readonly pid?: number | undefined;
  readonly parent?: string | undefined;
  readonly user?: string | undefined;
  /** The name of the user, if the identifier of the user is a number. */
  readonly userName?: string | undefined;
  readonly local?: string | undefined;
  readonly session?: string | undefined;
  readonly container?: string | undefined;
  readonly unit?: string | undefined;
}

/** An event without its entities. */
export interface Deed {
  /** Nanoseconds, or undefined if the record has no valid time. */
  readonly ts: bigint | undefined;
  readonly host: string | undefined;
  readonly relation: string;
  readonly action: Action;
  readonly flow?: 'in' | 'out' | undefined;
  readonly ok?: boolean | undefined;
}

/** Why a record is malformed if it would need one more symbol. */
const TOO_MANY_SYMBOLS = 'too many different hosts, relations and kinds';

const NANOSECOND_DIGITS = digitsOf('ns');
const ABSENT = new EntityKey();

/** A description that a reader keeps, with the identity of its entity. */
export class Entity implements Described {
  readonly id: string;
  readonly type: EntityType;
  readonly kind: string | undefined;
  readonly name: string | undefined;
  readonly hint: boolean | undefined;
  readonly cmd: string | undefined;
  readonly pid: number | undefined;
  readonly parent: string | undefined;
  readonly user: string | undefined;
  readonly userName: string | undefined;
  readonly local: string | undefined;
  readonly session: string | undefined;
  readonly container: string | undefined;
  readonly unit: string | undefined;
  #identity: Identity<Entity> | undefined = undefined;
  #generation = -1;

  constructor(described: Described) {
    this.id = described.id;
    this.type = described.type;
    this.kind = described.kind;
    this.name = described.name;
    this.hint = described.hint;
    this.cmd = described.cmd;
    this.pid = described.pid;
    this.parent = described.parent;
    this.user = described.user;
    this.userName = described.userName;
    this.local = described.local;
    this.session = described.session;
    this.container = described.container;
    this.unit = described.unit;
  }

  /** The same description as an entity. */
  static of(described: Described): Entity;
  static of(described: Described | undefined): Entity | undefined;
  static of(described: Described | undefined): Entity | undefined {
    return described === undefined || described instanceof Entity ? described : new Entity(described);
  }

  /** Looks its identity up once. */
  identityIn(cache: KeyCache<Entity>): Identity<Entity> {
    if (this.#identity !== undefined && this.#generation === cache.generation) return this.#identity;
    const identity = cache.of(this.id);
    if (isLong(this.id)) return identity;
    this.#identity = identity;
    this.#generation = cache.generation;
    return identity;
  }
}

/**
 * Writes events and what their records say about entities to batches, for formats whose identifiers are texts. An entity
 * that is described again in the same way within a block adds no upsert.
 */
export class EventRows {
  readonly #symbols = new Symbols();
  readonly #keys = new KeyCache<Entity>();
  #line = -1;
  #seq = 0;

  /** Forgets what was written, because upserts belong to the batch of a block. */
  beginBlock(): void {
    this.#keys.beginBlock();
    this.#line = -1;
  }

  /** Adds an event of a line. Events of one line differ in `seq`. Returns a reason if that is impossible. */
  add(
    batch: Batch,
    line: number,
    event: Deed,
    subject: Described,
    object?: Described,
    object2?: Described,
  ): string | undefined {
    batch.symbols = this.#symbols.texts;
    const relation = this.#symbols.numberOf(event.relation);
    const host = event.host === undefined ? NO_SYMBOL : this.#symbols.numberOf(event.host);
    if (relation < 0 || host < 0) return TOO_MANY_SYMBOLS;
    this.#seq = line === this.#line ? this.#seq + 1 : 0;
    this.#line = line;
    const row = batch.addEvent();
    batch.ts[row] = event.ts ?? 0n;
    batch.tsDigits[row] = event.ts === undefined ? 0 : NANOSECOND_DIGITS;
    batch.seqWords[row * 2] = this.#seq;
    batch.seqWords[row * 2 + 1] = 0;
    const [actor, first, second] = [Entity.of(subject), Entity.of(object), Entity.of(object2)];
    this.#setEnd(batch.subject, row, actor);
    this.#setEnd(batch.object, row, first);
    this.#setEnd(batch.object2, row, second);
    batch.relation[row] = relation;
    batch.action[row] = actionNumber(event.action);
    batch.host[row] = host;
    batch.flow[row] = event.flow === 'in' ? FLOW_IN : event.flow === 'out' ? FLOW_OUT : FLOW_UNKNOWN;
    batch.ok[row] = event.ok === undefined ? 0 : event.ok ? 2 : 1;
    batch.line[row] = line;
    this.#describe(batch, actor, host, row);
    if (first !== undefined) this.#describe(batch, first, host, row);
    if (second !== undefined) this.#describe(batch, second, host, row);
    return undefined;
  }

  #setEnd(column: Uint32Array, row: number, end: Entity | undefined): void {
    setKey(column, row, end === undefined ? ABSENT : end.identityIn(this.#keys).key);
  }

  #describe(batch: Batch, described: Entity, host: number, row: number): void {
    const identity = described.identityIn(this.#keys);
    const { written } = identity;
    const isKnown = identity.block === this.#keys.block && identity.host === host;
    if (isKnown && written !== undefined && isSame(written, described)) {
      identity.written = described; // it is often the next one too
      extendUpsert(batch, identity.at, row);
      return;
    }
    const at = batch.addUpsert(identity.key, host, row);
    identity.block = this.#keys.block;
    identity.written = described;
    identity.host = host;
    identity.at = at;
    batch.upsertType[at] = TYPE_NUMBERS.get(described.type) as number;
    batch.upsertRank[at] = described.hint
      ? RANK_HINT
      : described.type === 'flow'
        ? RANK_ADDRESS
        : RANK_STATED;
    if (described.kind !== undefined) {
      const kind = this.#symbols.numberOf(described.kind);
      if (kind >= 0) batch.upsertKind[at] = kind;
    }
    if (described.pid !== undefined) batch.upsertPid[at] = described.pid;
    if (described.parent !== undefined) setKey(batch.upsertParent, at, this.#keys.of(described.parent).key);
    const { user } = described;
    if (user !== undefined) setKey(batch.upsertUser, at, this.#keys.of(user).key);
    if (!identity.uuid) batch.setText(at, TEXT_ID, described.id);
    if (described.name !== undefined) batch.setText(at, TEXT_NAME, described.name);
    if (described.cmd !== undefined) batch.setText(at, TEXT_CMD, described.cmd);
    if (described.local !== undefined) batch.setText(at, TEXT_LOCAL, described.local);
    if (described.session !== undefined) batch.setText(at, TEXT_SESSION, described.session);
    if (described.container !== undefined) batch.setText(at, TEXT_CONTAINER, described.container);
    if (described.unit !== undefined) batch.setText(at, TEXT_UNIT, described.unit);
    const { parent } = described;
    // Nothing else may name the parent, and its key alone tells nobody anything.
    if (parent !== undefined && this.#isUnnamed(parent))
      this.#describe(batch, new Entity({ id: parent, type: 'process' }), host, row);
    // Users are entities too, so that they are shown by name.
    if (user === undefined) return;
    const name = described.userName ?? user;
    this.#describe(batch, new Entity({ id: user, type: 'principal', name }), host, row);
  }

  #isUnnamed(id: string): boolean {
    const { uuid, block } = this.#keys.of(id);
    return !uuid && block !== this.#keys.block;
  }
}

function isSame(a: Entity, b: Entity): boolean {
  if (a === b) return true; // readers describe the same fields once: see SlotMemo
  return (
    a.name === b.name &&
    a.cmd === b.cmd &&
    a.type === b.type &&
    a.kind === b.kind &&
    a.hint === b.hint &&
    a.pid === b.pid &&
    a.parent === b.parent &&
    a.user === b.user &&
    a.userName === b.userName &&
    a.local === b.local &&
    a.session === b.session &&
    a.container === b.container &&
    a.unit === b.unit
  );
}
