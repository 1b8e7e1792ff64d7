import { listValue } from '@duckdb/node-api';
import type { EntityType } from '../ingest/event.js';
import { openDuck } from './duck.js';
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

/**
 * The merge of entity upserts: for each property the latest statement wins, for names the surest one (a stated path
 * over a hint). Statements of one moment go by their value, so that the order of ingests does not matter. This is the
 * view that docs/store.md shows for other Parquet readers.
 */
export const MERGED_ENTITIES = `
  SELECT host, entity,
    coalesce(max_by(id, (last_ts, last_seq, id)), upper(entity::VARCHAR)) AS id,
    coalesce(max_by(type, (last_ts, last_seq, type)), 'other') AS type,
    max_by(kind, (last_ts, last_seq, kind)) AS kind,
    max_by(name, (name_rank, last_ts, last_seq, name)) AS name,
    max_by(cmd, (last_ts, last_seq, cmd)) AS cmd,
    max_by(pid, (last_ts, last_seq, pid)) AS pid,
    max_by(parent, (last_ts, last_seq, parent)) AS parent,
    max_by(principal, (last_ts, last_seq, principal)) AS principal,
    max_by(local, (last_ts, last_seq, local)) AS local
  FROM read_parquet($paths)
  GROUP BY host, entity`;

/** Reads all entities of a store, merged, in chunks. */
export async function* readEntities(store: Store, selection: Selection = {}): AsyncGenerator<KnownEntity> {
  const segments = store.segments('entities', selection);
  if (segments.length === 0) return;
  const duck = await openDuck({ memoryMiB: 1024 });
  try {
    const connection = await duck.connect();
    const paths = listValue(segments.map((segment) => store.path(segment)));
    const result = await connection.stream(
      `SELECT host, id, type, kind, name, cmd, pid, upper(parent::VARCHAR), upper(principal::VARCHAR), local
       FROM (${MERGED_ENTITIES}) ORDER BY host, id`,
      { paths },
    );
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    ) {
      for (const row of chunk.getRows()) {
        const [host, id, type, kind, name, cmd, pid, parent, principal, local] = row.map(
          (v) => v ?? undefined,
        );
        yield { host, id, type, kind, name, cmd, pid, parent, principal, local } as KnownEntity;
      }
    }
  } finally {
    duck.closeSync();
  }
}
