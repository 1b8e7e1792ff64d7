import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Random } from '../dist/base/random.js';
import type { Device } from '../dist/compute/device.js';
import { openDevice } from '../dist/compute/open-device.js';
import { MODEL_DEFAULTS } from '../dist/model/config.js';
import { drawMask, maskedRatio } from '../dist/model/masking.js';
import { Model } from '../dist/model/model.js';
import { FEATURES, makeTrainGraph, RELATIONS, type TrainShape } from './train-graph.js';
import { describeKernels } from './train-kernels.js';

const PEER = fileURLToPath(new URL('../bench/peers/recal_torch.py', import.meta.url));
/** Debian's own carries PyTorch even where another stands before it. */
const PYTHONS = ['python3', '/usr/bin/python3'];
const ROUNDS = 5;

interface Times {
  epoch: number;
  masked: number;
}

/**
 * `npm run bench -- train [NODES/EDGES…]`: an epoch and five masked rounds, ours and the PyTorch peer on the same shape
 * in one run, then the time of each kernel. `--alone` leaves the peer out, `--portable` takes the plain SIMD build.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      alone: { type: 'boolean', default: false },
      portable: { type: 'boolean', default: false },
      encoder: { type: 'string', default: 'additive' },
      epochs: { type: 'string', default: '5' },
      threads: { type: 'string', default: String(availableParallelism()) },
    },
  });
  const given = positionals.map((text): TrainShape => {
    const [nodes, edges] = text.split('/').map(Number);
    return { nodes, edges };
  });
  const shapes =
    given.length > 0
      ? given
      : [
          { nodes: 50_000, edges: 250_000 },
          { nodes: 200_000, edges: 1_000_000 },
        ];
  const device = await openDevice({ threads: Number(values.threads), portable: values.portable });
  console.log(`${cpus()[0]?.model}, ${availableParallelism()} cores, node ${process.version}`);
  console.log(`ours: ${device.build}, ${device.threads} threads, encoder ${values.encoder}`);
  const encoder = values.encoder === 'rgat' ? 'rgat' : 'additive';
  for (const shape of shapes) {
    const ours = measureOurs(device, shape, Number(values.epochs), encoder);
    if (!values.alone) compare(ours, measurePeer(shape, Number(values.epochs)));
  }
  await device.close();
}

function measureOurs(device: Device, shape: TrainShape, epochs: number, encoder: 'additive' | 'rgat'): Times {
  const graph = makeTrainGraph(shape);
  const config = { ...MODEL_DEFAULTS, encoder, relations: RELATIONS, features: FEATURES };
  const model = Model.create(device, config, 0);
  const random = new Random(0);
  console.log(
    `\n${shape.nodes} nodes, ${graph.adjacency.neighbours.length} edges, D = ${FEATURES}, ${graph.neighbours.nodes.length} (node, relation) pairs`,
  );
  const times: number[] = [];
  let mask: Uint8Array = new Uint8Array();
  let loss = 0;
  for (let epoch = 0; epoch <= epochs; epoch++) {
    const started = performance.now();
    mask = drawMask(graph.nodeCount, graph.neighbours, graph.frequencies, random.stream(`${epoch}`));
    loss = model.step(graph, mask).loss;
    if (epoch > 0)
      times.push(performance.now() - started); // the first also arranges the graph
    else console.log(`  arranging the graph and first epoch ${(performance.now() - started).toFixed(0)} ms`);
  }
  const groups = Uint8Array.from({ length: graph.nodeCount }, (_, v) => v % ROUNDS);
  const started = performance.now();
  model.roundErrors(graph, groups, ROUNDS);
  const masked = performance.now() - started;
  const epoch = median(times);
  const memory = `${(device.used / 2 ** 20).toFixed(0)} MiB (bound ${(Model.memoryNeed(config, graph) / 2 ** 20).toFixed(0)})`;
  console.log(
    `  ours   epoch ${epoch.toFixed(0)} ms (${spread(times)}), ${ROUNDS} masked rounds ${masked.toFixed(0)} ms, ${memory}, masked ${maskedRatio(mask).toFixed(2)}, loss ${loss.toFixed(3)}`,
  );
  device.profile(true);
  const profiled = 3;
  for (let i = 0; i < profiled; i++) model.step(graph, mask);
  describeKernels(device.profile(false), profiled, graph, mask);
  model.close();
  return { epoch, masked };
}

function measurePeer({ nodes, edges }: TrainShape, epochs: number): Times | undefined {
  const small = ['--refs', '1000', '--queries', '100'];
  const shape = ['--nodes', String(nodes), '--edges', String(edges), '--rounds', String(ROUNDS)];
  const args = [PEER, '--dev', 'cpu', '--epochs', String(epochs), ...shape, ...small];
  const python = PYTHONS.find((name) => spawnSync(name, ['-c', 'import torch']).status === 0);
  if (python === undefined) return undefined;
  // PyTorch reads the number of threads from here; Debian's otherwise takes one.
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
  const times = { epoch: Number(train.ms), masked: Number(infer.masked_ms) };
  console.log(
    `  peer   epoch ${times.epoch.toFixed(0)} ms, ${ROUNDS} masked rounds ${times.masked.toFixed(0)} ms (PyTorch ${train.torch}, ${train.threads} threads)`,
  );
  return times;
}

function compare(ours: Times, peer: Times | undefined): void {
  if (peer === undefined) console.log('  peer   not measured: python3 with torch is not installed');
  else {
    console.log(
      `  ratio  epoch ${(peer.epoch / ours.epoch).toFixed(1)}×, masked rounds ${(peer.masked / ours.masked).toFixed(1)}×`,
    );
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

function spread(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`;
}
