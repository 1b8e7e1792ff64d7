import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { openDevice } from '../../../src/compute/open-device.js';
import { MODEL_DEFAULTS } from '../../../src/model/config.js';
import { MaskForecast, memoryNeed, sizeOf } from '../../../src/model/layout/memory-need.js';
import { Model } from '../../../src/model/model.js';
import type { ModelGraph } from '../../../src/model/model-input.js';
import type { PlannedGraph } from '../../../src/model/training/build-graphs.js';
import { drawMask, MASK_DEFAULTS } from '../../../src/model/training/masking.js';
import { MemoryBudget } from '../../../src/model/training/training-data.js';
import { pathGraph, randomGraph } from '../random-graph.js';

const MIB = 2 ** 20;
const config = { ...MODEL_DEFAULTS, relations: 3, features: 12 };
const frequencies = Uint32Array.of(10, 100, 1000);

const planned = (graph: ModelGraph): PlannedGraph =>
  ({ title: 'host \u001b[2J noon', graph }) as unknown as PlannedGraph;

function fitGraph(graph: ModelGraph, limit: number) {
  const budget = new MemoryBudget(limit, config);
  budget.add(planned(graph));
  return budget.fit([planned(graph)], frequencies, MASK_DEFAULTS);
}

describe('the memory budget', () => {
  const graph = pathGraph(30_000);

  it('keeps a graph whole if it fits', () => {
    const { blocks, need } = fitGraph(graph, Number.POSITIVE_INFINITY);
    expect(blocks.size).toBe(0);
    expect(fitGraph(graph, need).blocks.size).toBe(0);
  });

  it('divides a graph that does not fit, and stays within the limit', async () => {
    const { need: whole } = fitGraph(graph, Number.POSITIVE_INFINITY);
    const limit = whole - 40 * MIB;
    const { blocks, need } = fitGraph(graph, limit);
    expect(need).toBeLessThanOrEqual(limit);
    const plan = blocks.get(graph);
    expect(plan?.bounds.length).toBeGreaterThan(2);
    const device = await openDevice();
    const model = Model.create(device, config, 1, blocks);
    let most = 0;
    const { floats } = device;
    device.floats = (length: number) => {
      const buffer = floats.call(device, length);
      most = Math.max(most, device.used);
      return buffer;
    };
    model.step(graph, drawMask(graph.nodeCount, graph.neighbours, frequencies, new Random(1)));
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(limit);
  });

  it('refuses a graph that cannot be divided, and one that is too large by itself, by name', () => {
    const hub = pathGraph(30_000, true);
    const { need } = fitGraph(hub, Number.POSITIVE_INFINITY);
    for (const limit of [need / 2, 40 * MIB]) {
      const message = expect.stringMatching(/host .*30000 nodes/);
      expect(() => fitGraph(hub, limit)).toThrow(expect.objectContaining({ code: 'memory-budget', message }));
      expect(() => fitGraph(hub, limit)).not.toThrow('\u001b');
    }
  });

  it('refuses more relations than the memory has room for, without naming a graph', () => {
    const relations = 200;
    const many = { ...config, relations, features: 16 + (relations + 1) ** 2 };
    const refusal = (message: RegExp) =>
      expect.objectContaining({ code: 'memory-budget', message: expect.stringMatching(message) });
    expect(() => new MemoryBudget(Number.POSITIVE_INFINITY, many)).toThrow(refusal(/200 relations.* 4 GiB/));
    expect(() => new MemoryBudget(3 * MIB, config)).toThrow(refusal(/3 relations.* 3\.0 MiB/));
  });
});

describe('the forecast of masked pairs', () => {
  it('is a little above the number that is drawn', () => {
    const graph = randomGraph({ nodes: 5000, edges: 12_000, relations: 5, features: 4 });
    const f = Uint32Array.of(1, 20, 400, 2000, 9000);
    for (const balanced of [true, false]) {
      const mask = { ...MASK_DEFAULTS, balanced };
      const { pairs, maskedPairs } = new MaskForecast(graph, f, mask).of(Array(5000).keys());
      expect(pairs).toBe(graph.neighbours.nodes.length);
      for (let seed = 0; seed < 20; seed++) {
        const drawn = drawMask(5000, graph.neighbours, f, new Random(seed), mask);
        const masked = graph.neighbours.nodes.filter((v) => drawn[v] === 1).length;
        expect(masked).toBeLessThan(maskedPairs);
        expect(masked).toBeGreaterThan(0.8 * maskedPairs);
      }
    }
  });

  it('reduces the memory need of a graph', () => {
    const graph = pathGraph(3000);
    expect(memoryNeed(config, sizeOf(graph, 100))).toBeLessThan(memoryNeed(config, sizeOf(graph)));
  });
});
