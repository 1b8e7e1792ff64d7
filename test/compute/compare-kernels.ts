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
 * Of the sizes of a sum's terms: what float64 leaves where they cancel to nothing. The sum is then zero in mathematics
 * (gradients of scores into a node whose entries have one slope), and what the reference has in its place is its own
 * rounding, with which no other device can agree.
 */
const NOTHING = 2 ** -50;
/** Below the smallest normal number float32 has fewer digits, and then none. */
const SMALLEST = 2 ** -126;

/** Per output: the largest difference to the reference is under 1e-5 of the largest value. */
export function expectEqual(graph: ModelGraph, mask: Uint8Array, names = Object.keys(CASES)): void {
  for (const name of names) {
    const wanted = CASES[name](reference, graph, mask);
    const exact = Object.entries(wanted.outputs).map(([output, buffer]) => {
      const values = reference.read(buffer);
      return { output, values, largest: farthest(values) };
    });
    for (const device of devices) {
      const { outputs: found, pool } = CASES[name](device, graph, mask);
      for (const { output, values, largest } of exact) {
        const worst = farthest(device.read(found[output]), values);
        if (worst < SHARE * largest || worst === 0) continue;
        const allowed = Math.max(SHARE * largest, NOTHING * (wanted.mass?.()[output] ?? 0), SMALLEST);
        expect(worst, `${name}: ${output} on ${device.build}, largest ${largest}`).toBeLessThan(allowed);
      }
      pool.free();
    }
  }
}

/** Largest distance from `to`, or from zero. Not Math.max: a NaN must count as the farthest. */
function farthest(values: ArrayLike<number>, to?: ArrayLike<number>): number {
  let worst = 0;
  for (let i = 0; i < values.length; i++) {
    const distance = Math.abs(values[i] - (to === undefined ? 0 : to[i]));
    if (!(distance <= worst)) worst = distance;
  }
  return worst;
}
