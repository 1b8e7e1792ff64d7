import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuckDB, pathList, readParquet } from '../duckdb.js';
import { countEntities } from '../entity-counts.js';
import { emptyManifest, type FileEntry, type IngestEntry, type Manifest, type Segment } from '../manifest.js';
import { countRows } from '../segments/count-rows.js';
import { describeRows } from '../segments/segment-parts.js';
import { hashSegment } from './verify-segments.js';

const SEGMENT = /^(events|entities)\/[^/]+\/(?:(\d{4,}-\d\d-\d\d)\/)?(\d+)-\d+\.parquet$/;

/**
 * Makes a manifest for segments that have none. Names and hashes of the ingested files and their splits are not in the
 * segments: each ingest becomes one without a split, and its files are unknown. Returns the files that are no segments
 * or cannot be read.
 */
export async function rebuildManifest(
  folder: string,
  paths: readonly string[],
): Promise<{ manifest: Manifest; rejected: string[] }> {
  const database = await openDuckDB({ memoryMiB: 1024 });
  try {
    const connection = await database.connect();
    const segments: Segment[] = [];
    const rejected: string[] = [];
    for (const path of paths) {
      const segment = await describeSegment(connection, folder, path).catch(() => undefined);
      if (segment === undefined) rejected.push(path);
      else segments.push(segment);
    }
    const numbers = [...new Set(segments.map(({ ingest }) => ingest))].sort((a, b) => a - b);
    const ingests: IngestEntry[] = [];
    for (const number of numbers) {
      ingests.push(await describeIngest(connection, folder, number, segments));
    }
    const files = ingests.flatMap((ingest) => ingest.files.map((file) => file.number));
    const manifest = {
      ...emptyManifest(),
      ingests,
      segments,
      nextIngest: Math.max(0, ...numbers) + 1,
      nextFile: files.reduce((most, number) => Math.max(most, number), 0) + 1,
    };
    return { manifest, rejected };
  } finally {
    database.closeSync();
  }
}

async function describeSegment(
  connection: DuckDBConnection,
  folder: string,
  path: string,
): Promise<Segment | undefined> {
  const [, kind, day, ingest] = SEGMENT.exec(path) ?? [];
  if (kind === undefined || (kind === 'events') !== (day !== undefined)) return undefined;
  const parameters = [pathList([join(folder, path)])];
  const hosts = await countRows(connection, kind as Segment['kind'], readParquet('$1'), parameters);
  if (hosts.length === 0 || hosts.some(({ host }) => typeof host !== 'string')) return undefined;
  // Hashing every row reads every column: a segment that cannot be read whole is not intact.
  await connection.runAndReadAll(
    `SELECT bit_xor(hash(segment)) FROM ${readParquet('$1')} segment`,
    parameters,
  );
  return {
    kind: kind as Segment['kind'],
    path,
    ingest: Number(ingest),
    day: day ?? null,
    ...describeRows(hosts),
    ...(await hashSegment(join(folder, path))),
  };
}

async function describeIngest(
  connection: DuckDBConnection,
  folder: string,
  number: number,
  segments: readonly Segment[],
): Promise<IngestEntry> {
  const own = segments.filter(({ ingest }) => ingest === number);
  const events = own.filter(({ kind }) => kind === 'events');
  const rows = events.reduce((sum, segment) => sum + segment.rows, 0);
  const paths = pathList(events.map(({ path }) => join(folder, path)));
  const read = async (query: string) =>
    events.length === 0 ? [] : (await connection.runAndReadAll(query, [paths])).getRows();
  const relations = await read(
    `SELECT relation, count(*) FROM ${readParquet('$1')} GROUP BY relation ORDER BY 2 DESC, 1`,
  );
  const [[edges, second, none, first, last] = []] = await read(
    `SELECT count(object) + count(object2), count(object2), count(*) - count(object), min(ts), max(ts)
     FROM ${readParquet('$1')}`,
  );
  const files = await read(`SELECT file, max(line) FROM ${readParquet('$1')} GROUP BY file ORDER BY file`);
  const { entities, unresolved, identities } = await countEntities(connection, folder, own);
  return {
    number,
    split: null,
    files: files.map(([file]) => unknownFile(Number(file))),
    summary: {
      events: rows,
      edges: { total: Number(edges ?? 0), secondObject: Number(second ?? 0) },
      entities,
      unresolved,
      relations: Object.fromEntries(relations.map(([relation, count]) => [relation, Number(count)])),
      readings: [],
      identities,
      records: {},
      noObject: Number(none ?? 0),
      malformed: 0,
      merged: {},
      skipped: {},
      repaired: { rebuilt: rows },
      losses: [],
      outOfOrder: 0,
      lines: files.reduce((sum, [, line]) => sum + Number(line), 0),
      firstTs: first === undefined ? null : String(first),
      lastTs: last === undefined ? null : String(last),
    },
  };
}

/** A file that only its events tell of. The hash is none of a file, so that the log can be ingested again elsewhere. */
function unknownFile(number: number): FileEntry {
  return {
    number,
    name: `<file ${number}>`,
    bytes: 0,
    sha256: createHash('sha256').update(`recal: unknown file ${number}`).digest('hex'),
    content: null,
    sources: [],
  };
}
