import { listValue } from '@duckdb/node-api';
import { ENTITY_TYPES, type Entity } from '../ingest/event.js';
import { explainStoreError, openDuckDB, readOpen, streamChunks } from './duckdb.js';
import { fileRanks } from './load.js';
import { nothingSelected } from './nothing-selected.js';
import { readStatements, type Statement } from './statements.js';
import type { Selection, Store } from './store.js';

/**
 * Yields the selected events as lines of recal NDJSON, in order of time. Each event states what was known of its
 * entities at that event, so that a reader of the lines knows no name too early.
 */
export async function* exportEvents(store: Store, selection: Selection = {}): AsyncGenerator<string> {
  const segments = store.segments('events', selection);
  const times = BigInt64Array.from(segments, ({ lastTs }) => BigInt(lastTs ?? 0)).sort();
  const until = times.at(-1) ?? 0n;
  const known = new KnownEntities(store, selection, until);
  const database = await openDuckDB({ memoryMiB: 1024 });
  let lines = 0;
  try {
    if (segments.length === 0) throw nothingSelected(store, selection);
    const { source, parameters } = readOpen('events', await store.openSegments(segments));
    const chunks = streamChunks(
      await database.connect(),
      `SELECT ts, seq, host, subject::VARCHAR, relation, action, object::VARCHAR, object2::VARCHAR, flow, ok, attrs
       FROM ${source}
       WHERE ts >= $from::BIGINT AND ($to::BIGINT IS NULL OR ts < $to::BIGINT)
       ORDER BY ts, seq, ($ranks::INTEGER[])[file + 1], line`,
      {
        ...parameters,
        ranks: listValue(fileRanks(store)),
        from: selection.from ?? -(2n ** 63n),
        to: selection.to ?? null,
      },
    );
    for await (const chunk of chunks) {
      for (const row of chunk.getRows()) {
        const [ts, seq, host, subject, relation, action, object, object2, flow, ok, attrs] = row;
        await known.advance(ts as bigint, seq as bigint);
        const at = host as string;
        const entity = (key: unknown) => (key === null ? undefined : known.describe(at, key as string));
        lines++;
        yield `${JSON.stringify({
          ts: String(ts),
          seq: seq === 0n ? undefined : String(seq),
          host,
          rel: relation,
          action: action ?? undefined,
          subj: entity(subject),
          obj: entity(object),
          obj2: entity(object2),
          ok: ok ?? undefined,
          flow: flow ?? undefined,
          attrs: attrs === null ? undefined : JSON.parse(attrs as string),
        })}\n`;
      }
    }
  } catch (error) {
    throw explainStoreError(error, store.folder);
  } finally {
    database.closeSync();
    await known.close();
  }
  if (lines === 0) throw nothingSelected(store, selection);
}

/** What the log has stated about entities so far. */
class KnownEntities {
  readonly #statements: AsyncGenerator<Statement>;
  /** By host, then by key. */
  readonly #hosts = new Map<string, Map<string, { entity: Entity; rank: number }>>();
  #next: Statement | undefined;
  #started = false;

  constructor(store: Store, { host }: Selection, until: bigint) {
    this.#statements = readStatements(store, { host, until });
  }

  /** Takes up all statements until this event. */
  async advance(ts: bigint, seq: bigint): Promise<void> {
    if (!this.#started) {
      this.#started = true;
      await this.#pull();
    }
    for (let next = this.#next; next !== undefined; next = this.#next) {
      if (next.ts > ts || (next.ts === ts && next.seq > seq)) return;
      this.#take(next);
      await this.#pull();
    }
  }

  describe(host: string, key: string): Entity {
    return this.#hosts.get(host)?.get(key)?.entity ?? { id: key.toUpperCase() };
  }

  async close(): Promise<void> {
    await this.#statements.return(undefined);
  }

  async #pull(): Promise<void> {
    const { value, done } = await this.#statements.next();
    this.#next = done === true ? undefined : value;
  }

  #take(statement: Statement): void {
    const {
      host,
      entity: key,
      id,
      type,
      kind,
      name,
      nameRank,
      cmd,
      pid,
      parent,
      principal,
      local,
      session,
      container,
      unit,
    } = statement;
    let entities = this.#hosts.get(host);
    if (entities === undefined) {
      entities = new Map();
      this.#hosts.set(host, entities);
    }
    const known = entities.get(key) ?? { entity: { id: key.toUpperCase() } as Entity, rank: -1 };
    entities.set(key, known);
    const { entity } = known;
    const idOf = (other: string) => entities.get(other)?.entity.id ?? other.toUpperCase();
    if (id !== undefined) entity.id = id;
    if (type >= 0) entity.type = ENTITY_TYPES[type];
    if (kind !== undefined) entity.kind = kind;
    if (name !== undefined && nameRank >= known.rank) {
      entity.name = name;
      known.rank = nameRank;
    }
    if (cmd !== undefined) entity.cmd = cmd;
    if (pid !== undefined) entity.pid = pid;
    if (parent !== undefined) entity.parent = idOf(parent);
    if (principal !== undefined) entity.user = idOf(principal);
    if (local !== undefined) entity.local = local;
    if (session !== undefined) entity.session = session;
    if (container !== undefined) entity.container = container;
    if (unit !== undefined) entity.unit = unit;
  }
}
