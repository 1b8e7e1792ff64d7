import type { DuckDBDataChunk, DuckDBValue } from '@duckdb/node-api';
import { ENTITY_TYPES } from '../ingest/event.js';
import { columnKeys, explainStoreError, openDuckDB, readOpen, streamChunks } from './duckdb.js';
import { statedBy } from './entities.js';
import type { Selection, Store } from './store.js';

/** What a log states about an entity, from a certain time on. Absent values say nothing. */
export interface Statement {
  readonly host: string;
  /** The key of the entity as a UUID. */
  readonly entity: string;
  readonly id: string | undefined;
  /** Index into `ENTITY_TYPES`, or -1. */
  readonly type: number;
  readonly kind: string | undefined;
  readonly name: string | undefined;
  /** A name never replaces one of a higher rank. */
  readonly nameRank: number;
  readonly cmd: string | undefined;
  readonly pid: number | undefined;
  readonly parent: string | undefined;
  readonly principal: string | undefined;
  readonly local: string | undefined;
  readonly session: string | undefined;
  readonly container: string | undefined;
  readonly unit: string | undefined;
  readonly ts: bigint;
  readonly seq: bigint;
}

const NAME_ORDER = 'first_ts, first_seq, host, entity, name_rank NULLS FIRST, name, type';
const ORDER = `${NAME_ORDER}, kind, cmd, pid, parent, principal, local, session, container, unit, id`;

type Asked = Pick<Selection, 'host'> & { readonly until: bigint };

/**
 * Streams the statements of a store about its entities, in the order in which they were first made, up to the time
 * `until`. Statements of the same time are ordered by value, so the order of ingests does not matter.
 */
export async function* readStatements(store: Store, asked: Asked): AsyncGenerator<Statement> {
  const columns = `host, entity::VARCHAR AS entity, id, type, kind, name, name_rank, cmd, pid, parent::VARCHAR AS parent,
    principal::VARCHAR AS principal, local, session, container, unit, first_ts, first_seq`;
  for await (const chunk of streamStatements(store, columns, ORDER, asked)) {
    for (const row of chunk.getRows()) {
      const [host, entity, id, type, kind, name, rank, cmd, pid, parent, principal, local, ...rest] = row.map(
        (value) => value ?? undefined,
      );
      const [session, container, unit, ts, seq] = rest;
      yield {
        host,
        entity,
        id,
        type: typeNumber(type),
        kind,
        name,
        nameRank: Number(rank ?? 0),
        cmd,
        pid: pid === undefined ? undefined : Number(pid),
        parent,
        principal,
        local,
        session,
        container,
        unit,
        ts,
        seq,
      } as Statement;
    }
  }
}

/** The types and names of some statements, in the order of `readStatements`. A store has millions, so they come in columns. */
export interface NameStatements {
  readonly count: number;
  readonly hosts: readonly string[];
  /** Four words each, as `columnKeys` gives them. */
  readonly entities: Uint32Array;
  readonly types: readonly number[];
  readonly names: readonly (string | null)[];
  readonly ranks: readonly number[];
  readonly ts: readonly bigint[];
  readonly seq: readonly bigint[];
}

/** Streams what `readStatements` says about types and names. */
export async function* readNameStatements(store: Store, asked: Asked): AsyncGenerator<NameStatements> {
  const columns = 'entity, host, type, name, name_rank, first_ts, first_seq';
  // Statements that this order does not tell apart say the same about types and names.
  for await (const chunk of streamStatements(store, columns, NAME_ORDER, asked)) {
    const [hosts, types, names, ranks, ts, seq] = [1, 2, 3, 4, 5, 6].map((i) => chunk.getColumnValues(i));
    yield {
      count: chunk.rowCount,
      hosts: hosts as string[],
      entities: columnKeys(chunk, 0),
      types: types.map((type) => typeNumber(type ?? undefined)),
      names: names as (string | null)[],
      ranks: ranks.map((rank) => Number(rank ?? 0)),
      ts: ts as bigint[],
      seq: seq as bigint[],
    };
  }
}

const typeNumber = (type: DuckDBValue | undefined): number =>
  type === undefined ? -1 : (ENTITY_TYPES as readonly string[]).indexOf(type as string);

async function* streamStatements(
  store: Store,
  columns: string,
  order: string,
  { host, until }: Asked,
): AsyncGenerator<DuckDBDataChunk> {
  const segments = statedBy(store, store.segments('entities', { host }), until);
  if (segments.length === 0) return;
  const database = await openDuckDB({ memoryMiB: 1024 });
  try {
    const { source, parameters } = readOpen('entities', await store.openSegments(segments));
    yield* streamChunks(
      await database.connect(),
      `SELECT ${columns} FROM ${source} WHERE first_ts <= $until::BIGINT
       ORDER BY ${order}`,
      { ...parameters, until },
    );
  } catch (error) {
    throw explainStoreError(error, store.folder);
  } finally {
    database.closeSync();
  }
}
