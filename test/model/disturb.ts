import type { Weight } from '../../src/model/model.js';

/** Changes all weights, because weights that are zero would hide errors in gradients. */
export function disturb(weights: readonly Weight[]): Weight[] {
  return weights.map((weight) => ({
    ...weight,
    data: weight.data.map((value, i) => value + 0.1 * Math.sin(3 * i + weight.name.length)),
  }));
}
