import { Random } from '../../src/base/random.js';
import type { Device, Floats } from '../../src/compute/device.js';
import { MODEL_DEFAULTS, type ModelConfig } from '../../src/model/config.js';
import { arrangeGraph } from '../../src/model/layout/graph-layout.js';
import { BufferPool, placeGraph } from '../../src/model/layout/placed-graph.js';
import type { ModelGraph } from '../../src/model/model-input.js';
import { orderAsGiven } from '../model/layout/order-as-given.js';

export const H = 64;
export const WIDTH = { hidden: H, heads: 4 };

/** Random buffers, equal on all devices: each name has its own random stream. */
function fillers(device: Device, seed: number) {
  const random = new Random(seed);
  const pool = new BufferPool(device);
  // Repeated random numbers, because some buffers hold millions.
  const floats = (name: string, length: number, size = 1, period = 4099): Floats => {
    const draws = random.stream(name);
    const table = Float32Array.from({ length: period }, () => (2 * draws.float() - 1) * size);
    const data = new Float32Array(length);
    for (let i = 0; i < length; i += period) data.set(table.subarray(0, Math.min(period, length - i)), i);
    const buffer = pool.floats(length);
    device.write(buffer, data);
    return buffer;
  };
  // Not zero, so that the test sees if a kernel fails to write.
  const empty = (length: number): Floats => {
    const buffer = pool.floats(length);
    device.write(buffer, new Float32Array(length).fill(7));
    return buffer;
  };
  return { pool, floats, empty };
}

/** The outputs of a case. `mass`: for outputs whose terms may cancel, the largest sum of absolute terms. */
export interface Outputs {
  outputs: Record<string, Floats>;
  pool: BufferPool;
  mass?: () => Record<string, number>;
}

export type Case = (device: Device, graph: ModelGraph, mask: Uint8Array) => Outputs;

/** The encoder `rgat` places source rows; `additive` places entries for folded attention. */
export const configOf = (graph: ModelGraph, encoder: ModelConfig['encoder']): ModelConfig => ({
  ...MODEL_DEFAULTS,
  encoder,
  relations: graph.relationCount,
  features: graph.features.cols,
});

export function prepare(
  device: Device,
  graph: ModelGraph,
  mask: Uint8Array,
  order = orderAsGiven(graph.nodeCount),
  encoder: ModelConfig['encoder'] = 'rgat',
) {
  const make = fillers(device, 5);
  const layout = arrangeGraph(graph, order);
  const placed = placeGraph(make.pool, layout, configOf(graph, encoder));
  return {
    ...make,
    layout,
    placed,
    masked: make.pool.integers(mask),
    N: graph.nodeCount,
    D: graph.features.cols,
  };
}
