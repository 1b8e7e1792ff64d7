import { ENTITY_TYPES } from '../ingest/event.js';
import { explainStoreError, openDuckDB, readOpen, streamChunks } from './duckdb.js';
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

/**
 * Streams the statements of a store about its entities, in the order in which they were first made, up to the time
 * `until`. Statements of the same time are ordered by value, so the order of ingests does not matter.
 */
export async function* readStatements(
  store: Store,
  { host, until }: Pick<Selection, 'host'> & { readonly until: bigint },
): AsyncGenerator<Statement> {
  const segments = statedBy(store, store.segments('entities', { host }), until);
  if (segments.length === 0) return;
  const database = await openDuckDB({ memoryMiB: 1024 });
  try {
    const { source, parameters } = readOpen('entities', await store.openSegments(segments));
    const chunks = streamChunks(
      await database.connect(),
      `SELECT host, entity::VARCHAR AS entity, id, type, kind, name, name_rank, cmd, pid, parent::VARCHAR AS parent,
         principal::VARCHAR AS principal, local, session, container, unit, first_ts, first_seq
       FROM ${source} WHERE first_ts <= $until::BIGINT
       ORDER BY first_ts, first_seq, host, entity, name_rank NULLS FIRST, name, type, kind, cmd, pid, parent, principal, local, session,
         container, unit, id`,
      { ...parameters, until },
    );
    for await (const chunk of chunks) {
      for (const row of chunk.getRows()) {
        const [at, entity, id, type, kind, name, rank, cmd, pid, parent, principal, local, ...rest] = row.map(
          (value) => value ?? undefined,
        );
        const [session, container, unit, ts, seq] = rest;
        yield {
          host: at,
          entity,
          id,
          type: type === undefined ? -1 : (ENTITY_TYPES as readonly string[]).indexOf(type as string),
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
  } catch (error) {
    throw explainStoreError(error, store.folder);
  } finally {
    database.closeSync();
  }
}
