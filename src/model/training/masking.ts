import type { Random } from '../../base/random.js';
import type { RelationNeighbours } from '../../graph/relation-neighbours.js';

/** The constants of method §3. */
export interface MaskConfig {
  p0: number;
  pMin: number;
  pMax: number;
  gamma: number;
  /** False for the ablation `w/o BL`: each node with a neighbour is masked with probability p0. */
  balanced: boolean;
}

export const MASK_DEFAULTS: MaskConfig = { p0: 0.3, pMin: 0.05, pMax: 0.75, gamma: 0.5, balanced: true };

/** p_r = clip(p0·(f̄/f_r)^γ, p_min, p_max), where f̄ is the median of the nonzero f_r; 0 if f_r is 0 (method §3). */
export function maskRates(frequencies: ArrayLike<number>, config: MaskConfig = MASK_DEFAULTS): Float64Array {
  const seen = Array.from(frequencies)
    .filter((f) => f > 0)
    .sort((a, b) => a - b);
  const half = seen.length >> 1;
  const median = seen.length % 2 === 1 ? seen[half] : (seen[half - 1] + seen[half]) / 2;
  return Float64Array.from(frequencies, (f) =>
    f === 0 ? 0 : Math.min(config.pMax, Math.max(config.pMin, config.p0 * (median / f) ** config.gamma)),
  );
}

/** One byte per node, 1 if masked. A node is masked if it is drawn under any of its relations (method §3). */
export function drawMask(
  nodeCount: number,
  neighbours: RelationNeighbours,
  frequencies: ArrayLike<number>,
  random: Random,
  config: MaskConfig = MASK_DEFAULTS,
): Uint8Array {
  const mask = new Uint8Array(nodeCount);
  if (!config.balanced) {
    const connected = new Uint8Array(nodeCount);
    for (const v of neighbours.nodes) connected[v] = 1;
    for (let v = 0; v < nodeCount; v++) if (connected[v] === 1 && random.float() < config.p0) mask[v] = 1;
    return mask;
  }
  const rates = maskRates(frequencies, config);
  for (let r = 0; r < neighbours.relationCount; r++) {
    // Each relation has its own random stream, so its draws do not depend on the nodes of other relations.
    const draws = random.stream(`relation ${r}`);
    for (let i = neighbours.nodeOffsets[r]; i < neighbours.nodeOffsets[r + 1]; i++) {
      if (draws.float() < rates[r]) mask[neighbours.nodes[i]] = 1;
    }
  }
  return mask;
}
