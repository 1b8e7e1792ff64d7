import { ENTITY_TYPES } from '../ingest/event.js';
import type { LoadedEvents } from '../store/load.js';
import { readNameStatements } from '../store/statements.js';
import type { Store } from '../store/store.js';
import { findKey } from './node-attributes.js';

const OTHER = ENTITY_TYPES.indexOf('other');

/** The types and names of the nodes of loaded events, as they were known at one moment. */
export interface KnownNodes {
  /** Index into `ENTITY_TYPES` by node. */
  readonly types: Uint8Array;
  /** Index into `texts` by node, or -1 if the log has not named the node yet. */
  readonly names: Int32Array;
  readonly texts: readonly string[];
}

/** Statements as columns: from row `row` of the events on, `node` has this type or name; -1 says nothing. */
interface Changes<Column> {
  readonly row: Column;
  readonly node: Column;
  readonly type: Column;
  readonly name: Column;
  readonly rank: Column;
}

/** What the log said about nodes, event by event: a process changes its name when it executes another program. */
export class NodeHistory {
  readonly texts: readonly string[];
  readonly #nodes: number;
  readonly #changes: Changes<Int32Array>;

  private constructor(nodes: number, texts: readonly string[], changes: Changes<Int32Array>) {
    this.#nodes = nodes;
    this.texts = texts;
    this.#changes = changes;
  }

  static async read(store: Store, events: LoadedEvents): Promise<NodeHistory> {
    const { table, keys } = events;
    const numbers = new Map(events.hosts.map((host, number) => [host, number]));
    const textNumbers = new Map<string, number>();
    const texts: string[] = [];
    const textNumber = (text: string | null): number => {
      if (text === null) return -1;
      const known = textNumbers.get(text);
      if (known !== undefined) return known;
      textNumbers.set(text, texts.length);
      return texts.push(text) - 1;
    };
    const found: Changes<number[]> = { row: [], node: [], type: [], name: [], rank: [] };
    let row = 0;
    if (table.length > 0) {
      for await (const statements of readNameStatements(store, { until: table.ts[table.length - 1] })) {
        const { count, hosts, entities, types, names, ranks } = statements;
        for (let i = 0; i < count; i++) {
          const host = numbers.get(hosts[i]);
          const node = host === undefined ? -1 : findKey(keys, host, entities, i);
          if (node < 0 || (types[i] < 0 && names[i] === null)) continue;
          const [ts, seq] = [statements.ts[i], statements.seq[i]];
          while (row < table.length && (table.ts[row] < ts || (table.ts[row] === ts && table.seq[row] < seq)))
            row++;
          found.row.push(row);
          found.node.push(node);
          found.type.push(types[i]);
          found.name.push(textNumber(names[i]));
          found.rank.push(ranks[i]);
        }
      }
    }
    return new NodeHistory(keys.size, texts, {
      row: Int32Array.from(found.row),
      node: Int32Array.from(found.node),
      type: Int32Array.from(found.type),
      name: Int32Array.from(found.name),
      rank: Int32Array.from(found.rank),
    });
  }

  /** Calls `visit` for each row of the events, with the nodes as they were known at that event. Returns the last state. */
  walk(rows: number, visit: (row: number, known: KnownNodes) => void): KnownNodes {
    const types = new Uint8Array(this.#nodes).fill(OTHER);
    const names = new Int32Array(this.#nodes).fill(-1);
    const ranks = new Int8Array(this.#nodes).fill(-1);
    const known: KnownNodes = { types, names, texts: this.texts };
    const changes = this.#changes;
    let next = 0;
    for (let row = 0; row < rows; row++) {
      for (; next < changes.row.length && changes.row[next] <= row; next++) {
        const node = changes.node[next];
        if (changes.type[next] >= 0) types[node] = changes.type[next];
        if (changes.name[next] >= 0 && changes.rank[next] >= ranks[node]) {
          names[node] = changes.name[next];
          ranks[node] = changes.rank[next];
        }
      }
      visit(row, known);
    }
    return known;
  }
}
