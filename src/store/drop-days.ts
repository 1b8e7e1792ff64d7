import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { escapeGlob, explainStoreError, openDuckDB, pathList, readParquet, sqlLiteral } from './duckdb.js';
import { checkSegment, damagedSegment, hashSegment } from './integrity/verify-segments.js';
import type { Segment } from './manifest.js';
import type { StoreWriter } from './store.js';

export interface DroppedDays {
  /** Segments of events that are no longer part of the store. */
  readonly segments: number;
  readonly events: number;
  /** Statements about entities that no event of the store refers to any more. */
  readonly statements: number;
  /** Bytes freed. */
  readonly bytes: number;
}

/**
 * Removes the events of all days before `before`, and the statements about entities that only they refer to. A statement
 * stays if it was made on a kept day, or if a kept event or a kept statement refers to its entity.
 */
export async function dropDays(writer: StoreWriter, before: string): Promise<DroppedDays> {
  const { manifest, folder } = writer;
  const isOld = ({ day }: Segment) => day !== null && day < before;
  const dropped = manifest.segments.filter(isOld);
  if (dropped.length === 0) return { segments: 0, events: 0, statements: 0, bytes: 0 };
  const kept = manifest.segments.filter((segment) => !isOld(segment));
  const hosts = new Set(dropped.map(({ host }) => host));
  const rewritten = new Map<Segment, Segment | undefined>();
  const database = await openDuckDB({ memoryMiB: 1024 });
  try {
    const connection = await database.connect();
    for (const host of hosts) {
      const own = kept.filter((segment) => segment.host === host);
      // Damage must not get a new checksum.
      for (const segment of own) {
        const damage = await checkSegment(folder, segment);
        if (damage !== undefined) throw damagedSegment(damage, folder);
      }
      const rewriter = new EntityRewriter(writer, connection, before);
      for (const [segment, next] of await rewriter.rewrite(own)) rewritten.set(segment, next);
    }
  } catch (error) {
    throw explainStoreError(error, folder);
  } finally {
    database.closeSync();
  }
  const segments = kept.flatMap((segment) => {
    if (!rewritten.has(segment)) return [segment];
    const next = rewritten.get(segment);
    return next === undefined ? [] : [next];
  });
  const added = [...rewritten.values()].filter((segment) => segment !== undefined);
  const setAside = manifest.setAside.filter((segment) => !isOld(segment));
  await writer.commit({ ...manifest, segments, setAside }, writer.stagingFolder, added);
  const old = [...rewritten.keys()];
  return {
    segments: dropped.length,
    events: sumOf(dropped, 'rows'),
    statements: sumOf(old, 'rows') - sumOf(added, 'rows'),
    bytes: sumOf([...dropped, ...old], 'bytes') - sumOf(added, 'bytes'),
  };
}

function sumOf(segments: readonly Segment[], field: 'rows' | 'bytes'): number {
  return segments.reduce((sum, segment) => sum + segment[field], 0);
}

/** Writes the segments of one host's entities again, without the statements that nothing refers to. */
class EntityRewriter {
  readonly #writer: StoreWriter;
  readonly #connection: DuckDBConnection;
  readonly #midnight: bigint;

  constructor(writer: StoreWriter, connection: DuckDBConnection, before: string) {
    this.#writer = writer;
    this.#connection = connection;
    this.#midnight = BigInt(Date.parse(before)) * 1_000_000n;
  }

  /** Returns the segments that change, with what replaces them. */
  async rewrite(segments: readonly Segment[]): Promise<Map<Segment, Segment | undefined>> {
    const entities = segments.filter(({ kind }) => kind === 'entities');
    await this.#findReferenced(
      segments.filter(({ kind }) => kind === 'events'),
      entities,
    );
    const changed = new Map<Segment, Segment | undefined>();
    for (const segment of entities) {
      const source = readParquet(sqlLiteral(escapeGlob(join(this.#writer.folder, segment.path))));
      const where = `last_ts >= ${this.#midnight} OR entity IN (SELECT entity FROM referenced)`;
      const found = await this.#connection.runAndReadAll(
        `SELECT count(*), min(first_ts), max(last_ts) FROM ${source} WHERE ${where}`,
      );
      const [[rows, first, last]] = found.getRows();
      if (Number(rows) === segment.rows) continue;
      if (Number(rows) === 0) {
        changed.set(segment, undefined);
        continue;
      }
      const path = this.#nextPath(segment, changed);
      const target = join(this.#writer.stagingFolder, path);
      await mkdir(dirname(target), { recursive: true });
      await this.#connection.run(
        `COPY (SELECT * FROM ${source} WHERE ${where}) TO ${sqlLiteral(target)}
         (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
      );
      const times = { firstTs: String(first), lastTs: String(last) };
      changed.set(segment, {
        ...segment,
        path,
        rows: Number(rows),
        ...times,
        ...(await hashSegment(target)),
      });
    }
    return changed;
  }

  /** Collects the entities of kept events, and what statements about them refer to: parents and users. */
  async #findReferenced(events: readonly Segment[], entities: readonly Segment[]): Promise<void> {
    const paths = (list: readonly Segment[]) =>
      pathList(list.map(({ path }) => join(this.#writer.folder, path)));
    await this.#connection.run('CREATE OR REPLACE TEMP TABLE referenced (entity UUID)');
    const roles = ['subject', 'object', 'object2'].map(
      (role) => `SELECT ${role} AS entity FROM ${readParquet('$1')} WHERE ${role} IS NOT NULL`,
    );
    if (events.length > 0) {
      await this.#connection.run(`INSERT INTO referenced ${roles.join(' UNION ')}`, [paths(events)]);
    }
    if (entities.length === 0) return;
    // Parents have parents.
    for (;;) {
      const { rowsChanged } = await this.#connection.run(
        `INSERT INTO referenced
         SELECT DISTINCT unnest([parent, principal]) AS entity FROM ${readParquet('$1')}
         WHERE last_ts >= ${this.#midnight} OR entity IN (SELECT entity FROM referenced)
         EXCEPT SELECT entity FROM referenced EXCEPT SELECT NULL::UUID`,
        [paths(entities)],
      );
      if (rowsChanged === 0) return;
    }
  }

  /** The next free part number of the segment's ingest. */
  #nextPath({ path, ingest }: Segment, changed: ReadonlyMap<Segment, Segment | undefined>): string {
    const taken = [...this.#writer.manifest.segments, ...changed.values()];
    const parts = taken.flatMap((segment) =>
      segment?.ingest === ingest ? [Number(/-(\d+)\.parquet$/.exec(segment.path)?.[1] ?? 0)] : [],
    );
    const part = String(parts.reduce((most, number) => Math.max(most, number), 0) + 1).padStart(4, '0');
    return path.replace(/-\d+\.parquet$/, `-${part}.parquet`);
  }
}
