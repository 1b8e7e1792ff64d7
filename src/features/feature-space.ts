import { ENTITY_TYPES } from '../ingest/event.js';
import type { NodeText } from './node-text.js';
import { TransitionProfile } from './profile.js';
import type { SparseMatrix } from './sparse.js';
import type { Vocabulary } from './vocabulary.js';

/** The reserved relation of every event type that training did not meet (method §1). */
export const NEW_RELATION = '<new>';

/** How the three blocks of x_v stand beside each other: as they are, or each of length one (method §2). */
export const BLOCK_SCALES = ['raw', 'unit'] as const;
export type BlockScale = (typeof BLOCK_SCALES)[number];

/** Everything that training fixes about features: with it any graph's features come out the same, at any time. */
export interface FeatureSpaceParts {
  /** R, the relations of training. `<new>` follows them. */
  readonly relations: readonly string[];
  readonly vocabulary: Vocabulary;
  /** One vector a token, row by row. */
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

/** x_v as the encoder sees it and as the loss compares with: the same matrix unless their scales differ. */
export interface NodeFeatures {
  readonly input: SparseMatrix;
  readonly target: SparseMatrix;
}

/** x_v = t_v ⊕ s_v ⊕ p_v, sparse (method §2). */
export class FeatureSpace {
  readonly parts: FeatureSpaceParts;
  /** First columns of s_v and p_v; t_v begins at 0. */
  readonly textColumn: number = ENTITY_TYPES.length;
  readonly profileColumn: number;
  /** D */
  readonly width: number;
  readonly #numbers: ReadonlyMap<string, number>;

  constructor(parts: FeatureSpaceParts) {
    if (parts.vectors.length !== parts.vocabulary.size * parts.dimension) {
      throw new RangeError('a vector for every token, and no more');
    }
    this.parts = parts;
    this.profileColumn = this.textColumn + parts.dimension;
    this.width = this.profileColumn + (parts.relations.length + 1) ** 2;
    this.#numbers = new Map(parts.relations.map((relation, number) => [relation, number]));
  }

  /** A relation's number in the model; |R|, that of `<new>`, for one that training did not meet. */
  relationNumber(relation: string): number {
    return this.#numbers.get(relation) ?? this.parts.relations.length;
  }

  /** The numbers of another table's relations. */
  relationNumbers(relations: readonly string[]): Uint16Array {
    return Uint16Array.from(relations, (relation) => this.relationNumber(relation));
  }

  /** Empty ring buffers, for the start of a split. */
  newProfile(): TransitionProfile {
    const { history, decay, relations } = this.parts;
    return new TransitionProfile({ history, decay, relationCount: relations.length + 1 });
  }

  /** The features of these nodes as the profile stands now: at the end of a window. One row a node, in their order. */
  assemble(nodes: Int32Array, text: NodeText, profile: TransitionProfile): NodeFeatures {
    const { input, target } = this.parts;
    const rows = new RowWriter(this, nodes.length, input === target ? [input] : [input, target]);
    for (const node of nodes) rows.add(node, text, profile);
    const [first, second] = rows.finish(this.width);
    return { input: first, target: second ?? first };
  }
}

/** Writes rows of sparse matrices that differ in their values only. */
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
    // Most rows have few transitions; the arrays grow where that is not enough.
    const guess = rows * (1 + space.parts.dimension + 4) + 64;
    this.#indices = new Uint32Array(guess);
    this.#values = scales.map(() => new Float32Array(guess));
  }

  add(node: number, text: NodeText, profile: TransitionProfile): void {
    this.#reserve(1 + this.#mean.length + this.#space.parts.history);
    this.#push(text.typeOf(node), 1);
    const norm = this.#meanOf(node, text);
    if (norm > 0) this.#pushBlock(this.#space.textColumn, undefined, this.#mean, norm);
    const { columns, values } = profile.read(node);
    if (columns.length > 0) this.#pushBlock(this.#space.profileColumn, columns, values, lengthOf(values));
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

  /** s_v: the mean of the vectors of the node's tokens. Gives its length, 0 where there is no token. */
  #meanOf(node: number, text: NodeText): number {
    const { vectors, dimension } = this.#space.parts;
    const mean = this.#mean.fill(0);
    const tokens = text.tokensOf(node);
    if (tokens.length === 0) return 0;
    for (const token of tokens) {
      const row = token * dimension;
      for (let k = 0; k < dimension; k++) mean[k] += vectors[row + k];
    }
    for (let k = 0; k < dimension; k++) mean[k] /= tokens.length;
    return lengthOf(mean);
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
    this.#indices = enlarged(this.#indices, new Uint32Array(length));
    this.#values = this.#values.map((values) => enlarged(values, new Float32Array(length)));
  }
}

/** The L2 norm. */
function lengthOf(values: Float64Array): number {
  let squares = 0;
  for (let k = 0; k < values.length; k++) squares += values[k] * values[k];
  return Math.sqrt(squares);
}

function enlarged<T extends Uint32Array | Float32Array>(column: T, larger: T): T {
  larger.set(column);
  return larger;
}
