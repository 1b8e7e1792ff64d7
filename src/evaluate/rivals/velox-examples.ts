import { finishMix, mixWord } from '../../base/integer-mix.js';
import { PairTable } from '../../detect/evidence/pair-table.js';
import type { GraphView } from '../../detect/graph-view.js';
import type { SparseMatrix } from '../../features/sparse.js';

/**
 * Interactions to train on: distinct feature rows, distinct (row, row) pairs, and how often each pair had each relation.
 * Equal names give equal rows, so distinct pairs are few.
 */
export class VeloxExamples {
  readonly relationCount: number;
  /** Number of leading columns of x_v that count. */
  readonly width: number;
  /** Number of interactions, with repetitions. */
  total = 0;
  readonly #hashes = new PairTable();
  readonly #offsets: number[] = [0];
  readonly #indices: number[] = [];
  readonly #values: number[] = [];
  /** Numbers of (row, row) pairs, and of (pair, relation) pairs. */
  readonly #ends = new PairTable();
  readonly #acts = new PairTable();
  readonly #counts: number[] = [];

  constructor(relationCount: number, width: number) {
    this.relationCount = relationCount;
    this.width = width;
  }

  /** Adds the interactions of graphs, except those with an unknown relation. */
  add(views: Iterable<GraphView>): this {
    for (const { planned, interactions } of views) {
      const { features } = planned.graph;
      const rowOf = Int32Array.from({ length: features.rows }, (_, node) => this.#rowOf(features, node));
      for (let i = 0; i < interactions.length; i++) {
        if (interactions.relation[i] >= this.relationCount) continue;
        const ends = this.#ends.intern(rowOf[interactions.subject[i]], rowOf[interactions.object[i]]);
        const act = this.#acts.intern(ends, interactions.relation[i]);
        this.#counts[act] = (this.#counts[act] ?? 0) + 1;
        this.total++;
      }
    }
    return this;
  }

  /** The distinct feature rows. */
  get rows(): SparseMatrix {
    return {
      rows: this.#hashes.size,
      cols: this.width,
      offsets: Uint32Array.from(this.#offsets),
      indices: Uint32Array.from(this.#indices),
      values: Float32Array.from(this.#values),
    };
  }

  /** The pairs by number, each with the share of all interactions that it has under each of its relations. */
  get pairs(): ExamplePairs {
    const [pairs, relations] = [this.#acts.firsts, this.#acts.seconds];
    const offsets = new Uint32Array(this.#ends.size + 1);
    for (let act = 0; act < this.#acts.size; act++) offsets[pairs[act] + 1]++;
    for (let pair = 0; pair < this.#ends.size; pair++) offsets[pair + 1] += offsets[pair];
    const next = offsets.slice();
    const relation = new Uint16Array(this.#acts.size);
    const share = new Float64Array(this.#acts.size);
    for (let act = 0; act < this.#acts.size; act++) {
      const at = next[pairs[act]]++;
      relation[at] = relations[act];
      share[at] = this.#counts[act] / this.total;
    }
    const { size } = this.#ends;
    const [subject, object] = [this.#ends.firsts.slice(0, size), this.#ends.seconds.slice(0, size)];
    return { length: size, subject, object, offsets, relation, share };
  }

  #rowOf(features: SparseMatrix, node: number): number {
    const { width } = this;
    const before = this.#hashes.size;
    const row = this.#hashes.intern(hashRow(features, node, width, 1), hashRow(features, node, width, 2));
    if (row < before) return row;
    for (let i = features.offsets[node]; i < features.offsets[node + 1]; i++) {
      if (features.indices[i] >= width) break;
      this.#indices.push(features.indices[i]);
      this.#values.push(features.values[i]);
    }
    this.#offsets.push(this.#indices.length);
    return row;
  }
}

export interface ExamplePairs {
  readonly length: number;
  /** Feature rows of both ends. */
  readonly subject: ArrayLike<number>;
  readonly object: ArrayLike<number>;
  /** By pair: the first of its relations; one more at the end. */
  readonly offsets: Uint32Array;
  readonly relation: Uint16Array;
  readonly share: Float64Array;
}

const BITS = new DataView(new ArrayBuffer(4));

/** Hashes the first columns of a row and their values. Two hashes with different seeds identify a row. */
function hashRow(
  { offsets, indices, values }: SparseMatrix,
  row: number,
  width: number,
  seed: number,
): number {
  let hash = seed;
  for (let i = offsets[row]; i < offsets[row + 1] && indices[i] < width; i++) {
    BITS.setFloat32(0, values[i]);
    hash = mixWord(mixWord(hash, indices[i]), BITS.getInt32(0));
  }
  return finishMix(hash);
}
