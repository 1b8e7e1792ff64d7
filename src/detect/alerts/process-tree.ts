import type { Interactions } from '../../graph/interactions.js';
import type { NodeNames } from '../../graph/node-names.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import type { EventTable } from '../../store/event-table.js';

const PROCESS = ENTITY_TYPES.indexOf('process');
// A log may name an ancestor as its own descendant, and a fork bomb may be very deep: climbing has to end.
const MOST_GENERATIONS = 64;

/** Relations with which one process makes another; between a process and a file the same names mean something else. */
const MAKES_PROCESS = /FORK|CLONE|EXEC|SPAWN|START_?PROCESS|CREATE_?PROCESS|PROCESS_?CREATE/i;

/** Who made whom, by node number; -1 where nobody knows. */
export class ProcessTree {
  readonly parent: Int32Array;
  readonly #types: Uint8Array;

  /** What the logs state of parents; `add` completes it by what processes were seen to do. */
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

  /** Interactions by `nodes[local]`; their rows are those of `table`. The first maker of a process stays. */
  add(nodes: Int32Array, interactions: Interactions, table: EventTable): void {
    const makes = table.relations.map((name) => MAKES_PROCESS.test(name));
    for (let i = 0; i < interactions.length; i++) {
      // The table's relation, not the model's: one that training never met has a name all the same.
      if (!makes[table.relation[interactions.first[i]]]) continue;
      const maker = nodes[interactions.subject[i]];
      const made = nodes[interactions.object[i]];
      if (maker === made || this.parent[made] >= 0) continue;
      if (!this.isProcess(maker) || !this.isProcess(made)) continue;
      // Where each is said to have made the other, the first said stays.
      if (this.parent[maker] !== made) this.parent[made] = maker;
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
