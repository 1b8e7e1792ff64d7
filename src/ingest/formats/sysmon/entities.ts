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

/** What a record tells about an entity. Empty texts are absent. */
export interface Described {
  id: string;
  type: EntityType;
  kind?: string;
  name?: string;
  /** True if the name may be shortened or written in another case than elsewhere. */
  hint?: boolean;
  cmd?: string;
  pid?: number;
  parent?: string;
  /** The key of the user, and the name as written. */
  user?: string;
  userName?: string;
  /** True if the id is not the GUID alone. */
  incomplete?: boolean;
  local?: string;
  session?: string;
}

const TYPE_NUMBERS = new Map(ENTITY_TYPES.map((type, index) => [type, index + 1]));

/** Keys of ids do not change, so they are kept from block to block until there are too many. */
const MAX_KEYS = 1 << 15;

interface Known {
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

/** Adds the upserts of one block to a batch. Information that a block repeats becomes one upsert. */
export class EntityWriter {
  readonly #keys = new Map<string, EntityKey>();
  /** By host and id. */
  readonly #known = new Map<number, Map<string, Known>>();
  #batch!: Batch;

  /** Starts a block. What others told is forgotten, because blocks can be read in any order. */
  begin(batch: Batch): void {
    this.#batch = batch;
    if (this.#keys.size > MAX_KEYS) this.#keys.clear();
    this.#known.clear();
  }

  keyOf(id: string): EntityKey {
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
    let ofHost = this.#known.get(host);
    if (ofHost === undefined) {
      ofHost = new Map();
      this.#known.set(host, ofHost);
    }
    const known = ofHost.get(entity.id);
    if (known === undefined) ofHost.set(entity.id, { entity, upsert: this.#add(entity, host, kind, row) });
    else if (known.entity === entity) this.#extend(known.upsert, row);
    else this.#update(known, entity, host, kind, row);
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
    const key = this.keyOf(id);
    const at = batch.addUpsert(key, host, row);
    batch.upsertType[at] = TYPE_NUMBERS.get(type) as number;
    if (kind >= 0) batch.upsertKind[at] = kind === NO_SYMBOL ? NO_SYMBOL : kind;
    if (hint === true) batch.upsertRank[at] = RANK_HINT;
    if (pid !== undefined) batch.upsertPid[at] = pid;
    if (parent) setKey(batch.upsertParent, at, this.keyOf(parent));
    if (user) setKey(batch.upsertUser, at, this.keyOf(user));
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
    (a.user ?? '') === (b.user ?? '') &&
    (a.cmd ?? '') === (b.cmd ?? '') &&
    (a.parent ?? '') === (b.parent ?? '') &&
    (a.local ?? '') === (b.local ?? '') &&
    (a.session ?? '') === (b.session ?? '')
  );
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
