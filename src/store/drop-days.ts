import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type DuckDBConnection, listValue } from '@duckdb/node-api';
import { escapeGlob, explainStoreError, openDuckDB, pathList, readParquet, sqlLiteral } from './duckdb.js';
import { checkSegment, damagedSegment, hashSegment } from './integrity/verify-segments.js';
import type { Segment } from './manifest.js';
import { countRows } from './segments/count-rows.js';
import { describeRows, hostParts, partsOf } from './segments/segment-parts.js';
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
  const rewritten = new Map<Segment, Segment | undefined>();
  const database = await openDuckDB({ memoryMiB: 1024 });
  try {
    const connection = await database.connect();
    const rewriter = new EntityRewriter(writer, connection, before);
    for (const hosts of divideHosts(dropped, kept)) {
      const names = new Set(hosts);
      const own = kept.filter((segment) => hostParts(segment).some(({ host }) => names.has(host)));
      // Damage must not get a new checksum.
      for (const segment of own) {
        const damage = await checkSegment(folder, segment);
        if (damage !== undefined) throw damagedSegment(damage, folder);
      }
      for (const [segment, next] of await rewriter.rewrite(hosts, own)) rewritten.set(segment, next);
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

function sumOf<K extends string>(all: readonly Readonly<Record<K, number>>[], field: K): number {
  return all.reduce((sum, each) => sum + each[field], 0);
}

/** Divides the hosts of dropped segments: those that share kept segments belong together, every other is on its own. */
function divideHosts(dropped: readonly Segment[], kept: readonly Segment[]): string[][] {
  const shared = kept.filter(({ host }) => host === null);
  const sharing = new Set(partsOf(shared).map(({ host }) => host));
  const hosts = [...new Set(partsOf(dropped).map(({ host }) => host))];
  const together = hosts.filter((host) => sharing.has(host));
  const alone = hosts.filter((host) => !sharing.has(host)).map((host) => [host]);
  return together.length === 0 ? alone : [together, ...alone];
}

/** Writes the segments of hosts' entities again, without the statements that nothing refers to. */
class EntityRewriter {
  readonly #writer: StoreWriter;
  readonly #connection: DuckDBConnection;
  readonly #midnight: bigint;
  readonly #changed = new Map<Segment, Segment | undefined>();

  constructor(writer: StoreWriter, connection: DuckDBConnection, before: string) {
    this.#writer = writer;
    this.#connection = connection;
    this.#midnight = BigInt(Date.parse(before)) * 1_000_000n;
  }

  /** Returns the segments that change, with what replaces them. Rows of other hosts in shared segments stay. */
  async rewrite(
    hosts: readonly string[],
    segments: readonly Segment[],
  ): Promise<ReadonlyMap<Segment, Segment | undefined>> {
    const entities = segments.filter(({ kind }) => kind === 'entities');
    await this.#connection.run('CREATE OR REPLACE TEMP TABLE touched AS SELECT unnest($1) AS host', [
      listValue([...hosts]),
    ]);
    await this.#findReferenced(
      segments.filter(({ kind }) => kind === 'events'),
      entities,
    );
    const changed = new Map<Segment, Segment | undefined>();
    for (const segment of entities) {
      const source = readParquet(sqlLiteral(escapeGlob(join(this.#writer.folder, segment.path))));
      const where = `host NOT IN (SELECT host FROM touched) OR ${this.#isKept}`;
      const rows = await countRows(this.#connection, 'entities', `${source} WHERE ${where}`);
      if (sumOf(rows, 'rows') === segment.rows) continue;
      if (rows.length === 0) {
        this.#note(changed, segment, undefined);
        continue;
      }
      const path = this.#nextPath(segment);
      const target = join(this.#writer.stagingFolder, path);
      await mkdir(dirname(target), { recursive: true });
      await this.#connection.run(
        `COPY (SELECT * FROM ${source} WHERE ${where}) TO ${sqlLiteral(target)}
         (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
      );
      const next = { ...segment, path, ...describeRows(rows), ...(await hashSegment(target)) };
      this.#note(changed, segment, next);
    }
    return changed;
  }

  #note(changed: Map<Segment, Segment | undefined>, segment: Segment, next: Segment | undefined): void {
    changed.set(segment, next);
    this.#changed.set(segment, next);
  }

  /** SQL for the statements that stay. */
  get #isKept(): string {
    return `last_ts >= ${this.#midnight} OR (host, entity) IN (SELECT (host, entity) FROM referenced)`;
  }

  /** Collects the entities of kept events, and what statements about them refer to: parents and users. */
  async #findReferenced(events: readonly Segment[], entities: readonly Segment[]): Promise<void> {
    const paths = (list: readonly Segment[]) =>
      pathList(list.map(({ path }) => join(this.#writer.folder, path)));
    await this.#connection.run('CREATE OR REPLACE TEMP TABLE referenced (host VARCHAR, entity UUID)');
    const touched = 'host IN (SELECT host FROM touched)';
    const roles = ['subject', 'object', 'object2'].map(
      (role) =>
        `SELECT host, ${role} AS entity FROM ${readParquet('$1')} WHERE ${role} IS NOT NULL AND ${touched}`,
    );
    if (events.length > 0) {
      await this.#connection.run(`INSERT INTO referenced ${roles.join(' UNION ')}`, [paths(events)]);
    }
    if (entities.length === 0) return;
    // Parents have parents.
    for (;;) {
      const { rowsChanged } = await this.#connection.run(
        `INSERT INTO referenced
         SELECT host, entity FROM (
           SELECT DISTINCT host, unnest([parent, principal]) AS entity FROM ${readParquet('$1')}
           WHERE ${touched} AND (${this.#isKept})
         ) WHERE entity IS NOT NULL
         EXCEPT SELECT host, entity FROM referenced`,
        [paths(entities)],
      );
      if (rowsChanged === 0) return;
    }
  }

  /** The next free part number of the segment's ingest. */
  #nextPath({ path, ingest }: Segment): string {
    const taken = [...this.#writer.manifest.segments, ...this.#changed.values()];
    const parts = taken.flatMap((segment) =>
      segment?.ingest === ingest ? [Number(/-(\d+)\.parquet$/.exec(segment.path)?.[1] ?? 0)] : [],
    );
    const part = String(parts.reduce((most, number) => Math.max(most, number), 0) + 1).padStart(4, '0');
    return path.replace(/-\d+\.parquet$/, `-${part}.parquet`);
  }
}
