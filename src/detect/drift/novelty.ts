import type { NodeNames } from '../../graph/node-names.js';
import { ENTITY_TYPES, type EntityType } from '../../ingest/event.js';
import type { EventTable } from '../../store/event-table.js';
import { type LevelTable, NodeLevels } from '../evidence/level-table.js';
import type { GraphView } from '../graph-view.js';

const MOST_EXAMPLES = 5;

/** What recent graphs contain that training never saw. */
export interface Novelty {
  /** Interactions, each (subject, relation, object) once per graph; and those of a new relation. */
  readonly interactions: number;
  readonly newRelation: number;
  /** New relations by number of interactions; `more` are left out. */
  readonly relations: readonly { readonly name: string; readonly interactions: number }[];
  readonly more: number;
  /** By type: distinct nodes with a name, and those whose name (digits folded) is new. */
  readonly names: readonly {
    readonly type: EntityType;
    readonly nodes: number;
    readonly unknown: number;
    readonly examples: readonly string[];
  }[];
}

export class NoveltyCollector {
  readonly #names: NodeNames;
  readonly #levels: NodeLevels;
  readonly #table: Pick<EventTable, 'relation' | 'relations'>;
  readonly #relationCount: number;
  readonly #seen: Uint8Array;
  readonly #byRelation = new Map<number, number>();
  #interactions = 0;
  #new = 0;

  /** `relationCount` is |R|, which is also the number of the relation `<new>`. */
  constructor(
    names: NodeNames,
    levels: LevelTable,
    table: Pick<EventTable, 'relation' | 'relations'>,
    relationCount: number,
  ) {
    this.#names = names;
    this.#levels = new NodeLevels(names, (parent, text) => levels.find(parent, text));
    this.#table = table;
    this.#relationCount = relationCount;
    this.#seen = new Uint8Array(names.types.length);
  }

  /** `isKept` takes a local node. */
  add({ planned, interactions }: GraphView, isKept: (node: number) => boolean): void {
    planned.nodes.forEach((node, local) => {
      if (isKept(local)) this.#seen[node] = 1;
    });
    for (let i = 0; i < interactions.length; i++) {
      if (!isKept(interactions.subject[i]) || !isKept(interactions.object[i])) continue;
      this.#interactions++;
      if (interactions.relation[i] < this.#relationCount) continue;
      this.#new++;
      const relation = this.#table.relation[interactions.first[i]];
      this.#byRelation.set(relation, (this.#byRelation.get(relation) ?? 0) + 1);
    }
  }

  finish(): Novelty {
    const found = ENTITY_TYPES.map((type) => ({ type, nodes: 0, unknown: 0, examples: new Set<string>() }));
    const { name, types, texts } = this.#names;
    for (let node = 0; node < this.#seen.length; node++) {
      if (this.#seen[node] === 0 || name[node] < 0) continue;
      const of = found[types[node]];
      of.nodes++;
      if (this.#levels.finest(this.#levels.entryOf(node)) >= 0) continue;
      of.unknown++;
      if (of.examples.size < MOST_EXAMPLES) of.examples.add(texts[name[node]]);
    }
    const relations = [...this.#byRelation]
      .map(([relation, interactions]) => ({ name: this.#table.relations[relation], interactions }))
      .sort((a, b) => b.interactions - a.interactions || (a.name < b.name ? -1 : 1));
    return {
      interactions: this.#interactions,
      newRelation: this.#new,
      relations: relations.slice(0, MOST_EXAMPLES),
      more: Math.max(0, relations.length - MOST_EXAMPLES),
      names: found
        .filter(({ nodes }) => nodes > 0)
        .map(({ examples, ...rest }) => ({ ...rest, examples: [...examples] })),
    };
  }
}
