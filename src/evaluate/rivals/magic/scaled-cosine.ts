import type { Reals } from '../learning/products.js';

/** Norms below this are treated as this, as in the framework's normalisation. */
const SMALLEST = 1e-12;

/** The mean of (1 − cos(x̂, x))^α over some rows, and `scale` times its gradient for x̂. */
export function cosineErrors(
  decoded: Reals,
  target: Reals,
  width: number,
  rows: ArrayLike<number>,
  exponent: number,
  scale = 1,
): { loss: number; gradient: Reals } {
  const gradient = decoded.slice().fill(0);
  let loss = 0;
  for (let i = 0; i < rows.length; i++) {
    const at = rows[i] * width;
    let [dot, mine, own] = [0, 0, 0];
    for (let k = 0; k < width; k++) {
      dot += decoded[at + k] * target[at + k];
      mine += decoded[at + k] * decoded[at + k];
      own += target[at + k] * target[at + k];
    }
    const [norm, length] = [Math.max(Math.sqrt(mine), SMALLEST), Math.max(Math.sqrt(own), SMALLEST)];
    const cosine = dot / (norm * length);
    const error = 1 - cosine;
    loss += error ** exponent / rows.length;
    const slope = (-scale * exponent * error ** (exponent - 1)) / rows.length;
    for (let k = 0; k < width; k++) {
      const towards = target[at + k] / (norm * length) - (cosine * decoded[at + k]) / (norm * norm);
      gradient[at + k] = slope * towards;
    }
  }
  return { loss, gradient };
}
