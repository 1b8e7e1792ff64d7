import {
  type Batch,
  NO_SYMBOL,
  RANK_HINT,
  setKey,
  TEXT_CMD,
  TEXT_ID,
  TEXT_LOCAL,
  TEXT_NAME,
  TEXT_SESSION,
} from '../../batch.js';
import { EntityKey } from '../../entity-key.js';
import { ENTITY_TYPES, type EntityType } from '../../event.js';
import { isBefore } from '../upsert-cache.js';

/** What a record tells about an entity, besides its id and type. Empty texts are absent. */
export interface Details {
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  /** True if the name may be shortened or written in another case than elsewhere. */
  readonly hint?: boolean | undefined;
  readonly cmd?: string | undefined;
  readonly pid?: number | undefined;
  readonly parent?: string | undefined;
  /** The user, if its name is known. */
  readonly user?: Described | undefined;
  /** True if the id is not the GUID alone. */
  readonly incomplete?: boolean | undefined;
  readonly local?: string | undefined;
  readonly session?: string | undefined;
}

/** An entity with what a record tells about it. Records repeat the same entities, so that readers keep these. */
export class Described implements Details {
  readonly id: string;
  readonly type: EntityType;
  readonly kind: string | undefined;
  readonly name: string | undefined;
  readonly hint: boolean | undefined;
  readonly cmd: string | undefined;
  readonly pid: number | undefined;
  readonly parent: string | undefined;
  readonly user: Described | undefined;
  readonly incomplete: boolean | undefined;
  readonly local: string | undefined;
  readonly session: string | undefined;
  /** Its key, once it was needed. */
  key: EntityKey | undefined = undefined;
  /** What the block that had it last wrote about it. */
  known: Known | undefined = undefined;

  constructor(id: string, type: EntityType, details: Details) {
    this.id = id;
    this.type = type;
    this.kind = details.kind;
    this.name = details.name;
    this.hint = details.hint;
    this.cmd = details.cmd;
    this.pid = details.pid;
    this.parent = details.parent;
    this.user = details.user;
    this.incomplete = details.incomplete;
    this.local = details.local;
    this.session = details.session;
  }
}

const TYPE_NUMBERS = new Map(ENTITY_TYPES.map((type, index) => [type, index + 1]));

/** Keys of ids do not change, so they are kept from block to block until there are too many. */
const MAX_KEYS = 1 << 15;

/** What a block has written about an entity of a host. */
interface Known {
  readonly block: number;
  readonly host: number;
  /** The description that was taken last, and the upsert that has it. */
  entity: Described;
  upsert: number;
}

const TEXTS = [
  [TEXT_NAME, 'name'],
  [TEXT_CMD, 'cmd'],
  [TEXT_LOCAL, 'local'],
  [TEXT_SESSION, 'session'],
] as const;

/** The blocks of all readers so far, which may share entities. */
let blocks = 0;

/** Adds the upserts of one block to a batch. Information that a block repeats becomes one upsert. */
export class EntityWriter {
  readonly #keys = new Map<string, EntityKey>();
  /** By host and id. */
  readonly #known = new Map<number, Map<string, Known>>();
  /** The number of the block. */
  #block = 0;
  #batch!: Batch;

  /** Starts a block. What others told is forgotten, because blocks can be read in any order. */
  begin(batch: Batch): void {
    this.#batch = batch;
    if (this.#keys.size > MAX_KEYS) this.#keys.clear();
    this.#known.clear();
    this.#block = ++blocks;
  }

  /** The key of an entity. */
  keyOf(entity: Described): EntityKey {
    entity.key ??= this.#keyOfId(entity.id);
    return entity.key;
  }

  #keyOfId(id: string): EntityKey {
    let key = this.#keys.get(id);
    if (key === undefined) {
      key = new EntityKey();
      key.fromText(id);
      this.#keys.set(id, key);
    }
    return key;
  }

  /**
   * Upserts an entity of the event `row`. `settled` is false if the time of the event may change later: then its
   * information must not be joined with that of other events by time.
   */
  upsert(entity: Described, host: number, kind: number, row: number, settled: boolean): void {
    if (!settled) {
      this.#add(entity, host, kind, row);
      return;
    }
    const known = this.#knownOf(entity, host);
    if (known === undefined) this.#know(entity, host, this.#add(entity, host, kind, row));
    else if (known.entity === entity) this.#extend(known.upsert, row);
    else this.#update(known, entity, host, kind, row);
  }

  /** What the block has written about the entity. */
  #knownOf(entity: Described, host: number): Known | undefined {
    const last = entity.known;
    if (last !== undefined && last.block === this.#block && last.host === host) return last;
    const known = this.#known.get(host)?.get(entity.id);
    entity.known = known;
    return known;
  }

  #know(entity: Described, host: number, upsert: number): void {
    const known = { block: this.#block, host, entity, upsert };
    entity.known = known;
    const ofHost = this.#known.get(host);
    if (ofHost === undefined) this.#known.set(host, new Map([[entity.id, known]]));
    else ofHost.set(entity.id, known);
  }

  /** Takes another description of a known entity, which may tell the same. */
  #update(known: Known, entity: Described, host: number, kind: number, row: number): void {
    const isSame = tellsSame(known.entity, entity);
    known.entity = entity;
    if (isSame) this.#extend(known.upsert, row);
    else known.upsert = this.#add(entity, host, kind, row);
  }

  /** Extends an upsert to the event `row`, which may be its first or its last, as logs can be out of order. */
  #extend(upsert: number, row: number): void {
    const batch = this.#batch;
    if (isBefore(batch, batch.upsertLast[upsert], row)) batch.upsertLast[upsert] = row;
    else if (isBefore(batch, row, batch.upsertRow[upsert])) batch.upsertRow[upsert] = row;
  }

  #add(entity: Described, host: number, kind: number, row: number): number {
    const batch = this.#batch;
    const { id, type, hint, pid, parent, user } = entity;
    const key = this.keyOf(entity);
    const at = batch.addUpsert(key, host, row);
    batch.upsertType[at] = TYPE_NUMBERS.get(type) as number;
    if (kind >= 0) batch.upsertKind[at] = kind === NO_SYMBOL ? NO_SYMBOL : kind;
    if (hint === true) batch.upsertRank[at] = RANK_HINT;
    if (pid !== undefined) batch.upsertPid[at] = pid;
    if (parent) setKey(batch.upsertParent, at, this.#keyOfId(parent));
    if (user !== undefined) setKey(batch.upsertUser, at, this.keyOf(user));
    // A UUID is its own key, so that users see it anyway.
    if (!UUID.test(id)) batch.setText(at, TEXT_ID, id);
    for (const [field, name] of TEXTS) {
      const text = entity[name];
      if (text) batch.setText(at, field, text);
    }
    return at;
  }
}

/** Tells whether two descriptions of an entity have the same information. */
function tellsSame(a: Described, b: Described): boolean {
  return (
    a.pid === b.pid &&
    (a.name ?? '') === (b.name ?? '') &&
    a.user?.id === b.user?.id &&
    (a.cmd ?? '') === (b.cmd ?? '') &&
    (a.parent ?? '') === (b.parent ?? '') &&
    (a.local ?? '') === (b.local ?? '') &&
    (a.session ?? '') === (b.session ?? '')
  );
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
