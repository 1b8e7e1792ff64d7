import type { Random } from '../../../base/random.js';
import type { Reals } from './products.js';

/** max(x, 0), in place. */
export function relu(x: Reals): Reals {
  for (let i = 0; i < x.length; i++) if (!(x[i] > 0)) x[i] = 0;
  return x;
}

/** Sets the gradient to 0 where the result of `relu` is 0, in place. */
export function reluGradient(result: Reals, d: Reals): Reals {
  for (let i = 0; i < d.length; i++) if (!(result[i] > 0)) d[i] = 0;
  return d;
}

/** Factors of dropout: 0 with the given probability, else 1 / (1 − share). Null if nothing is dropped. */
export function dropFactors(length: number, share: number, random: Random | null): Float32Array | null {
  if (share === 0 || random === null) return null;
  const kept = 1 / (1 - share);
  const factors = new Float32Array(length);
  for (let i = 0; i < length; i++) factors[i] = random.float() < share ? 0 : kept;
  return factors;
}

/** x multiplied by factors, as a new array; x itself without factors. */
export function scaled(x: Reals, factors: Float32Array | null): Reals {
  if (factors === null) return x;
  const out = x.slice();
  for (let i = 0; i < out.length; i++) out[i] *= factors[i];
  return out;
}

/** Softmax of each row, in place. */
export function softmaxRows(x: Reals, columns: number): Reals {
  for (let at = 0; at < x.length; at += columns) {
    let highest = Number.NEGATIVE_INFINITY;
    for (let j = 0; j < columns; j++) if (x[at + j] > highest) highest = x[at + j];
    let sum = 0;
    for (let j = 0; j < columns; j++) {
      x[at + j] = Math.exp(x[at + j] - highest);
      sum += x[at + j];
    }
    for (let j = 0; j < columns; j++) x[at + j] /= sum;
  }
  return x;
}

/**
 * Mean cross entropy of rows of logits. Replaces the logits by their gradient. Rows with a weight of 0 do not count; the
 * mean is over the sum of the weights.
 */
export function crossEntropy(
  logits: Reals,
  columns: number,
  labels: ArrayLike<number>,
  weights: ArrayLike<number> | null = null,
): number {
  softmaxRows(logits, columns);
  const rows = labels.length;
  let total = 0;
  for (let row = 0; row < rows; row++) total += weights === null ? 1 : weights[row];
  if (total === 0) {
    logits.fill(0);
    return 0;
  }
  let loss = 0;
  for (let row = 0; row < rows; row++) {
    const weight = (weights === null ? 1 : weights[row]) / total;
    const at = row * columns;
    if (weight > 0) loss -= weight * Math.log(Math.max(logits[at + labels[row]], 1e-300));
    for (let j = 0; j < columns; j++) logits[at + j] *= weight;
    logits[at + labels[row]] -= weight;
  }
  return loss;
}
