import { ENTITY_TYPES } from '../ingest/event.js';
import type { LoadedEvents } from '../store/load.js';
import { readStatements } from '../store/statements.js';
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
    const { table, keys, hosts } = events;
    const numbers = new Map(hosts.map((host, number) => [host, number]));
    const textNumbers = new Map<string, number>();
    const texts: string[] = [];
    const textNumber = (text: string | undefined): number => {
      if (text === undefined) return -1;
      const known = textNumbers.get(text);
      if (known !== undefined) return known;
      textNumbers.set(text, texts.length);
      return texts.push(text) - 1;
    };
    const found: Changes<number[]> = { row: [], node: [], type: [], name: [], rank: [] };
    let row = 0;
    if (table.length > 0) {
      for await (const statement of readStatements(store, { until: table.ts[table.length - 1] })) {
        const { ts, seq, type, nameRank } = statement;
        const host = numbers.get(statement.host);
        const node = host === undefined ? -1 : findKey(keys, host, statement.entity);
        if (node < 0 || (type < 0 && statement.name === undefined)) continue;
        while (row < table.length && (table.ts[row] < ts || (table.ts[row] === ts && table.seq[row] < seq)))
          row++;
        found.row.push(row);
        found.node.push(node);
        found.type.push(type);
        found.name.push(textNumber(statement.name));
        found.rank.push(nameRank);
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
