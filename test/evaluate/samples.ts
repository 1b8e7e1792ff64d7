import type { AttackNodes } from '../../src/evaluate/metrics/attack-metrics.js';

/** Forty nodes with many equal scores. The expected figures come from scikit-learn. */
export const SAMPLE = {
  scores: Float64Array.of(
    0.8,
    0.4,
    0.7,
    0.4,
    0.5,
    0.7,
    0.4,
    1.2,
    0.5,
    0.7,
    0.4,
    0.4,
    0.6,
    0.8,
    0.7,
    0.0,
    0.4,
    0.7,
    0.5,
    1.0,
    1.0,
    0.7,
    0.4,
    0.3,
    0.6,
    0.5,
    1.0,
    0.9,
    0.8,
    0.5,
    1.1,
    0.1,
    0.3,
    0.5,
    0.7,
    0.5,
    0.1,
    0.3,
    0.3,
    0.6,
  ),
  positives: Uint8Array.of(
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    1,
    0,
    0,
    0,
    0,
    1,
    1,
    0,
    1,
    0,
    0,
    1,
    0,
    0,
    1,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
  ),
};

/** Builds attacks from their names and nodes. */
export function attacksOf(nodes: Record<string, readonly number[]>): AttackNodes {
  const rows = Object.values(nodes);
  const offsets = new Uint32Array(rows.length + 1);
  rows.forEach((row, i) => {
    offsets[i + 1] = offsets[i] + row.length;
  });
  return { names: Object.keys(nodes), offsets, nodes: Int32Array.from(rows.flat()) };
}

/** One byte per node, 1 if the score is at least the threshold. */
export function flagNodes(scores: ArrayLike<number>, threshold: number): Uint8Array {
  return Uint8Array.from(scores, (score) => (score >= threshold ? 1 : 0));
}
