import { PairTable } from '../../detect/evidence/pair-table.js';
import type { GraphView } from '../../detect/graph-view.js';
import { endpointTokens } from '../../features/address-tokens.js';
import type { NodeNames } from '../../graph/node-names.js';
import { ENTITY_TYPES } from '../../ingest/event.js';

const COMPONENTS = 4;
/** A Map ends at 2^24 entries; names beyond this many are all one name. */
const MAX_NAMES = 1 << 23;
const FLOW = ENTITY_TYPES.indexOf('flow');
/** Ties go by the count, which must not reach the difference between two shares. */
const TIE = 1e-14;

/**
 * The baseline that anyone should beat (method §10): a node's share of (program name, relation, prefix of the object's
 * name) triples that benign graphs do not have.
 */
export class Rarity {
  readonly #names = new Map<string, number>();
  readonly #ends = new PairTable();
  readonly #triples = new PairTable();
  /** Numbers of programs and prefixes by the number of a text, for each log; they do not change once given. */
  readonly #known = new WeakMap<NodeNames, { programs: Int32Array; prefixes: Int32Array }>();

  /** Takes in benign graphs: those of training and of calibration. */
  fit(views: Iterable<GraphView>): void {
    for (const view of views) {
      this.#walk(view, (ends, relation) => this.#triples.intern(ends, relation));
    }
  }

  /** By local node: the share of the triples it is part of, in either role, that are new; ties by how many they are. */
  scores(view: GraphView): Float64Array {
    const { nodes } = view.planned;
    const [fresh, all] = [new Uint32Array(nodes.length), new Uint32Array(nodes.length)];
    const counted = new PairTable();
    const here = new PairTable();
    this.#walk(view, (ends, relation, subject, object) => {
      const triple = here.intern(ends, relation);
      const isNew = this.#triples.find(ends, relation) < 0 ? 1 : 0;
      for (const node of subject === object ? [subject] : [subject, object]) {
        const before = counted.size;
        if (counted.intern(node, triple) < before) continue; // another object of that name
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
    take: (ends: number, relation: number, subject: number, object: number) => void,
  ): void {
    const { nodes } = planned;
    for (let i = 0; i < interactions.length; i++) {
      const [subject, object] = [interactions.subject[i], interactions.object[i]];
      const program = this.#numberOf(names, nodes[subject], 'programs');
      const prefix = this.#numberOf(names, nodes[object], 'prefixes');
      take(this.#ends.intern(program, prefix), interactions.relation[i], subject, object);
    }
  }

  #numberOf(names: NodeNames, node: number, what: 'programs' | 'prefixes'): number {
    const text = names.name[node];
    const type = names.types[node];
    let known = this.#known.get(names);
    if (known === undefined) {
      const size = names.texts.length * ENTITY_TYPES.length;
      known = { programs: new Int32Array(size), prefixes: new Int32Array(size) };
      this.#known.set(names, known);
    }
    if (text < 0) return this.#intern(`${type}`);
    const at = text * ENTITY_TYPES.length + type;
    if (known[what][at] === 0) {
      const name = what === 'programs' ? names.texts[text] : prefixOf(type, names.texts[text]);
      known[what][at] = this.#intern(`${type} ${name}`) + 1;
    }
    return known[what][at] - 1;
  }

  #intern(text: string): number {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_NAMES && text !== '') return this.#intern('');
    this.#names.set(text, this.#names.size);
    return this.#names.size - 1;
  }
}

/** The first four components of a name with digits folded; an address has four, and is nothing without its digits. */
export function prefixOf(type: number, name: string): string {
  if (type === FLOW) {
    const tokens = endpointTokens(name)?.tokens ?? [];
    if (tokens.length >= COMPONENTS) return tokens[COMPONENTS - 1];
  }
  const parts = name.split(/[/\\]+/, COMPONENTS + 1).filter(Boolean);
  return parts
    .slice(0, COMPONENTS)
    .join('/')
    .replace(/[0-9]+/g, '#');
}
