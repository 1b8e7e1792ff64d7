import { enlarge } from '../../base/enlarge.js';
import { RecalError } from '../../base/errors.js';
import type { NodeNames } from '../../graph/node-names.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import { MAX_LEVELS, splitName } from './name-levels.js';
import { PairTable } from './pair-table.js';

/** A JavaScript Map holds at most 2^24 entries. Texts beyond this limit are treated as unseen. */
const MAX_TEXTS = 1 << 23;

/** The table as plain arrays, for a model file. */
export interface LevelTableArrays {
  readonly texts: readonly string[];
  /** By level: its parent, which has a lower number, or -1 for a type. */
  readonly parents: Int32Array;
  /** By level: the number of its text. */
  readonly labels: Int32Array;
}

/** The levels of all names in training, as a tree. Parents have lower numbers than their children. */
export class LevelTable {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #levels = new PairTable();
  readonly #limit: number;

  constructor(limit = MAX_TEXTS) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#levels.size;
  }

  /** The parent of each level, or -1. Valid until the next change. */
  get parents(): Int32Array {
    return this.#levels.firsts;
  }

  /** The level of this text below a parent, or -1. */
  find(parent: number, text: string): number {
    const label = this.#numbers.get(text);
    return label === undefined ? -1 : this.#levels.find(parent, label);
  }

  /** Like `find`, but adds the level if it is new; -1 if the table is full. */
  intern(parent: number, text: string): number {
    let label = this.#numbers.get(text);
    if (label === undefined) {
      if (this.#texts.length >= this.#limit) return -1;
      label = this.#texts.push(text) - 1;
      this.#numbers.set(text, label);
    }
    return this.#levels.intern(parent, label);
  }

  toArrays(): LevelTableArrays {
    return {
      texts: [...this.#texts],
      parents: this.#levels.firsts.slice(),
      labels: this.#levels.seconds.slice(),
    };
  }

  /** Throws if the arrays are damaged, because they may come from any file. */
  static fromArrays({ texts, parents, labels }: LevelTableArrays): LevelTable {
    const table = new LevelTable();
    const check = (holds: boolean) => {
      if (!holds) throw new RecalError('model-damaged', 'the names that the model knows are damaged');
    };
    check(texts.length <= MAX_TEXTS && parents.length === labels.length);
    for (const text of texts) table.#numbers.set(text, table.#texts.push(text) - 1);
    check(table.#numbers.size === texts.length);
    const depth = new Uint8Array(parents.length);
    for (let level = 0; level < parents.length; level++) {
      const [parent, label] = [parents[level], labels[level]];
      check(parent >= -1 && parent < level && label >= 0 && label < texts.length);
      depth[level] = parent < 0 ? 1 : depth[parent] + 1;
      check(depth[level] <= MAX_LEVELS && table.#levels.intern(parent, label) === level);
    }
    return table;
  }
}

/** The levels of nodes. Each name is split once, however many nodes have it. */
export class NodeLevels {
  readonly #names: NodeNames;
  readonly #step: (parent: number, text: string) => number;
  /** By name and type: the entry plus one, or 0 before its first use. The last row is for nodes without a name. */
  readonly #entries: Int32Array;
  #levels = new Int32Array(256 * MAX_LEVELS);
  #known = new Uint8Array(256);
  #depth = new Uint8Array(256);
  #size = 0;

  /** `step` finds the level of a text below a parent: a table's `find` or `intern`. */
  constructor(names: NodeNames, step: (parent: number, text: string) => number) {
    this.#names = names;
    this.#step = step;
    this.#entries = new Int32Array((names.texts.length + 1) * ENTITY_TYPES.length);
  }

  /** The entry of a node, which the other methods take. */
  entryOf(node: number): number {
    const { name, types, texts } = this.#names;
    const text = name[node] < 0 ? texts.length : name[node];
    const at = text * ENTITY_TYPES.length + types[node];
    if (this.#entries[at] === 0) this.#entries[at] = this.#add(types[node], texts[text]) + 1;
    return this.#entries[at] - 1;
  }

  /** The number of levels of the name. */
  depthOf(entry: number): number {
    return this.#depth[entry];
  }

  /** The number of levels that the table knows, from the coarsest on. */
  knownOf(entry: number): number {
    return this.#known[entry];
  }

  /** Level i, which must be known. */
  levelAt(entry: number, i: number): number {
    return this.#levels[entry * MAX_LEVELS + i];
  }

  /** The finest level, which identifies a program; -1 if the table does not know it. */
  finest(entry: number): number {
    const depth = this.#depth[entry];
    return this.#known[entry] < depth ? -1 : this.#levels[entry * MAX_LEVELS + depth - 1];
  }

  #add(type: number, name: string | undefined): number {
    const texts = splitName(ENTITY_TYPES[type], name);
    const entry = this.#size++;
    if (entry === this.#depth.length) this.#grow();
    this.#depth[entry] = texts.length;
    let [known, parent] = [0, -1];
    for (const { text } of texts) {
      parent = this.#step(parent, text);
      if (parent < 0) break;
      this.#levels[entry * MAX_LEVELS + known++] = parent;
    }
    this.#known[entry] = known;
    return entry;
  }

  #grow(): void {
    this.#levels = enlarge(this.#levels);
    this.#known = enlarge(this.#known);
    this.#depth = enlarge(this.#depth);
  }
}

/** Caches the levels of each log until the table changes, because many graphs share the names of a log. */
export class LevelCache {
  readonly #table: LevelTable;
  #kept = new WeakMap<NodeNames, NodeLevels>();
  #size = -1;

  constructor(table: LevelTable) {
    this.#table = table;
  }

  of(names: NodeNames): NodeLevels {
    if (this.#size !== this.#table.size) {
      this.#kept = new WeakMap();
      this.#size = this.#table.size;
    }
    let levels = this.#kept.get(names);
    if (levels === undefined) {
      levels = new NodeLevels(names, (parent, text) => this.#table.find(parent, text));
      this.#kept.set(names, levels);
    }
    return levels;
  }
}

/** Yields each view with the levels of its names, which are added to the table. */
export function* internLevels<V extends { readonly names: NodeNames }>(
  table: LevelTable,
  views: Iterable<V>,
): Generator<readonly [V, NodeLevels]> {
  let names: NodeNames | undefined;
  let levels: NodeLevels | undefined;
  for (const view of views) {
    if (levels === undefined || names !== view.names) {
      names = view.names;
      levels = new NodeLevels(names, (parent, text) => table.intern(parent, text));
    }
    yield [view, levels];
  }
}
