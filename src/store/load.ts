import { type DuckDBConnection, type DuckDBDataChunk, listValue } from '@duckdb/node-api';
import { ACTIONS, actionOfRelation } from '../ingest/actions.js';
import { formatKey } from '../ingest/entity-key.js';
import {
  columnBytes,
  columnKeys,
  explainStoreError,
  keyColumn,
  openDuckDB,
  pathList,
  readSegments,
  streamChunks,
} from './duckdb.js';
import type { EventTable } from './event-table.js';
import { KeyTable } from './key-table.js';
import type { SegmentPart } from './segments/segment-parts.js';
import type { Selection, Store } from './store.js';

/** Events of a store in memory, and the keys of their nodes. */
export interface LoadedEvents {
  readonly table: EventTable;
  /** `common` if the relations of `table` are those of the common vocabulary. Default: the log's own. */
  readonly vocabulary?: 'common' | 'source';
  /** The entity key of each node number. */
  readonly keys: KeyTable;
  /** Hosts by the host numbers in `keys`. */
  readonly hosts: readonly string[];
  /** File number of each event, as in the store's manifest. */
  readonly files: Int32Array;
  /** The key of a node as a UUID, which is the log's own identifier if that is a UUID. */
  uuid(node: number): string;
}

/** Loads the selected events, sorted by (time, sequence), and numbers their entities. */
export async function loadEvents(store: Store, selection: Selection = {}): Promise<LoadedEvents> {
  const segments = store.segments('events', selection);
  const database = await openDuckDB({ memoryMiB: 1024 });
  try {
    const connection = await database.connect();
    return await new EventLoader(store, selection, segments, connection).load();
  } catch (error) {
    throw explainStoreError(error, store.folder);
  } finally {
    database.closeSync();
  }
}

/**
 * The order of files by number. Ties in (time, sequence) are ordered by file and line; files by hash, so the order of
 * ingests does not matter.
 */
export function fileRanks({ manifest }: Store): number[] {
  const files = manifest.ingests.flatMap((ingest) => ingest.files);
  const order = [...files].sort((a, b) => (a.sha256 < b.sha256 ? -1 : Number(a.sha256 > b.sha256)));
  const ranks: number[] = new Array(manifest.nextFile).fill(0);
  // Files with one hash are parts of one live log: their lines decide.
  let rank = -1;
  order.forEach((file, at) => {
    if (at === 0 || file.sha256 !== order[at - 1].sha256) rank++;
    ranks[file.number] = rank;
  });
  return ranks;
}

class EventLoader {
  readonly #store: Store;
  readonly #selection: Selection;
  readonly #segments: readonly SegmentPart[];
  readonly #connection: DuckDBConnection;
  readonly #keys = new KeyTable();

  constructor(
    store: Store,
    selection: Selection,
    segments: readonly SegmentPart[],
    connection: DuckDBConnection,
  ) {
    this.#store = store;
    this.#selection = selection;
    this.#segments = segments;
    this.#connection = connection;
  }

  async load(): Promise<LoadedEvents> {
    const hosts = [...new Set(this.#segments.map(({ host }) => host))].sort();
    const keys = this.#keys;
    if (this.#segments.length === 0) return loaded(emptyTable(), keys, hosts);
    await this.#createView();
    const relations = await this.#relations();
    if (relations.length === 0) return loaded(emptyTable(), keys, hosts); // no row of these segments is selected
    await this.#numberHosts(hosts);
    const length = await this.#count();
    const files = new Int32Array(length);
    const table = await this.#read(length, relations, files);
    return loaded({ ...table, nodeCount: keys.size }, keys, hosts, files);
  }

  /** Defines `chosen_events()`, the selected rows. Values are parameters, never part of the SQL. */
  async #createView(): Promise<void> {
    const { paths, hosts } = await this.#store.openSegments(this.#segments);
    const { from, to } = this.#selection;
    await this.#connection.run(
      `CREATE TEMP TABLE chosen AS SELECT $paths::VARCHAR[] AS paths, $hosts::VARCHAR[] AS hosts, $ranks::INTEGER[] AS ranks,
         $from::BIGINT AS first, $to::BIGINT AS last`,
      {
        paths: pathList(paths),
        hosts: hosts === undefined ? null : listValue([...hosts]),
        ranks: listValue(fileRanks(this.#store)),
        from: from ?? -(2n ** 63n),
        to: to ?? null,
      },
    );
    await this.#connection.run('SET VARIABLE paths = (SELECT paths FROM chosen)');
    await this.#connection.run('SET VARIABLE hosts = (SELECT hosts FROM chosen)');
    await this.#connection.run('SET VARIABLE ranks = (SELECT ranks FROM chosen)');
    await this.#connection.run('SET VARIABLE first = (SELECT first FROM chosen)');
    await this.#connection.run('SET VARIABLE last = (SELECT last FROM chosen)');
    const source = readSegments(
      'events',
      "getvariable('paths')",
      hosts === undefined ? undefined : "getvariable('hosts')",
    );
    await this.#connection.run(`CREATE TEMP MACRO chosen_events() AS TABLE
      SELECT * FROM ${source}
      WHERE ts >= getvariable('first') AND (getvariable('last') IS NULL OR ts < getvariable('last'))`);
  }

  async #relations(): Promise<string[]> {
    const result = await this.#connection.runAndReadAll(
      'SELECT DISTINCT relation FROM chosen_events() ORDER BY relation',
    );
    return result.getRows().map(([relation]) => relation as string);
  }

  /** Defines the type `chosen_hosts`: a cast to it finds the number of a host among thousands at once. */
  async #numberHosts(hosts: readonly string[]): Promise<void> {
    await this.#connection.run(
      'CREATE TEMP TABLE named AS SELECT unnest($1::VARCHAR[]) AS host, generate_subscripts($1::VARCHAR[], 1) AS number',
      [listValue([...hosts])],
    );
    await this.#connection.run('CREATE TYPE chosen_hosts AS ENUM (SELECT host FROM named ORDER BY number)');
  }

  async #count(): Promise<number> {
    const result = await this.#connection.runAndReadAll('SELECT count(*) FROM chosen_events()');
    return Number(result.getRows()[0][0]);
  }

  async #read(length: number, relations: readonly string[], files: Int32Array): Promise<EventTable> {
    const table = {
      length,
      ts: new BigInt64Array(length),
      seq: new BigInt64Array(length),
      subject: new Int32Array(length),
      object: new Int32Array(length),
      object2: new Int32Array(length),
      relation: new Uint16Array(length),
      flow: new Uint8Array(length),
      action: new Uint8Array(length),
      stated: new Uint8Array(length),
      relations,
      nodeCount: 0,
    };
    const chunks = streamChunks(
      this.#connection,
      `SELECT ts, seq, ${['subject', 'object', 'object2'].map(keyColumn).join(', ')},
         (list_position($relations, relation) - 1)::USMALLINT,
         (CASE flow WHEN 'in' THEN 1 WHEN 'out' THEN 2 ELSE 0 END)::UTINYINT,
         enum_code(host::chosen_hosts)::USMALLINT, file, coalesce(list_position($actions, action), 0)::UTINYINT
       FROM chosen_events()
       ORDER BY ts, seq, getvariable('ranks')[file + 1], line`,
      {
        relations: listValue([...relations]),
        actions: listValue([...ACTIONS]),
      },
    );
    const defaults = Uint8Array.from(relations, (relation) => ACTIONS.indexOf(actionOfRelation(relation)));
    let row = 0;
    for await (const chunk of chunks) {
      this.#copyRows(chunk, table, row);
      files.set(new Int32Array(columnBytes(chunk, 8, chunk.rowCount * 4)), row);
      const given = new Uint8Array(columnBytes(chunk, 9, chunk.rowCount));
      for (let i = 0; i < given.length; i++) {
        table.action[row + i] = given[i] > 0 ? given[i] - 1 : defaults[table.relation[row + i]];
        table.stated[row + i] = given[i] > 0 ? 1 : 0;
      }
      row += chunk.rowCount;
    }
    return table;
  }

  #copyRows(chunk: DuckDBDataChunk, table: EventTable, row: number): void {
    const rows = chunk.rowCount;
    table.ts.set(new BigInt64Array(columnBytes(chunk, 0, rows * 8)), row);
    table.seq.set(new BigInt64Array(columnBytes(chunk, 1, rows * 8)), row);
    table.relation.set(new Uint16Array(columnBytes(chunk, 5, rows * 2)), row);
    table.flow.set(new Uint8Array(columnBytes(chunk, 6, rows)), row);
    const hosts = new Uint16Array(columnBytes(chunk, 7, rows * 2));
    this.#intern(chunk, 2, hosts, table.subject, row);
    this.#intern(chunk, 3, hosts, table.object, row);
    this.#intern(chunk, 4, hosts, table.object2, row);
  }

  #intern(chunk: DuckDBDataChunk, column: number, hosts: Uint16Array, out: Int32Array, row: number): void {
    const words = columnKeys(chunk, column);
    for (let i = 0; i < hosts.length; i++) {
      const at = i * 4;
      const absent = (words[at] | words[at + 1] | words[at + 2] | words[at + 3]) === 0;
      out[row + i] = absent
        ? -1
        : this.#keys.intern(hosts[i], words[at], words[at + 1], words[at + 2], words[at + 3]);
    }
  }
}

function loaded(
  table: EventTable,
  keys: KeyTable,
  hosts: readonly string[],
  files: Int32Array = new Int32Array(0),
): LoadedEvents {
  const words = new Uint32Array(4);
  return {
    table,
    keys,
    hosts,
    files,
    uuid(node) {
      keys.keyAt(node, words);
      return formatKey(words[0], words[1], words[2], words[3]);
    },
  };
}

function emptyTable(): EventTable {
  return {
    length: 0,
    ts: new BigInt64Array(0),
    seq: new BigInt64Array(0),
    subject: new Int32Array(0),
    object: new Int32Array(0),
    object2: new Int32Array(0),
    relation: new Uint16Array(0),
    flow: new Uint8Array(0),
    action: new Uint8Array(0),
    stated: new Uint8Array(0),
    relations: [],
    nodeCount: 0,
  };
}
