import type { DuckDBDataChunk } from '@duckdb/node-api';
import type { EntityType } from '../ingest/event.js';
import { explainStoreError, openDuckDB, pathList, readParquet, streamChunks } from './duckdb.js';
import type { Segment } from './manifest.js';
import type { Selection, Store } from './store.js';

/** What a store knows of an entity, all statements about it merged. */
export interface KnownEntity {
  host: string;
  /** As the log writes it. */
  id: string;
  type: EntityType;
  kind: string | undefined;
  name: string | undefined;
  cmd: string | undefined;
  pid: number | undefined;
  parent: string | undefined;
  principal: string | undefined;
  local: string | undefined;
}

const latest = (column: string): string => `first_value(${column} IGNORE NULLS) OVER latest`;

/**
 * The merge of entity upserts: for each property the latest statement wins, for names the surest one (a stated path
 * over a hint). Statements of one moment go by their value, so that the order of ingests does not matter. docs/reference/store.md
 * shows the same, shorter, for other Parquet readers; windows, unlike `max_by` over tuples, spill when there are
 * millions of entities.
 */
const MERGED_ENTITIES = `
  SELECT host, entity,
    coalesce(${latest('id')}, upper(entity::VARCHAR)) AS id,
    coalesce(${latest('type')}, 'other') AS type,
    ${latest('kind')} AS kind,
    first_value(name IGNORE NULLS) OVER surest AS name,
    ${latest('cmd')} AS cmd,
    ${latest('pid')} AS pid,
    ${latest('parent')} AS parent,
    ${latest('principal')} AS principal,
    ${latest('local')} AS local
  FROM ${readParquet('$paths')}
  WINDOW
    latest AS (PARTITION BY host, entity
      ORDER BY last_ts DESC, last_seq DESC, type, kind, cmd, pid, parent, principal, local, id
      ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING),
    surest AS (PARTITION BY host, entity
      ORDER BY name_rank DESC NULLS LAST, last_ts DESC, last_seq DESC, name DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
  QUALIFY row_number() OVER latest = 1`;

/** Chunks of all entities that these segments speak of, merged. Columns and order are SQL: never text from a log. */
export async function* mergeEntities(
  store: Store,
  segments: readonly Segment[],
  columns: string,
  order = '',
): AsyncGenerator<DuckDBDataChunk> {
  if (segments.length === 0) return;
  const database = await openDuckDB({ memoryMiB: 1024 });
  try {
    const paths = pathList(segments.map((segment) => store.path(segment)));
    const statement = `SELECT ${columns} FROM (${MERGED_ENTITIES}) ${order}`;
    yield* streamChunks(await database.connect(), statement, { paths });
  } catch (error) {
    throw explainStoreError(error, store.folder);
  } finally {
    database.closeSync();
  }
}

/** Reads all entities of a store, merged, by host and identifier. */
export async function* readEntities(store: Store, selection: Selection = {}): AsyncGenerator<KnownEntity> {
  const chunks = mergeEntities(
    store,
    store.segments('entities', selection),
    'host, id, type, kind, name, cmd, pid, upper(parent::VARCHAR), upper(principal::VARCHAR), local',
    'ORDER BY host, id',
  );
  for await (const chunk of chunks) {
    for (const row of chunk.getRows()) {
      const [host, id, type, kind, name, cmd, pid, parent, principal, local] = row.map((v) => v ?? undefined);
      yield { host, id, type, kind, name, cmd, pid, parent, principal, local } as KnownEntity;
    }
  }
}
