import type { Interactions } from '../../graph/interactions.js';
import type { NodeNames } from '../../graph/node-names.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import type { EventTable } from '../../store/event-table.js';

const PROCESS = ENTITY_TYPES.indexOf('process');
// Parents in a log can form a cycle, and a fork bomb can be very deep.
const MOST_GENERATIONS = 64;

/** Relations with which one process starts another. Between a process and a file they mean something else. */
const STARTS_PROCESS = /FORK|CLONE|EXEC|SPAWN|START_?PROCESS|CREATE_?PROCESS|PROCESS_?CREATE/i;

/** The parent of each process, by node number; -1 if unknown. */
export class ProcessTree {
  readonly parent: Int32Array;
  readonly #types: Uint8Array;

  /** Begins with the parents that the logs state. `add` adds those that interactions show. */
  constructor(names: Pick<NodeNames, 'types' | 'parent'>) {
    this.#types = names.types;
    this.parent = names.parent.slice();
    for (let node = 0; node < this.parent.length; node++) {
      if (this.parent[node] === node) this.parent[node] = -1;
    }
  }

  isProcess(node: number): boolean {
    return this.#types[node] === PROCESS;
  }

  /** Local node i is `nodes[i]`, and rows are those of `table`. The first parent of a process stays. */
  add(nodes: Int32Array, interactions: Interactions, table: EventTable): void {
    const starts = table.relations.map((name) => STARTS_PROCESS.test(name));
    for (let i = 0; i < interactions.length; i++) {
      // The relation of the table, because the model does not know the names of new relations.
      if (!starts[table.relation[interactions.first[i]]]) continue;
      const parent = nodes[interactions.subject[i]];
      const child = nodes[interactions.object[i]];
      if (parent === child || this.parent[child] >= 0) continue;
      if (!this.isProcess(parent) || !this.isProcess(child)) continue;
      // If each started the other, the first one stays the parent.
      if (this.parent[parent] !== child) this.parent[child] = parent;
    }
  }

  /** The ancestors of a process, nearest first. */
  *ancestors(node: number): Generator<number> {
    let at = this.parent[node];
    for (let step = 0; at >= 0 && at !== node && step < MOST_GENERATIONS; step++) {
      yield at;
      at = this.parent[at];
    }
  }
}
