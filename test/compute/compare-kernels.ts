import { expect } from 'vitest';
import { openDevice } from '../../src/compute/open-device.js';
import type { ModelGraph } from '../../src/model/model-input.js';
import { CASES } from './kernel-cases.js';

const reference = await openDevice({ kind: 'reference' });
const devices = [await openDevice({ portable: true })];
const relaxed = await openDevice();
if (relaxed.build !== 'simd') devices.push(relaxed);

const SHARE = 1e-5;
/**
 * The rounding error of float64, relative to the sum of the absolute terms. Some sums are exactly zero (gradients of
 * scores into a node whose entries have one slope), and the reference then holds only its own rounding error.
 */
const ROUNDING = 2 ** -50;
/** The smallest normal float32 number. Smaller numbers have fewer digits. */
const SMALLEST = 2 ** -126;

/** For each output, the largest difference from the reference must be below 1e-5 of the largest value. */
export function expectEqual(graph: ModelGraph, mask: Uint8Array, names = Object.keys(CASES)): void {
  for (const name of names) {
    const wanted = CASES[name](reference, graph, mask);
    const exact = Object.entries(wanted.outputs).map(([output, buffer]) => {
      const values = reference.read(buffer);
      return { output, values, largest: largestDistance(values) };
    });
    let masses: Record<string, number> | undefined; // slow to compute, and seldom needed
    for (const device of devices) {
      const { outputs: found, pool } = CASES[name](device, graph, mask);
      for (const { output, values, largest } of exact) {
        const worst = largestDistance(device.read(found[output]), values);
        if (worst < SHARE * largest || worst === 0) continue;
        masses ??= wanted.mass?.() ?? {};
        const allowed = Math.max(SHARE * largest, ROUNDING * (masses[output] ?? 0), SMALLEST);
        expect(worst, `${name}: ${output} on ${device.build}, largest ${largest}`).toBeLessThan(allowed);
      }
      pool.free();
    }
  }
}

/** The largest distance from `to`, or from zero. NaN counts as the largest, which Math.max would not ensure. */
function largestDistance(values: ArrayLike<number>, to?: ArrayLike<number>): number {
  let worst = 0;
  for (let i = 0; i < values.length; i++) {
    const distance = Math.abs(values[i] - (to === undefined ? 0 : to[i]));
    if (!(distance <= worst)) worst = distance;
  }
  return worst;
}
