import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { drawMask, MASK_DEFAULTS, maskedRatio, maskRates } from '../../../src/model/training/masking.js';
import { randomGraph } from '../random-graph.js';

describe('mask rates', () => {
  it('follow p_r = clip(p0·(f̄/f_r)^γ, p_min, p_max), f̄ the median of the non-zero f_r', () => {
    const frequencies = [4, 100, 0, 400, 1_000_000, 90];
    const rates = maskRates(frequencies);
    const median = 100;
    frequencies.forEach((f, r) => {
      const wanted = f === 0 ? 0 : Math.min(0.75, Math.max(0.05, 0.3 * Math.sqrt(median / f)));
      expect(rates[r]).toBeCloseTo(wanted, 12);
    });
    expect([...maskRates([4, 16])]).toEqual([0.3 * Math.sqrt(10 / 4), 0.3 * Math.sqrt(10 / 16)]);
  });

  it('give the rarest relation at least ten times that of the most frequent on five decades', () => {
    const rates = maskRates(Array.from({ length: 24 }, (_, r) => Math.round(10 ** (6 - (5 * r) / 23))));
    expect(Math.max(...rates) / Math.min(...rates)).toBeGreaterThanOrEqual(10);
  });
});

describe('a drawn mask', () => {
  const graph = randomGraph({ nodes: 4000, edges: 9000, relations: 5, features: 4 });

  it('has the share of nodes that the rates say, a node being drawn under any of its relations', () => {
    const rates = maskRates(graph.frequencies);
    const spared = new Float64Array(graph.nodeCount).fill(1);
    for (let r = 0; r < graph.relationCount; r++) {
      const { nodeOffsets, nodes } = graph.neighbours;
      for (const v of nodes.subarray(nodeOffsets[r], nodeOffsets[r + 1])) spared[v] *= 1 - rates[r];
    }
    const wanted = 1 - spared.reduce((sum, p) => sum + p, 0) / graph.nodeCount;
    let ratio = 0;
    for (let seed = 0; seed < 20; seed++) {
      ratio +=
        maskedRatio(drawMask(graph.nodeCount, graph.neighbours, graph.frequencies, new Random(seed))) / 20;
    }
    expect(Math.abs(ratio - wanted)).toBeLessThan(0.01);
  });

  it('is uniform without balanced learning, and the same for the same seed', () => {
    const config = { ...MASK_DEFAULTS, balanced: false };
    const draw = (seed: number) =>
      drawMask(graph.nodeCount, graph.neighbours, graph.frequencies, new Random(seed), config);
    const touched = new Set(graph.neighbours.nodes).size / graph.nodeCount;
    expect(Math.abs(maskedRatio(draw(1)) - 0.3 * touched)).toBeLessThan(0.03);
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
  });
});
