import { join } from 'node:path';
import { type DuckDBConnection, type DuckDBListValue, listValue } from '@duckdb/node-api';
import { ENTITY_TYPES, type EntityType } from '../ingest/event.js';
import { openDuckDB, pathList, readParquet, readSegments } from './duckdb.js';
import { checkSegment, damagedSegment } from './integrity/verify-segments.js';
import type { Segment, Summary } from './manifest.js';
import { partsOf } from './segments/segment-parts.js';

/** The source type of an entity that events refer to but no record defines. */
const UNDEFINED_KIND = '<undefined>';
/** At most about this many statements of entities are grouped at a time. */
const ROWS_IN_PART = 2_000_000;

/** The number of entities per type, and the number of events with undefined entities. */
export interface EntityCounts {
  entities: Summary['entities'];
  /** Events with at least one endpoint that no record defines. */
  unresolved: number;
  identities: Summary['identities'];
}

/**
 * Counts the distinct entities that segments define or refer to, a part of the keys at a time, so that memory does not grow
 * with their number. Words are numbers of an ENUM here: groups of a fixed size spill to disk within DuckDB's memory limit,
 * those with texts grow beyond it.
 */
export async function countEntities(
  connection: DuckDBConnection,
  folder: string,
  segments: readonly Segment[],
  rowsInPart = ROWS_IN_PART,
): Promise<EntityCounts> {
  const pathsOf = (kind: Segment['kind']) => {
    const own = segments.filter((segment) => segment.kind === kind);
    return own.length === 0 ? undefined : pathList(own.map(({ path }) => join(folder, path)));
  };
  const paths = { events: pathsOf('events'), entities: pathsOf('entities') };
  await createTypes(connection, segments, paths.entities);
  await connection.run('CREATE TEMP TABLE missing (host counted_host, entity UUID)');
  const statements = segments.reduce((sum, { kind, rows }) => sum + (kind === 'entities' ? rows : 0), 0);
  const parts = Math.max(1, Math.ceil(statements / rowsInPart));
  const rows: CountRow[] = [];
  for (let part = 0; part < parts; part++)
    rows.push(...(await countPart(connection, paths, { part, parts })));
  const entities = tabulate(rows);
  const unresolved =
    entities.placeholders === 0 || paths.events === undefined
      ? 0
      : await countUnresolved(connection, paths.events);
  await connection.run('DROP TABLE missing');
  for (const type of TYPES) await connection.run(`DROP TYPE ${type}`);
  const identities =
    paths.entities === undefined
      ? { users: 0, sessions: 0, containers: 0, units: 0 }
      : await countIdentities(connection, paths.entities);
  return { entities, unresolved, identities };
}

/** Counts the entities whose key falls into a part, and adds those that no record defines to the table `missing`. */
async function countPart(
  connection: DuckDBConnection,
  paths: Record<Segment['kind'], DuckDBListValue | undefined>,
  { part, parts }: { part: number; parts: number },
): Promise<CountRow[]> {
  const isInPart = (key: string) => (parts === 1 ? 'true' : `hash(${key}) % ${parts} = ${part}`);
  const endpoints = ROLES.map(
    (role) =>
      `SELECT host::counted_host AS host, ${role} AS entity FROM ${readParquet('$1')} WHERE ${role} IS NOT NULL AND ${isInPart(role)}`,
  ).join(' UNION ');
  const emptyRow =
    'SELECT NULL::counted_host AS host, NULL::UUID AS entity, NULL::counted_type AS type, NULL::counted_kind AS kind';
  await connection.run(
    paths.events === undefined
      ? `CREATE TEMP TABLE referenced AS SELECT host, entity FROM (${emptyRow}) LIMIT 0`
      : `CREATE TEMP TABLE referenced AS ${endpoints}`,
    paths.events === undefined ? [] : [paths.events],
  );
  await connection.run(
    paths.entities === undefined
      ? `CREATE TEMP TABLE defined AS ${emptyRow} LIMIT 0`
      : `CREATE TEMP TABLE defined AS
         WITH upserts AS (SELECT host::counted_host AS host, entity, type::counted_type AS type, kind::counted_kind AS kind, last_ts, last_seq
             FROM ${readParquet('$1')} WHERE type IS NOT NULL AND ${isInPart('entity')}),
           summary AS (SELECT host, entity, min(type) AS type, min(kind) AS kind,
             min(type) = max(type) AND min(kind) IS NOT DISTINCT FROM max(kind) AS agreed
             FROM upserts GROUP BY host, entity)
         SELECT host, entity, type, kind FROM summary WHERE agreed
         UNION ALL
         SELECT host, entity, type, first_value(kind IGNORE NULLS) OVER latest AS kind
         FROM upserts SEMI JOIN (SELECT host, entity FROM summary WHERE NOT agreed) USING (host, entity)
         WINDOW latest AS (PARTITION BY host, entity ORDER BY last_ts DESC, last_seq DESC, type, kind
           ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
         QUALIFY row_number() OVER latest = 1`,
    paths.entities === undefined ? [] : [paths.entities],
  );
  const result = await connection.runAndReadAll(`
    SELECT coalesce(type::VARCHAR, 'other') AS type, coalesce(kind::VARCHAR, type::VARCHAR, '${UNDEFINED_KIND}') AS kind,
      placeholder, sum(entities)::BIGINT AS entities
    FROM (
      SELECT d.type AS type, d.kind AS kind, d.entity IS NULL AS placeholder, count(*) AS entities
      FROM referenced r FULL JOIN defined d ON r.host = d.host AND r.entity = d.entity GROUP BY ALL)
    GROUP BY ALL`);
  await connection.run(
    'INSERT INTO missing SELECT host, entity FROM referenced ANTI JOIN defined USING (host, entity)',
  );
  await connection.run('DROP TABLE referenced; DROP TABLE defined');
  return result.getRowObjects() as unknown as CountRow[];
}

const TYPES = ['counted_host', 'counted_type', 'counted_kind'] as const;

/** Defines ENUMs for the hosts, entity types and source types of segments, in the order of their texts. */
async function createTypes(
  connection: DuckDBConnection,
  segments: readonly Segment[],
  entities: DuckDBListValue | undefined,
): Promise<void> {
  const hosts = [...new Set(partsOf(segments).map(({ host }) => host))];
  const query = `SELECT DISTINCT kind FROM ${readParquet('$1')} WHERE kind IS NOT NULL`;
  const kinds =
    entities === undefined ? [] : (await connection.runAndReadAll(query, [entities])).getRows().flat();
  const words = [hosts, ENTITY_TYPES, kinds as string[]];
  for (const [index, type] of TYPES.entries()) {
    // An ENUM is made from a query, so that no text of a log becomes part of the SQL. It has at least one word.
    await connection.run(
      'CREATE OR REPLACE TEMP TABLE counted_words AS SELECT unnest($1::VARCHAR[]) AS word',
      [listValue(['', ...words[index]])],
    );
    await connection.run(
      `CREATE TYPE ${type} AS ENUM (SELECT DISTINCT word FROM counted_words ORDER BY word)`,
    );
  }
  await connection.run('DROP TABLE counted_words');
}

/** Counts the entities of a store's segments. */
export async function countStoredEntities(
  folder: string,
  segments: readonly Segment[],
): Promise<EntityCounts> {
  for (const segment of segments) {
    const damage = await checkSegment(folder, segment);
    if (damage !== undefined) throw damagedSegment(damage, folder);
  }
  const database = await openDuckDB();
  try {
    return await countEntities(await database.connect(), folder, segments);
  } finally {
    database.closeSync();
  }
}

async function countIdentities(
  connection: DuckDBConnection,
  entities: DuckDBListValue,
): Promise<Summary['identities']> {
  const distinct = ['principal', 'session', 'container', 'unit'].map(
    (column) => `count(DISTINCT CASE WHEN ${column} IS NOT NULL THEN (host, ${column}) END)`,
  );
  const result = await connection.runAndReadAll(
    `SELECT ${distinct.join(', ')} FROM ${readSegments('entities', '$1')}`,
    [entities],
  );
  const [users, sessions, containers, units] = result.getRows()[0].map(Number);
  return { users, sessions, containers, units };
}

const ROLES = ['subject', 'object', 'object2'];

async function countUnresolved(connection: DuckDBConnection, events: DuckDBListValue): Promise<number> {
  const missing = ROLES.map(
    (role) => `(host::counted_host, ${role}) IN (SELECT (host, entity) FROM missing)`,
  ).join(' OR ');
  const result = await connection.runAndReadAll(
    `SELECT count(*) FROM ${readParquet('$1')} WHERE ${missing}`,
    [events],
  );
  return Number(result.getRows()[0][0]);
}

interface CountRow {
  type: EntityType;
  kind: string;
  placeholder: boolean;
  entities: bigint;
}

/** Sums the rows of all parts, the most frequent source type first. */
function tabulate(rows: readonly CountRow[]): Summary['entities'] {
  const byType: Partial<Record<EntityType, number>> = {};
  // A Map, because the names come from logs and may be `constructor` or `__proto__`.
  const bySourceType = new Map<string, number>();
  let total = 0;
  let placeholders = 0;
  for (const { type, kind, placeholder, entities } of rows) {
    const count = Number(entities);
    total += count;
    byType[type] = (byType[type] ?? 0) + count;
    bySourceType.set(kind, (bySourceType.get(kind) ?? 0) + count);
    if (placeholder) placeholders += count;
  }
  const bySize = [...bySourceType].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const ordered = ENTITY_TYPES.flatMap((type) => (byType[type] === undefined ? [] : [[type, byType[type]]]));
  return {
    total,
    byType: Object.fromEntries(ordered),
    bySourceType: Object.fromEntries(bySize),
    placeholders,
  };
}
