import type { DuckDBValue } from '@duckdb/node-api';
import type { EntityType } from '../ingest/event.js';
import { columnKeys, keyColumn } from '../store/duckdb.js';
import { mergeEntities } from '../store/entities.js';
import type { KeyTable } from '../store/key-table.js';
import type { LoadedEvents } from '../store/load.js';
import type { Store } from '../store/store.js';

/** SQL for the start in an id of the form `pid:<pid>@<start ns>`. */
const START = "CASE WHEN id LIKE 'pid:%@%' THEN try_cast(split_part(id, '@', 2) AS BIGINT) END";

/** The attributes of a node, from the entity records that the store held at some time. */
export interface NodeAttributes {
  readonly node: number;
  readonly type: EntityType;
  /** The more specific type in the log, such as FILE_OBJECT_UNIX_SOCKET. */
  readonly kind?: string | undefined;
  readonly name: string | undefined;
  readonly cmd: string | undefined;
  readonly local: string | undefined;
  readonly pid: number | undefined;
  /** The login session of a process. */
  readonly session: string | undefined;
  readonly container?: string | undefined;
  /** The service unit of a process. */
  readonly unit?: string | undefined;
  /** The start of a process with an id of the form `pid:<pid>@<start ns>`. */
  readonly start: bigint | undefined;
  /** Node of the parent process, or -1 if it is unknown or has no loaded event. */
  readonly parent: number;
}

/**
 * Reads the attributes of the nodes of loaded events, in batches and in no particular order, as they were known at the last of these
 * events: what the log states later must not reach training. Nodes without a record are left out: they have the type
 * `other` and no name. Entities without loaded events are skipped.
 */
export async function* readNodeAttributes(
  store: Store,
  { keys, hosts, table }: Pick<LoadedEvents, 'keys' | 'hosts' | 'table'>,
): AsyncGenerator<readonly NodeAttributes[]> {
  const numbers = new Map(hosts.map((host, number) => [host, number]));
  const segments = store.segments('entities').filter(({ host }) => numbers.has(host));
  const texts = 'host, type, kind, name, cmd, local, pid, session, container, unit';
  const columns = `entity, ${keyColumn('parent')}, ${START}, ${texts}`;
  const until = table.length === 0 ? undefined : table.ts[table.length - 1];
  for await (const chunk of mergeEntities(store, segments, columns, { until })) {
    const [entities, parents] = [columnKeys(chunk, 0), columnKeys(chunk, 1)];
    const [start, host, type, kind, name, cmd, local, pid, session, container, unit] = Array.from(
      { length: chunk.columnCount - 2 },
      (_, i) => chunk.getColumnValues(i + 2),
    );
    const found: NodeAttributes[] = [];
    for (let row = 0; row < chunk.rowCount; row++) {
      const number = numbers.get(host[row] as string);
      const node = number === undefined ? -1 : findKey(keys, number, entities, row);
      if (node < 0) continue;
      found.push({
        node,
        type: type[row] as EntityType,
        kind: text(kind[row]),
        name: text(name[row]),
        cmd: text(cmd[row]),
        local: text(local[row]),
        pid: pid[row] === null ? undefined : Number(pid[row]),
        session: text(session[row]),
        container: text(container[row]),
        unit: text(unit[row]),
        start: start[row] === null ? undefined : (start[row] as bigint),
        // The zeros of a missing parent are the key of no node.
        parent: findKey(keys, number as number, parents, row),
      });
    }
    yield found;
  }
}

function text(value: DuckDBValue): string | undefined {
  return value === null ? undefined : (value as string);
}

/** The node with the key in a row of `columnKeys`, or -1. */
export function findKey(keys: KeyTable, host: number, words: Uint32Array, row: number): number {
  const at = row * 4;
  return keys.find(host, words[at], words[at + 1], words[at + 2], words[at + 3]);
}
