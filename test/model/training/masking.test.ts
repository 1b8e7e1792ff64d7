import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { drawMask, MASK_DEFAULTS, maskRates } from '../../../src/model/training/masking.js';
import { randomGraph } from '../random-graph.js';

function maskedShare(mask: Uint8Array): number {
  return mask.reduce((sum, byte) => sum + byte, 0) / mask.length;
}

describe('mask rates', () => {
  it('follow p_r = clip(p0·(f̄/f_r)^γ, p_min, p_max), where f̄ is the median of the nonzero f_r', () => {
    const frequencies = [4, 100, 0, 400, 1_000_000, 90];
    const rates = maskRates(frequencies);
    const median = 100;
    frequencies.forEach((f, r) => {
      const wanted = f === 0 ? 0 : Math.min(0.75, Math.max(0.05, 0.3 * Math.sqrt(median / f)));
      expect(rates[r]).toBeCloseTo(wanted, 12);
    });
    expect([...maskRates([4, 16])]).toEqual([0.3 * Math.sqrt(10 / 4), 0.3 * Math.sqrt(10 / 16)]);
  });

  it('are at least ten times higher for the rarest relation if frequencies span five decades', () => {
    const rates = maskRates(Array.from({ length: 24 }, (_, r) => Math.round(10 ** (6 - (5 * r) / 23))));
    expect(Math.max(...rates) / Math.min(...rates)).toBeGreaterThanOrEqual(10);
  });
});

describe('a drawn mask', () => {
  const graph = randomGraph({ nodes: 4000, edges: 9000, relations: 5, features: 4 });

  it('masks each node that is drawn under any of its relations', () => {
    const rates = maskRates(graph.frequencies);
    const unmasked = new Float64Array(graph.nodeCount).fill(1);
    for (let r = 0; r < graph.relationCount; r++) {
      const { nodeOffsets, nodes } = graph.neighbours;
      for (const v of nodes.subarray(nodeOffsets[r], nodeOffsets[r + 1])) unmasked[v] *= 1 - rates[r];
    }
    const wanted = 1 - unmasked.reduce((sum, p) => sum + p, 0) / graph.nodeCount;
    let ratio = 0;
    for (let seed = 0; seed < 20; seed++) {
      ratio +=
        maskedShare(drawMask(graph.nodeCount, graph.neighbours, graph.frequencies, new Random(seed))) / 20;
    }
    expect(Math.abs(ratio - wanted)).toBeLessThan(0.01);
  });

  it('is uniform without balanced learning, and depends only on the seed', () => {
    const config = { ...MASK_DEFAULTS, balanced: false };
    const draw = (seed: number) =>
      drawMask(graph.nodeCount, graph.neighbours, graph.frequencies, new Random(seed), config);
    const connected = new Set(graph.neighbours.nodes).size / graph.nodeCount;
    expect(Math.abs(maskedShare(draw(1)) - 0.3 * connected)).toBeLessThan(0.03);
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
  });
});
