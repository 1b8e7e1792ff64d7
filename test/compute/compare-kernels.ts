import { expect } from 'vitest';
import { openDevice } from '../../src/compute/open-device.js';
import type { ModelGraph } from '../../src/model/model-input.js';
import { CASES } from './kernel-cases.js';

const reference = await openDevice({ kind: 'reference' });
const devices = [await openDevice({ portable: true })];
const relaxed = await openDevice();
if (relaxed.build !== 'simd') devices.push(relaxed);

const SHARE = 1e-5;
/** What is smaller in the reference is zero but for its own rounding. */
const NOTHING = 1e-10;
/** Roundings of either number of a difference that a float32 kernel may have before it takes the difference. */
const ROUNDINGS = 4;
const UNIT = 2 ** -24;

/**
 * Per output: the largest difference to the reference is under 1e-5 of the largest value. Gradients of scores are sums of
 * differences that on some graphs cancel to nothing (a node whose neighbours all weigh in the same way); there, and only
 * there, no float32 number is that exact, and the bound is what rounding the numbers before the difference leaves.
 */
export function expectEqual(graph: ModelGraph, mask: Uint8Array, names = Object.keys(CASES)): void {
  for (const name of names) {
    const wanted = CASES[name](reference, graph, mask);
    const exact = Object.entries(wanted.outputs).map(([output, buffer]) => {
      const values = reference.read(buffer);
      return { output, values, largest: Math.max(NOTHING, farthest(values)) };
    });
    for (const device of devices) {
      const { outputs: found, pool } = CASES[name](device, graph, mask);
      for (const { output, values, largest } of exact) {
        const worst = farthest(device.read(found[output]), values);
        if (worst < SHARE * largest) continue;
        const mass = wanted.mass?.()[output] ?? 0;
        const allowed = Math.max(SHARE * largest, ROUNDINGS * UNIT * mass);
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
