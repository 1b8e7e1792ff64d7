import { type FeatureSpace, NEW_RELATION } from '../../features/feature-space.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import type { GraphView } from '../graph-view.js';

/** A feature of a node, and how many training instances of its type have it. */
export interface Deviation {
  readonly kind: 'transition' | 'token';
  /** `EVENT_READ → EVENT_EXECUTE`, or the token. */
  readonly what: string;
  /** Training instances with this feature, of all instances. */
  readonly seen: number;
  readonly of: number;
}

/**
 * Counts the training instances of each entity type with each transition, so that an alert can list rare features. The
 * vocabulary already counts tokens.
 */
export class FeatureUsage {
  /** Entity types × (|R| + 1)². */
  readonly transitions: Uint32Array;
  /** Instances by entity type. */
  readonly instances: Uint32Array;
  readonly #space: FeatureSpace;

  readonly #entities: number;

  /** `entities` is the number of training entities, which the vocabulary counts. */
  constructor(space: FeatureSpace, entities: number, transitions?: Uint32Array, instances?: Uint32Array) {
    this.#entities = entities;
    const columns = (space.parts.relations.length + 1) ** 2;
    this.#space = space;
    this.transitions = transitions ?? new Uint32Array(ENTITY_TYPES.length * columns);
    this.instances = instances ?? new Uint32Array(ENTITY_TYPES.length);
    if (this.transitions.length !== ENTITY_TYPES.length * columns) throw new RangeError('transitions');
    if (this.instances.length !== ENTITY_TYPES.length) throw new RangeError('instances');
  }

  add({ planned, names }: GraphView): void {
    const columns = this.transitions.length / ENTITY_TYPES.length;
    const { offsets, indices } = planned.graph.features;
    for (let v = 0; v < planned.nodes.length; v++) {
      const type = names.types[planned.nodes[v]];
      this.instances[type]++;
      for (let i = offsets[v]; i < offsets[v + 1]; i++) {
        const column = indices[i] - this.#space.profileColumn;
        if (column >= 0) this.transitions[type * columns + column]++;
      }
    }
  }

  /** The rarest transitions and tokens of a node, rarest first. */
  deviations({ planned, names }: GraphView, node: number, tokens: Uint32Array, most: number): Deviation[] {
    const { relations, vocabulary } = this.#space.parts;
    const side = relations.length + 1;
    const columns = side ** 2;
    const type = names.types[planned.nodes[node]];
    const name = (r: number) => relations[r] ?? NEW_RELATION;
    const { offsets, indices } = planned.graph.features;
    const found: Deviation[] = [];
    for (let i = offsets[node]; i < offsets[node + 1]; i++) {
      const column = indices[i] - this.#space.profileColumn;
      if (column < 0) continue;
      found.push({
        kind: 'transition',
        what: `${name(Math.floor(column / side))} → ${name(column % side)}`,
        seen: this.transitions[type * columns + column],
        of: this.instances[type],
      });
    }
    for (const token of new Set(tokens)) {
      // Token 0 stands for all unknown words, which training never saw.
      const seen = token === 0 ? 0 : vocabulary.counts[token];
      found.push({ kind: 'token', what: vocabulary.tokens[token], seen, of: this.#entities });
    }
    const share = ({ seen, of }: Deviation) => seen / Math.max(1, of);
    return found.sort((a, b) => share(a) - share(b) || (a.what < b.what ? -1 : 1)).slice(0, most);
  }
}
