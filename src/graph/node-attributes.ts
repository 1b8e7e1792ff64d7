import type { DuckDBValue } from '@duckdb/node-api';
import type { EntityType } from '../ingest/event.js';
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
 * Reads the attributes of the nodes of loaded events, in no particular order, as they were known at the last of these
 * events: what the log states later must not reach training. Nodes without a record are left out: they have the type
 * `other` and no name. Entities without loaded events are skipped.
 */
export async function* readNodeAttributes(
  store: Store,
  { keys, hosts, table }: Pick<LoadedEvents, 'keys' | 'hosts' | 'table'>,
): AsyncGenerator<NodeAttributes> {
  const numbers = new Map(hosts.map((host, number) => [host, number]));
  const segments = store.segments('entities').filter(({ host }) => numbers.has(host));
  const columns = `host, entity::VARCHAR, type, kind, name, cmd, local, pid, session, container, unit, parent::VARCHAR, ${START}`;
  const until = table.length === 0 ? undefined : table.ts[table.length - 1];
  for await (const chunk of mergeEntities(store, segments, columns, { until })) {
    const [host, entity, type, kind, name, cmd, local, pid, session, container, unit, parent, start] =
      chunk.getColumns();
    for (let row = 0; row < chunk.rowCount; row++) {
      const number = numbers.get(host[row] as string);
      const node = number === undefined ? -1 : findKey(keys, number, entity[row] as string);
      if (node < 0) continue;
      yield {
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
        parent: parent[row] === null ? -1 : findKey(keys, number as number, parent[row] as string),
      };
    }
  }
}

function text(value: DuckDBValue): string | undefined {
  return value === null ? undefined : (value as string);
}

/** The node with the key `uuid`, or -1. */
export function findKey(keys: KeyTable, host: number, uuid: string): number {
  const word = (a: number, b: number, c: number, d: number) =>
    Number.parseInt(uuid.slice(a, b) + uuid.slice(c, d), 16);
  return keys.find(host, word(0, 8, 8, 8), word(9, 13, 14, 18), word(19, 23, 24, 28), word(28, 36, 36, 36));
}
