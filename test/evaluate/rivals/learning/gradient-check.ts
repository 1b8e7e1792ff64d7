import { expect } from 'vitest';
import type { Parameter } from '../../../../src/evaluate/rivals/learning/parameters.js';

const STEP = 1e-5;

/**
 * Compares gradients with central differences of the loss. `learn` computes the loss and adds to the gradients; it must
 * draw the same random numbers every time.
 */
export function checkGradients(parameters: readonly Parameter[], learn: () => number, digits = 6): void {
  for (const { d } of parameters) d.fill(0);
  learn();
  const found = parameters.map(({ d }) => d.slice());
  let largest = 0;
  for (const [p, { w }] of parameters.entries()) {
    // A few weights of each parameter are enough, and all of small ones.
    const stride = Math.max(1, Math.floor(w.length / 12));
    for (let k = 0; k < w.length; k += stride) {
      const held = w[k];
      w[k] = held + STEP;
      const above = learn();
      w[k] = held - STEP;
      const below = learn();
      w[k] = held;
      expect(found[p][k], `parameter ${p}, weight ${k}`).toBeCloseTo((above - below) / (2 * STEP), digits);
      largest = Math.max(largest, Math.abs(found[p][k]));
    }
  }
  // Gradients of 0 everywhere would prove nothing.
  expect(largest).toBeGreaterThan(1e-3);
}
