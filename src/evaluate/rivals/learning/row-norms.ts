import type { Reals } from './products.js';

const SMALLEST = 1e-12;

/** Scales each row to length one, in place. Returns the lengths before. */
export function normaliseRows(x: Reals, width: number): Float64Array {
  const norms = new Float64Array(x.length / width);
  for (let row = 0; row < norms.length; row++) {
    let square = 0;
    for (let k = 0; k < width; k++) square += x[row * width + k] ** 2;
    norms[row] = Math.max(Math.sqrt(square), SMALLEST);
    for (let k = 0; k < width; k++) x[row * width + k] /= norms[row];
  }
  return norms;
}

/** From the gradient of scaled rows to that of the rows before, in place: (d − y (y·d)) / ‖x‖. */
export function normaliseRowsGradient(result: Reals, norms: Reals, width: number, d: Reals): Reals {
  for (let row = 0; row < norms.length; row++) {
    const at = row * width;
    let along = 0;
    for (let k = 0; k < width; k++) along += result[at + k] * d[at + k];
    for (let k = 0; k < width; k++) d[at + k] = (d[at + k] - along * result[at + k]) / norms[row];
  }
  return d;
}
