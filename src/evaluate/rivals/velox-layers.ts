import type { SparseMatrix } from '../../features/sparse.js';
import type { ExamplePairs } from './velox-examples.js';

export interface VeloxShape {
  readonly relationCount: number;
  /** Number of leading columns of x_v that the network reads. */
  readonly width: number;
  /** Units between the features and the relations; 0 for one linear layer. */
  readonly hidden: number;
}

/** Subject columns, object columns and a constant; then, with hidden units, their weights and another constant. */
export function countWeights({ relationCount, width, hidden }: VeloxShape): number {
  const columns = 2 * width + 1;
  return hidden === 0 ? columns * relationCount : columns * hidden + (hidden + 1) * relationCount;
}

/**
 * The logits of pairs of feature rows. Each row is multiplied by the weights once, even if many pairs share it. The
 * outputs of a column are adjacent in the weights.
 */
export class VeloxLayers {
  /** Of the last pair. */
  readonly logits: Float64Array;
  /** Outputs of the first layer for the last pair: the hidden units, or the logits if there are none. */
  readonly first: Float64Array;
  readonly #constants: Float64Array;
  readonly #subjects: Float64Array;
  readonly #objects: Float64Array;
  /** The second layer; empty without hidden units. */
  readonly second: Float64Array;

  /** The two roles may have different values, because of dropout. */
  constructor(shape: VeloxShape, weights: Float64Array, subjects: SparseMatrix, objects = subjects) {
    const { relationCount, width, hidden } = shape;
    const n = hidden === 0 ? relationCount : hidden;
    this.logits = new Float64Array(relationCount);
    this.first = hidden === 0 ? this.logits : new Float64Array(hidden);
    this.#subjects = projectRows(subjects, width, weights, n);
    this.#objects = projectRows(objects, width, weights.subarray(width * n), n);
    this.#constants = weights.subarray(2 * width * n, (2 * width + 1) * n);
    this.second = weights.subarray((2 * width + 1) * n);
  }

  /** Computes the logits of a subject's row and an object's row. Returns ln Σ e^logit. */
  run(subject: number, object: number): number {
    const { first, logits, second } = this;
    const n = first.length;
    const [s, o] = [subject * n, object * n];
    for (let k = 0; k < n; k++) first[k] = this.#constants[k] + this.#subjects[s + k] + this.#objects[o + k];
    if (first !== logits) {
      const m = logits.length;
      for (let r = 0; r < m; r++) logits[r] = second[n * m + r];
      for (let k = 0; k < n; k++) {
        if (first[k] <= 0) first[k] = 0;
        else for (let r = 0; r < m; r++) logits[r] += first[k] * second[k * m + r];
      }
    }
    return logSum(logits);
  }
}

/** The mean loss over all examples, and its gradient, which is written to `gradient`. */
export function veloxGradient(
  shape: VeloxShape,
  weights: Float64Array,
  pairs: ExamplePairs,
  [subjects, objects]: readonly [SparseMatrix, SparseMatrix],
  gradient: Float64Array,
): number {
  const layers = new VeloxLayers(shape, weights, subjects, objects);
  const { first, logits, second } = layers;
  const [n, m] = [first.length, logits.length];
  const { width } = shape;
  gradient.fill(0);
  const dConstants = gradient.subarray(2 * width * n, (2 * width + 1) * n);
  const dSecond = gradient.subarray((2 * width + 1) * n);
  const dSubjects = new Float64Array(subjects.rows * n);
  const dObjects = new Float64Array(objects.rows * n);
  const dLogits = new Float64Array(m);
  const dFirst = first === logits ? dLogits : new Float64Array(n);
  let loss = 0;
  for (let pair = 0; pair < pairs.length; pair++) {
    const total = layers.run(pairs.subject[pair], pairs.object[pair]);
    let weight = 0;
    for (let i = pairs.offsets[pair]; i < pairs.offsets[pair + 1]; i++) {
      weight += pairs.share[i];
      loss += pairs.share[i] * (total - logits[pairs.relation[i]]);
    }
    for (let r = 0; r < m; r++) dLogits[r] = weight * Math.exp(logits[r] - total);
    for (let i = pairs.offsets[pair]; i < pairs.offsets[pair + 1]; i++) {
      dLogits[pairs.relation[i]] -= pairs.share[i];
    }
    if (first !== logits) backSecond(first, second, dLogits, dFirst, dSecond);
    const [s, o] = [pairs.subject[pair] * n, pairs.object[pair] * n];
    for (let k = 0; k < n; k++) {
      dSubjects[s + k] += dFirst[k];
      dObjects[o + k] += dFirst[k];
      dConstants[k] += dFirst[k];
    }
  }
  backRows(subjects, dSubjects, n, gradient);
  backRows(objects, dObjects, n, gradient.subarray(width * n));
  return loss;
}

/** From the gradient of the logits to those of the second layer and of the hidden units. */
function backSecond(
  first: Float64Array,
  second: Float64Array,
  dLogits: Float64Array,
  dFirst: Float64Array,
  dSecond: Float64Array,
): void {
  const [n, m] = [first.length, dLogits.length];
  for (let k = 0; k < n; k++) {
    dFirst[k] = 0;
    if (first[k] === 0) continue;
    let sum = 0;
    for (let r = 0; r < m; r++) {
      sum += second[k * m + r] * dLogits[r];
      dSecond[k * m + r] += first[k] * dLogits[r];
    }
    dFirst[k] = sum;
  }
  for (let r = 0; r < m; r++) dSecond[n * m + r] += dLogits[r];
}

/** Multiplies the first columns of every row by the weights. Gives n numbers per row. */
function projectRows(
  { rows, offsets, indices, values }: SparseMatrix,
  width: number,
  weights: Float64Array,
  n: number,
): Float64Array {
  const out = new Float64Array(rows * n);
  for (let row = 0; row < rows; row++) {
    const at = row * n;
    for (let i = offsets[row]; i < offsets[row + 1] && indices[i] < width; i++) {
      const from = indices[i] * n;
      for (let k = 0; k < n; k++) out[at + k] += values[i] * weights[from + k];
    }
  }
  return out;
}

/** From the gradient of the projected rows to that of the weights. */
function backRows(
  { rows, offsets, indices, values }: SparseMatrix,
  dRows: Float64Array,
  n: number,
  gradient: Float64Array,
): void {
  for (let row = 0; row < rows; row++) {
    for (let i = offsets[row]; i < offsets[row + 1]; i++) {
      const at = indices[i] * n;
      for (let k = 0; k < n; k++) gradient[at + k] += values[i] * dRows[row * n + k];
    }
  }
}

/** ln Σ e^x */
function logSum(logits: Float64Array): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (const logit of logits) if (logit > highest) highest = logit;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - highest);
  return highest + Math.log(sum);
}
