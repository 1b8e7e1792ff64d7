import { PairTable } from '../../detect/evidence/pair-table.js';
import type { GraphView } from '../../detect/graph-view.js';
import type { NodeNames } from '../../graph/node-names.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import { namePrefix } from './name-prefix.js';

/** A Map holds at most 2^24 entries. All names beyond this number count as one name. */
const MAX_NAMES = 1 << 23;
/** Breaks ties between equal shares by count. Small enough never to reach the difference between two shares. */
const TIE = 1e-14;

/** The triples (program name, relation, prefix of the object's name) of benign graphs. */
export class RarityCounts {
  readonly #names = new Map<string, number>();
  readonly #ends = new PairTable();
  readonly #triples = new PairTable();
  /** Numbers already given to programs and prefixes, by log and text. */
  readonly #numbers = new WeakMap<NodeNames, { programs: Int32Array; prefixes: Int32Array }>();

  /** Adds the triples of benign graphs. */
  fit(views: Iterable<GraphView>): void {
    for (const view of views) {
      this.#walk(view, (ends, relation) => this.#triples.intern(ends, relation));
    }
  }

  /** By local node: the share of its triples, in either role, that are new. More new triples break a tie. */
  scores(view: GraphView): Float64Array {
    const { nodes } = view.planned;
    const fresh = new Uint32Array(nodes.length);
    const all = new Uint32Array(nodes.length);
    const counted = new PairTable();
    const here = new PairTable();
    this.#walk(view, (ends, relation, subject, object) => {
      const triple = here.intern(ends, relation);
      const isNew = this.#triples.find(ends, relation) < 0 ? 1 : 0;
      for (const node of subject === object ? [subject] : [subject, object]) {
        const before = counted.size;
        // Objects of the same name give the same triple, which counts once.
        if (counted.intern(node, triple) < before) continue;
        all[node]++;
        fresh[node] += isNew;
      }
    });
    return Float64Array.from(all, (count, node) =>
      count === 0 ? 0 : fresh[node] / count + TIE * fresh[node],
    );
  }

  #walk(
    { planned, interactions, names }: GraphView,
    visit: (ends: number, relation: number, subject: number, object: number) => void,
  ): void {
    const { nodes } = planned;
    for (let i = 0; i < interactions.length; i++) {
      const [subject, object] = [interactions.subject[i], interactions.object[i]];
      const program = this.#numberOf(names, nodes[subject], 'programs');
      const prefix = this.#numberOf(names, nodes[object], 'prefixes');
      visit(this.#ends.intern(program, prefix), interactions.relation[i], subject, object);
    }
  }

  #numberOf(names: NodeNames, node: number, kind: 'programs' | 'prefixes'): number {
    const text = names.name[node];
    const type = names.types[node];
    let known = this.#numbers.get(names);
    if (known === undefined) {
      const size = names.texts.length * ENTITY_TYPES.length;
      known = { programs: new Int32Array(size), prefixes: new Int32Array(size) };
      this.#numbers.set(names, known);
    }
    if (text < 0) return this.#intern(`${type}`);
    const at = text * ENTITY_TYPES.length + type;
    if (known[kind][at] === 0) {
      const name = kind === 'programs' ? names.texts[text] : namePrefix(type, names.texts[text]);
      known[kind][at] = this.#intern(`${type} ${name}`) + 1;
    }
    return known[kind][at] - 1;
  }

  #intern(text: string): number {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_NAMES && text !== '') return this.#intern('');
    this.#names.set(text, this.#names.size);
    return this.#names.size - 1;
  }
}
