import { enlarge } from '../base/enlarge.js';
import { ENTITY_TYPES } from '../ingest/event.js';
import type { NodeText } from './node-text.js';
import { TransitionProfile } from './profile.js';
import type { SparseMatrix } from './sparse.js';
import type { Vocabulary } from './vocabulary.js';

/** The name of all relations that are not in training (method §1). Its number follows those of the others. */
export const NEW_RELATION = '<new>';

/** How the three blocks of x_v are scaled: not at all, or each to length one (method §2). */
export const BLOCK_SCALES = ['raw', 'unit'] as const;
export type BlockScale = (typeof BLOCK_SCALES)[number];

/** What training fixes about features. A model file contains it, so features are reproducible. */
export interface FeatureSpaceParts {
  /** R, the relations in training. `<new>` follows them and stands for all other relations (method §1). */
  readonly relations: readonly string[];
  readonly vocabulary: Vocabulary;
  /** One row per token. */
  readonly vectors: Float32Array;
  /** d */
  readonly dimension: number;
  /** L */
  readonly history: number;
  /** λ, per second. */
  readonly decay: number;
  readonly input: BlockScale;
  readonly target: BlockScale;
}

/** x_v as input of the encoder and as target of the loss: the same matrix unless their scales differ. */
export interface NodeFeatures {
  readonly input: SparseMatrix;
  readonly target: SparseMatrix;
}

/** x_v = t_v ⊕ s_v ⊕ p_v, sparse (method §2). */
export class FeatureSpace {
  readonly parts: FeatureSpaceParts;
  /** First column of s_v; t_v starts at column 0. */
  readonly textColumn: number = ENTITY_TYPES.length;
  /** First column of p_v. */
  readonly profileColumn: number;
  /** D */
  readonly width: number;
  readonly #numbers: ReadonlyMap<string, number>;

  constructor(parts: FeatureSpaceParts) {
    if (parts.vectors.length !== parts.vocabulary.size * parts.dimension) {
      throw new RangeError(
        `expected ${parts.vocabulary.size} vectors of ${parts.dimension} numbers, got ${parts.vectors.length} numbers`,
      );
    }
    this.parts = parts;
    this.profileColumn = this.textColumn + parts.dimension;
    this.width = this.profileColumn + (parts.relations.length + 1) ** 2;
    this.#numbers = new Map(parts.relations.map((relation, number) => [relation, number]));
  }

  /** The number of a relation in the model; |R|, the number of `<new>`, for a relation that is not in training. */
  relationNumber(relation: string): number {
    return this.#numbers.get(relation) ?? this.parts.relations.length;
  }

  /** The model's numbers for the relations of an event table. */
  relationNumbers(relations: readonly string[]): Uint16Array {
    return Uint16Array.from(relations, (relation) => this.relationNumber(relation));
  }

  /** An empty profile, for the start of a split. */
  newProfile(): TransitionProfile {
    const { history, decay, relations } = this.parts;
    return new TransitionProfile({ history, decay, relationCount: relations.length + 1 });
  }

  /** The features of these nodes at the end of a window, one row per node in the given order. */
  assemble(nodes: Int32Array, text: NodeText, profile: TransitionProfile): NodeFeatures {
    const { input, target } = this.parts;
    const rows = new RowWriter(this, nodes.length, input === target ? [input] : [input, target]);
    for (const node of nodes) rows.add(node, text, profile);
    const [first, second] = rows.finish(this.width);
    return { input: first, target: second ?? first };
  }
}

/** Writes the rows of sparse matrices that share their indices and differ in their values. */
class RowWriter {
  readonly #space: FeatureSpace;
  readonly #scales: readonly BlockScale[];
  readonly #offsets: Uint32Array;
  readonly #mean: Float64Array;
  #indices: Uint32Array;
  #values: Float32Array[];
  #rows = 0;
  #used = 0;

  constructor(space: FeatureSpace, rows: number, scales: readonly BlockScale[]) {
    this.#space = space;
    this.#scales = scales;
    this.#offsets = new Uint32Array(rows + 1);
    this.#mean = new Float64Array(space.parts.dimension);
    // Most rows have few transitions; the arrays grow if a row has more.
    const guess = rows * (1 + space.parts.dimension + 4) + 64;
    this.#indices = new Uint32Array(guess);
    this.#values = scales.map(() => new Float32Array(guess));
  }

  add(node: number, text: NodeText, profile: TransitionProfile): void {
    this.#reserve(1 + this.#mean.length + this.#space.parts.history);
    this.#push(text.typeOf(node), 1);
    const norm = this.#computeMean(node, text);
    if (norm > 0) this.#pushBlock(this.#space.textColumn, undefined, this.#mean, norm);
    const { columns, values } = profile.read(node);
    if (columns.length > 0) this.#pushBlock(this.#space.profileColumn, columns, values, normOf(values));
    this.#offsets[++this.#rows] = this.#used;
  }

  finish(cols: number): SparseMatrix[] {
    const indices = this.#indices.slice(0, this.#used);
    return this.#values.map((values) => ({
      rows: this.#rows,
      cols,
      offsets: this.#offsets,
      indices,
      values: values.slice(0, this.#used),
    }));
  }

  /** Computes s_v, the mean vector of the node's tokens. Returns its L2 norm, or 0 without tokens. */
  #computeMean(node: number, text: NodeText): number {
    const { vectors, dimension } = this.#space.parts;
    const mean = this.#mean.fill(0);
    const tokens = text.tokensOf(node);
    if (tokens.length === 0) return 0;
    for (const token of tokens) {
      const row = token * dimension;
      for (let k = 0; k < dimension; k++) mean[k] += vectors[row + k];
    }
    for (let k = 0; k < dimension; k++) mean[k] /= tokens.length;
    return normOf(mean);
  }

  #pushBlock(first: number, columns: Uint32Array | undefined, values: Float64Array, norm: number): void {
    for (let k = 0; k < values.length; k++) {
      this.#indices[this.#used] = first + (columns === undefined ? k : columns[k]);
      for (let s = 0; s < this.#scales.length; s++) {
        this.#values[s][this.#used] = this.#scales[s] === 'unit' ? values[k] / norm : values[k];
      }
      this.#used++;
    }
  }

  #push(column: number, value: number): void {
    this.#indices[this.#used] = column;
    for (const values of this.#values) values[this.#used] = value;
    this.#used++;
  }

  #reserve(more: number): void {
    if (this.#used + more <= this.#indices.length) return;
    const length = Math.ceil(this.#indices.length * 1.5) + more;
    this.#indices = enlarge(this.#indices, length);
    this.#values = this.#values.map((values) => enlarge(values, length));
  }
}

/** The L2 norm. */
function normOf(values: Float64Array): number {
  let squares = 0;
  for (let k = 0; k < values.length; k++) squares += values[k] * values[k];
  return Math.sqrt(squares);
}
