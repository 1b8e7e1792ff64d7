import type { Device, KernelTime } from '../dist/compute/device.js';
import { layOutGraph } from '../dist/model/layout/cached-layout.js';
import type { ModelGraph } from '../dist/model/model-input.js';

interface Cost {
  flop: number;
  /** Bytes of memory traffic without caches: an upper bound. */
  bytes: number;
}

const H = 64;
const ROW = 4 * H;

/** The best rates of the device on this machine: products of cached rows, and a stream through memory. */
export function measureRoof(device: Device): { gflops: number; gbytes: number } {
  const best = (work: () => void) => {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 5; i++) {
      const started = performance.now();
      work();
      device.run();
      least = Math.min(least, performance.now() - started);
    }
    return least / 1000;
  };
  const [few, many, repeats] = [960, 500_000, 400];
  const [x, out] = [device.floats(many * H), device.floats(many * H)];
  const [w, slope] = [device.floats(H * H), device.floats(1)];
  for (const target of [x, out, w, slope]) device.enqueue('fill', { target, value: 0.5 });
  device.run();
  const product = best(() => {
    for (let i = 0; i < repeats; i++) {
      device.enqueue('linear', { hidden: H, rows: few, x, index: null, w, bias: null, out, add: false });
    }
  });
  const stream = best(() => device.enqueue('prelu', { hidden: H, rows: many, pre: x, slope, out }));
  for (const buffer of [x, out, w, slope]) device.free(buffer);
  return { gflops: (repeats * 2 * few * H * H) / product / 1e9, gbytes: (2 * many * ROW) / stream / 1e9 };
}

/** Prints time and rates of each kernel of a step. */
export function describeKernels(
  times: ReadonlyMap<string, KernelTime>,
  steps: number,
  graph: ModelGraph,
  mask: Uint8Array,
): void {
  const costs = estimate(graph, mask);
  const total = [...times.values()].reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  console.log(`  kernels of one epoch, ${(total / steps).toFixed(0)} ms in total:`);
  const sorted = [...times].sort((a, b) => b[1].milliseconds - a[1].milliseconds);
  for (const [name, { calls, milliseconds }] of sorted) {
    const each = milliseconds / steps;
    if (each < 0.05) continue;
    const cost = costs[name];
    const rate = (amount: number) => (amount / each / 1e6).toFixed(1).padStart(6);
    const rates = cost === undefined ? '' : `${rate(cost.flop)} GFLOP/s ${rate(cost.bytes)} GB/s`;
    console.log(
      `    ${name.padEnd(20)} ${each.toFixed(1).padStart(7)} ms  ${String(calls / steps).padStart(3)} calls  ${rates}`,
    );
  }
}

/** The cost of a step with two layers, summed over the calls of each kernel. */
function estimate(graph: ModelGraph, mask: Uint8Array): Record<string, Cost> {
  const N = new Set(graph.neighbours.nodes).size; // without isolated nodes
  const entries = 2 * graph.adjacency.neighbours.length;
  const masked = mask.reduce((sum, byte) => sum + byte, 0);
  const perNode = graph.features.indices.length / graph.nodeCount;
  const { nodes, offsets } = graph.neighbours;
  const { hubStarts, order, entries: rows } = layOutGraph(graph, true);
  // Entries into nodes that fold, and into the others. The first layer does not fold.
  const folded = rows.offsets[order.foldedCount];
  const others = entries - folded;
  const layersOf = order.foldedCount > 0 ? 1 : 2;
  let pairs = 0;
  let pairEntries = 0;
  // Masked pairs with a neighbour that is not a hub: the last layer multiplies their mean by W_res, and each hub separately.
  let rest = 0;
  let restEntries = 0;
  nodes.forEach((v, pair) => {
    if (mask[v] === 0) return;
    pairs++;
    pairEntries += offsets[pair + 1] - offsets[pair];
    if (hubStarts[pair] > offsets[pair]) rest++;
    restEntries += hubStarts[pair] - offsets[pair];
  });
  const sparse = { flop: 2 * (N - masked) * perNode * H * 2, bytes: 2 * (N * ROW + N * perNode * 8) };
  const products = order.projectedCount + order.hubCount + rest;
  const dense = { flop: 2 * products * H * H, bytes: products * 2 * ROW };
  return {
    sparseLinear: sparse,
    sparseLinearGrad: sparse,
    linear: dense,
    linearGradInput: dense,
    linearGradWeights: dense,
    scores: { flop: layersOf * N * H * 4, bytes: layersOf * N * ROW },
    foldScores: { flop: N * H * 16, bytes: N * ROW },
    attend: {
      flop: (entries + others) * H * 2,
      bytes: (entries + others) * (ROW + 24) + 2 * N * 3 * ROW,
    },
    foldAttend: { flop: folded * H * 8, bytes: folded * (ROW + 24) },
    attendGrad: {
      flop: layersOf * entries * H * 4,
      bytes: layersOf * (entries * (ROW + 136) + N * 2 * ROW),
    },
    foldGrad: {
      flop: others * H * 4 + folded * H * 16,
      bytes: others * (ROW + 136) + folded * (4 * ROW + 168) + N * 2 * ROW,
    },
    attendInner: { flop: 2 * entries * 24, bytes: 2 * entries * 68 },
    attendScores: {
      flop: layersOf * (entries * 20 + N * H * 8),
      bytes: layersOf * (entries * 136 + N * 3 * ROW),
    },
    foldScoresGrad: { flop: entries * 20 + N * H * 32, bytes: entries * 136 + N * 3 * ROW },
    preluGrad: { flop: N * H * 2, bytes: N * 3 * ROW },
    segmentSum: {
      flop: 2 * (pairEntries + restEntries) * H,
      bytes: (2 * (pairEntries + restEntries) + pairs + 4 * rest + 3 * N) * ROW,
    },
    cosineLoss: { flop: pairs * (4 * perNode * H + 4 * H * H), bytes: pairs * (2 * ROW + perNode * 8) },
  };
}
