import type { DuckDBDataChunk } from '@duckdb/node-api';
import type { EntityType } from '../ingest/event.js';
import { explainStoreError, openDuckDB, readOpen, streamChunks } from './duckdb.js';
import type { SegmentPart } from './segments/segment-parts.js';
import type { Selection, Store } from './store.js';

/** An entity of a store, merged from all its upserts. */
export interface KnownEntity {
  host: string;
  /** The identifier as the log writes it. */
  id: string;
  type: EntityType;
  kind: string | undefined;
  name: string | undefined;
  cmd: string | undefined;
  pid: number | undefined;
  parent: string | undefined;
  principal: string | undefined;
  local: string | undefined;
  session: string | undefined;
  container: string | undefined;
  unit: string | undefined;
}

const latest = (column: string): string => `first_value(${column} IGNORE NULLS) OVER latest`;

/** Later than every event. */
const END_OF_TIME = 2n ** 63n - 1n;

/** A statement that was still being made at `$until` counts as made then; of several, the one that began last wins. */
const LAST_MADE = `least(last_ts, $until::BIGINT) DESC,
      CASE WHEN last_ts > $until::BIGINT THEN first_ts END DESC NULLS LAST, last_seq DESC`;

/**
 * Merges the entity upserts that were made by the time `$until`. For each property the latest value wins; for names the
 * surest one (a stated path over a hint). Values of the same time are ordered by value, so the order of ingests does not
 * matter. Window functions spill to disk for millions of entities; `max_by` over tuples does not. docs/reference/store.md
 * has a shorter query for other readers.
 */
const mergedEntities = (source: string): string => `
  SELECT host, entity,
    coalesce(${latest('id')}, upper(entity::VARCHAR)) AS id,
    coalesce(${latest('type')}, 'other') AS type,
    ${latest('kind')} AS kind,
    first_value(name IGNORE NULLS) OVER surest AS name,
    ${latest('cmd')} AS cmd,
    ${latest('pid')} AS pid,
    ${latest('parent')} AS parent,
    ${latest('principal')} AS principal,
    ${latest('local')} AS local,
    ${latest('session')} AS session,
    ${latest('container')} AS container,
    ${latest('unit')} AS unit
  FROM ${source}
  WHERE first_ts <= $until::BIGINT
  WINDOW
    latest AS (PARTITION BY host, entity
      ORDER BY ${LAST_MADE}, type, kind, cmd, pid, parent, principal, local, session, container, unit, id
      ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING),
    surest AS (PARTITION BY host, entity
      ORDER BY name_rank DESC NULLS LAST, ${LAST_MADE}, name DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
  QUALIFY row_number() OVER latest = 1`;

export interface MergeOptions {
  /** Leaves out what the log stated after this time. Default: nothing is left out. */
  readonly until?: bigint | undefined;
  /** SQL. */
  readonly order?: string | undefined;
}

/** Streams the merged entities of segments. `columns` and `order` are SQL: never pass text from a log. */
export async function* mergeEntities(
  store: Store,
  segments: readonly SegmentPart[],
  columns: string,
  { until = END_OF_TIME, order = '' }: MergeOptions = {},
): AsyncGenerator<DuckDBDataChunk> {
  const known = statedBy(store, segments, until);
  if (known.length === 0) return;
  const database = await openDuckDB({ memoryMiB: 1024 });
  try {
    const { source, parameters } = readOpen('entities', await store.openSegments(known));
    const statement = `SELECT ${columns} FROM (${mergedEntities(source)}) ${order}`;
    yield* streamChunks(await database.connect(), statement, { ...parameters, until });
  } catch (error) {
    throw explainStoreError(error, store.folder);
  } finally {
    database.closeSync();
  }
}

/**
 * Leaves out the segments of ingests that begin after `until`. Records before the first event of a file have no time of
 * their own, so their times cannot show that they came later.
 */
export function statedBy(
  store: Store,
  segments: readonly SegmentPart[],
  until: bigint,
): readonly SegmentPart[] {
  const starts = new Map<number, bigint>();
  for (const { kind, ingest, firstTs } of store.manifest.segments) {
    if (kind !== 'events' || firstTs === null) continue;
    const first = BigInt(firstTs);
    const known = starts.get(ingest);
    if (known === undefined || first < known) starts.set(ingest, first);
  }
  return segments.filter(({ ingest }) => (starts.get(ingest) ?? until) <= until);
}

/** Reads the merged entities of a store, ordered by host and identifier. */
export async function* readEntities(store: Store, selection: Selection = {}): AsyncGenerator<KnownEntity> {
  const chunks = mergeEntities(
    store,
    store.segments('entities', selection),
    'host, id, type, kind, name, cmd, pid, upper(parent::VARCHAR), upper(principal::VARCHAR), local, session, container, unit',
    { order: 'ORDER BY host, id' },
  );
  for await (const chunk of chunks) {
    for (const row of chunk.getRows()) {
      const [host, id, type, kind, name, cmd, pid, parent, principal, local, session, container, unit] =
        row.map((v) => v ?? undefined);
      yield {
        host,
        id,
        type,
        kind,
        name,
        cmd,
        pid,
        parent,
        principal,
        local,
        session,
        container,
        unit,
      } as KnownEntity;
    }
  }
}
