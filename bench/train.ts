import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Random } from '../dist/base/random.js';
import type { Device } from '../dist/compute/device.js';
import { openDevice } from '../dist/compute/open-device.js';
import { MODEL_DEFAULTS } from '../dist/model/config.js';
import { MaskForecast } from '../dist/model/layout/memory-need.js';
import { Model } from '../dist/model/model.js';
import { drawMask, MASK_DEFAULTS } from '../dist/model/training/masking.js';
import { describeMachine, median, range } from './measurement.js';
import { FEATURES, makeTrainGraph, RELATIONS, type TrainShape } from './train-graph.js';
import { describeKernels, measureRoof } from './train-kernels.js';

const PEER = fileURLToPath(new URL('../bench/peers/recal_torch.py', import.meta.url));
/** Debian's Python may have PyTorch when the first Python in PATH does not. */
const PYTHONS = ['python3', '/usr/bin/python3'];
const ROUNDS = 5;

interface Times {
  epoch: number;
  epochs: readonly number[];
  masked: number;
}

/** The shape that larger shapes are compared with. */
const BASE: TrainShape = { nodes: 200_000, edges: 1_000_000, graphs: 1 };
/** The last has the size of TRACE. */
const LARGE: TrainShape[] = [
  { nodes: 1_000_000, edges: 3_000_000, graphs: 1 },
  { nodes: 3_200_000, edges: 4_700_000, graphs: 5 },
];

/**
 * `npm run bench -- train [NODES/EDGES[/GRAPHS]…]` measures an epoch and five masked rounds of recal and of PyTorch on the
 * same shape, and each kernel. `--alone` omits PyTorch. `--portable` uses the plain SIMD build. `--large` instead measures
 * time per entry and memory of recal on shapes up to TRACE's size.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      alone: { type: 'boolean', default: false },
      large: { type: 'boolean', default: false },
      portable: { type: 'boolean', default: false },
      encoder: { type: 'string', default: 'additive' },
      epochs: { type: 'string', default: '5' },
      threads: { type: 'string', default: String(availableParallelism()) },
    },
  });
  const given = positionals.map((text): TrainShape => {
    const [nodes, edges, graphs = 1] = text.split('/').map(Number);
    return { nodes, edges, graphs };
  });
  const encoder = values.encoder === 'rgat' ? 'rgat' : 'additive';
  const epochs = Number(values.epochs);
  const device = await openDevice({ threads: Number(values.threads), portable: values.portable });
  console.log(describeMachine());
  console.log(`recal: ${device.build}, ${device.threads} threads, encoder ${encoder}`);
  const roof = measureRoof(device);
  console.log(
    `limits of this machine: ${roof.gflops.toFixed(1)} GFLOP/s for cached products, ${roof.gbytes.toFixed(1)} GB/s for a stream`,
  );
  if (values.large) measureScale(device, given.length > 0 ? given : LARGE, epochs, encoder);
  else {
    for (const shape of given.length > 0 ? given : [{ nodes: 50_000, edges: 250_000, graphs: 1 }, BASE]) {
      const ours = measureOurs(device, shape, epochs, encoder, true);
      if (!values.alone) compare(ours, measurePeer(shape, epochs));
    }
  }
  await device.close();
}

/** Prints the time per adjacency entry relative to the base shape, and to the base nodes at the same density. */
function measureScale(
  device: Device,
  shapes: readonly TrainShape[],
  epochs: number,
  encoder: 'additive' | 'rgat',
): void {
  const perEntry = (shape: TrainShape) => {
    const { epoch } = measureOurs(device, shape, epochs, encoder, false);
    return epoch / (2 * shape.edges);
  };
  for (const shape of shapes) {
    const sameDensity = { ...BASE, edges: Math.round((shape.edges / shape.nodes) * BASE.nodes) };
    // The base shapes run before and after, because the speed of a machine changes within minutes.
    const before = [perEntry(BASE), perEntry(sameDensity)];
    const each = perEntry(shape);
    const [base, alike] = [BASE, sameDensity].map((small, i) => (before[i] + perEntry(small)) / 2);
    console.log(
      `  ${(each * 1e6).toFixed(0)} ns per entry: ${(each / base).toFixed(2)}× the time of ${describeShape(BASE)}, ` +
        `${(each / alike).toFixed(2)}× the time of ${BASE.nodes} nodes with the same density; ` +
        `200 epochs take ${((200 * each * 2 * shape.edges) / 3_600_000).toFixed(1)} h`,
    );
  }
}

function describeShape({ nodes, edges, graphs }: TrainShape): string {
  return `${nodes} nodes, ${edges} edges${graphs > 1 ? ` in ${graphs} graphs` : ''}`;
}

/** An epoch is one step on each graph. The first epoch does not count, because it also lays out the graphs. */
function measureOurs(
  device: Device,
  shape: TrainShape,
  epochs: number,
  encoder: 'additive' | 'rgat',
  inDetail: boolean,
): Times {
  const graphs = Array.from({ length: shape.graphs }, (_, g) =>
    makeTrainGraph(
      {
        nodes: Math.round(shape.nodes / shape.graphs),
        edges: Math.round(shape.edges / shape.graphs),
      },
      g,
    ),
  );
  const [graph] = graphs;
  const config = { ...MODEL_DEFAULTS, encoder, relations: RELATIONS, features: FEATURES };
  const model = Model.create(device, config, 0);
  const random = new Random(0);
  const pairs = graphs.reduce((sum, { neighbours }) => sum + neighbours.nodes.length, 0);
  console.log(`\n${describeShape(shape)}, D = ${FEATURES}, ${pairs} (node, relation) pairs`);
  const times: number[] = [];
  let mask: Uint8Array = new Uint8Array();
  let loss = 0;
  let most = 0;
  for (let epoch = 0; epoch <= epochs; epoch++) {
    const started = performance.now();
    for (const [g, each] of graphs.entries()) {
      const draws = random.stream(`${epoch} ${g}`);
      mask = drawMask(each.nodeCount, each.neighbours, each.frequencies, draws);
      loss = model.step(each, mask).loss;
      most = Math.max(most, device.used);
    }
    if (epoch > 0) times.push(performance.now() - started);
    else console.log(`  layout and first epoch: ${(performance.now() - started).toFixed(0)} ms`);
  }
  const rounds: number[] = [];
  if (inDetail) {
    const groups = Uint8Array.from({ length: graph.nodeCount }, (_, v) => v % ROUNDS);
    for (let i = 0; i < 3; i++) {
      const started = performance.now();
      model.roundErrors(graph, groups, ROUNDS);
      rounds.push(performance.now() - started);
    }
  }
  const masked = inDetail ? median(rounds) : 0;
  const epoch = median(times);
  const { maskedPairs } = new MaskForecast(graph, graph.frequencies, MASK_DEFAULTS).of(
    Array(graph.nodeCount).keys(),
  );
  const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
  console.log(
    `  recal    epoch ${epoch.toFixed(0)} ms (${range(times, 0)}), ` +
      (inDetail ? `${ROUNDS} masked rounds ${masked.toFixed(0)} ms (${range(rounds, 0)}), ` : '') +
      `device memory ${mebibytes(most)} (forecast ${mebibytes(Model.memoryNeed(config, graph, maskedPairs))}), ` +
      `process memory ${mebibytes(process.resourceUsage().maxRSS * 1024)}, ` +
      `masked ${(mask.reduce((sum, byte) => sum + byte, 0) / mask.length).toFixed(2)}, loss ${loss.toFixed(3)}`,
  );
  if (inDetail) {
    device.profile(true);
    const profiled = 3;
    for (let i = 0; i < profiled; i++) model.step(graph, mask);
    describeKernels(device.profile(false), profiled, graph, mask);
  }
  model.close();
  return { epoch, epochs: times, masked };
}

function measurePeer({ nodes, edges }: TrainShape, epochs: number): Times | undefined {
  const small = ['--refs', '1000', '--queries', '100'];
  const shape = ['--nodes', String(nodes), '--edges', String(edges), '--rounds', String(ROUNDS)];
  const args = [PEER, '--dev', 'cpu', '--epochs', String(epochs), ...shape, ...small];
  const python = PYTHONS.find((name) => spawnSync(name, ['-c', 'import torch']).status === 0);
  if (python === undefined) return undefined;
  // Without this variable Debian's PyTorch uses one thread.
  const env = { ...process.env, OMP_NUM_THREADS: String(availableParallelism()) };
  const { stdout, status } = spawnSync(python, args, { encoding: 'utf8', env });
  if (status !== 0) return undefined;
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number | string>);
  const train = lines.find((line) => line.what === 'train_epoch');
  const infer = lines.find((line) => line.what === 'infer');
  if (train === undefined || infer === undefined) return undefined;
  const epochTimes = train.times_ms as unknown as number[];
  const times = { epoch: median(epochTimes), epochs: epochTimes, masked: Number(infer.masked_ms) };
  const blas = train.blas as unknown as string[];
  console.log(
    `  PyTorch  epoch ${times.epoch.toFixed(0)} ms (${range(epochTimes, 0)}), ${ROUNDS} masked rounds ${times.masked.toFixed(0)} ms ` +
      `(version ${train.torch}, ${train.threads} threads, ${Number(train.gemm_gflops).toFixed(0)} GFLOP/s for products, ` +
      `BLAS ${blas.join(', ') || 'built in'})`,
  );
  if (blas.length > 0 && !blas.some((path) => /openblas|mkl|blis|atlas/i.test(path))) {
    console.log(
      '  PyTorch  warning: it uses the reference BLAS, which is several times slower; install libopenblas0-pthread',
    );
  }
  return times;
}

function compare(ours: Times, peer: Times | undefined): void {
  if (peer === undefined) console.log('  PyTorch  not measured: no python3 with torch is installed');
  else {
    console.log(
      `  recal is ${(peer.epoch / ours.epoch).toFixed(1)}× as fast per epoch (${ratioRange(peer.epochs, ours.epochs)}) and ${(peer.masked / ours.masked).toFixed(1)}× for masked rounds`,
    );
  }
}

/** The smallest and largest ratio of any two epochs. */
function ratioRange(peer: readonly number[], ours: readonly number[]): string {
  const least = Math.min(...peer) / Math.max(...ours);
  const most = Math.max(...peer) / Math.min(...ours);
  return `${least.toFixed(1)} to ${most.toFixed(1)}`;
}
