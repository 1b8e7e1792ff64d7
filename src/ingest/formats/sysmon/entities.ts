import {
  type Batch,
  RANK_HINT,
  setKey,
  TEXT_CMD,
  TEXT_ID,
  TEXT_LOCAL,
  TEXT_NAME,
  TEXT_SESSION,
} from '../../batch.js';
import type { EntityKey } from '../../entity-key.js';
import { type EntityType, TYPE_NUMBERS } from '../../event.js';
import { type Identity, isLong, KeyCache } from '../records/key-cache.js';
import { extendUpsert } from '../upsert-cache.js';

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
  /** The number of the type in a batch. */
  readonly typeNumber: number;
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
  #identity: Identity<Known> | undefined = undefined;
  #generation = -1;

  constructor(id: string, type: EntityType, details: Details) {
    this.id = id;
    this.type = type;
    this.typeNumber = TYPE_NUMBERS.get(type) as number;
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

  /** Looks its identity up once. */
  identityIn(cache: KeyCache<Known>): Identity<Known> {
    if (this.#identity !== undefined && this.#generation === cache.generation) return this.#identity;
    const identity = cache.of(this.id);
    if (isLong(this.id)) return identity;
    this.#identity = identity;
    this.#generation = cache.generation;
    return identity;
  }
}

/** What a block has written about an entity of a host. */
interface Known {
  readonly host: number;
  /** The description that was taken last, and the upsert that has it. */
  entity: Described;
  upsert: number;
}

/** Adds the upserts of one block to a batch. Information that a block repeats becomes one upsert. */
export class EntityWriter {
  readonly #keys = new KeyCache<Known>();
  /** What the block has written about the same identifier on other hosts than the last one. */
  readonly #elsewhere = new Map<Identity<Known>, Map<number, Known>>();
  #batch!: Batch;

  /** Starts a block. What others told is forgotten, because blocks can be read in any order. */
  begin(batch: Batch): void {
    this.#batch = batch;
    this.#keys.beginBlock();
    this.#elsewhere.clear();
  }

  /** The key of an entity. */
  keyOf(entity: Described): EntityKey {
    return entity.identityIn(this.#keys).key;
  }

  /**
   * Upserts an entity of the event `row`. `settled` is false if the time of the event may change later: then its
   * information must not be joined with that of other events by time.
   */
  upsert(entity: Described, host: number, kind: number, row: number, settled: boolean): void {
    const identity = entity.identityIn(this.#keys);
    if (!settled) {
      this.#add(entity, identity, host, kind, row);
      return;
    }
    const known = this.#knownOf(identity, host);
    if (known === undefined) {
      identity.block = this.#keys.block;
      identity.written = { host, entity, upsert: this.#add(entity, identity, host, kind, row) };
      return;
    }
    // Another description may tell the same.
    const isSame = known.entity === entity || tellsSame(known.entity, entity);
    known.entity = entity;
    if (isSame) extendUpsert(this.#batch, known.upsert, row);
    else known.upsert = this.#add(entity, identity, host, kind, row);
  }

  /** What the block has written about an identifier on a host. */
  #knownOf(identity: Identity<Known>, host: number): Known | undefined {
    if (identity.block !== this.#keys.block) return undefined;
    const last = identity.written as Known;
    if (last.host === host) return last;
    let others = this.#elsewhere.get(identity);
    if (others === undefined) {
      others = new Map();
      this.#elsewhere.set(identity, others);
    }
    others.set(last.host, last);
    const known = others.get(host);
    if (known !== undefined) identity.written = known;
    return known;
  }

  #add(entity: Described, identity: Identity<Known>, host: number, kind: number, row: number): number {
    const batch = this.#batch;
    const { id, type, hint, pid, parent, user, name, cmd, local, session } = entity;
    const at = batch.addUpsert(identity.key, host, row);
    batch.upsertType[at] = entity.typeNumber;
    if (kind >= 0) batch.upsertKind[at] = kind;
    if (hint === true) batch.upsertRank[at] = RANK_HINT;
    if (pid !== undefined) batch.upsertPid[at] = pid;
    if (parent) setKey(batch.upsertParent, at, this.#keys.of(parent).key);
    if (user !== undefined) setKey(batch.upsertUser, at, this.keyOf(user));
    // A UUID is its own key, so that users see it anyway. The identifiers of processes are in lower case.
    const isKey = identity.uuid && (type === 'process' || UUID.test(id));
    if (!isKey) batch.setText(at, TEXT_ID, id);
    if (name) batch.setText(at, TEXT_NAME, name);
    if (cmd) batch.setText(at, TEXT_CMD, cmd);
    if (local) batch.setText(at, TEXT_LOCAL, local);
    if (session) batch.setText(at, TEXT_SESSION, session);
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
