import type { AttentionTrace, Device, Floats, FoldedBuffers } from '../../compute/device.js';
import type { BufferPool, PlacedGraph } from '../layout/placed-graph.js';
import {
  finishAlone,
  type Layer,
  type LayerInput,
  type LayerPass,
  type LayerSetup,
  makeTrace,
  passPrelu,
} from './layer.js';

/** What only training needs: Σ α h of those that fold, by head, in whose place comes the gradient of those sums; dz. */
interface TrainingBuffers {
  readonly trace: AttentionTrace;
  readonly sums: Floats;
  readonly dz: Floats;
}

/**
 * The same layer as AdditiveLayer, behind the first, on a graph with many nodes that have only hubs for neighbours. Hubs fold:
 * Σ α (W h_u) = W Σ α h_u, so that such a node needs no product with W, and none for its gradients. Who folds is chosen in
 * hubs.ts.
 */
export class FoldedLayer implements Layer {
  readonly out: Floats;
  readonly #device: Device;
  readonly #graph: PlacedGraph;
  readonly #entries: FoldedBuffers;
  readonly #setup: LayerSetup;
  readonly #width: { hidden: number; heads: number };
  readonly #pool: BufferPool;
  /** Of the first rows only: see FoldedBuffers. */
  readonly #z: Floats;
  readonly #pre: Floats;
  readonly #s: Floats;
  readonly #d: Floats;
  #training: TrainingBuffers | undefined;

  constructor(pool: BufferPool, graph: PlacedGraph, entries: FoldedBuffers, setup: LayerSetup) {
    const { hidden, heads } = setup.config;
    this.#device = pool.device;
    this.#pool = pool;
    this.#graph = graph;
    this.#entries = entries;
    this.#setup = setup;
    this.#width = { hidden, heads };
    this.#z = pool.floats(entries.multiplied * hidden);
    this.#pre = pool.floats(graph.nodes * hidden);
    this.#s = pool.floats(graph.connected * heads);
    this.#d = pool.floats(graph.connected * heads);
    this.out = setup.isLast ? this.#pre : pool.floats(graph.nodes * hidden);
  }

  forward(input: LayerInput, { rows, training, residual, wanted }: LayerPass): void {
    const { weights: w, isLast } = this.#setup;
    const device = this.#device;
    const [entries, width, h] = [this.#entries, this.#width, inputOf(input)];
    const [z, pre, s, d] = [this.#z, this.#pre, this.#s, this.#d];
    const kept = training ? this.#trainingBuffers() : undefined;
    const from = { hidden: width.hidden, x: h, index: null, add: false };
    device.enqueue('linear', { ...from, rows: entries.multiplied, w: w('w'), bias: null, out: z });
    device.enqueue('linear', { ...from, rows: residual, w: w('wRes'), bias: w('bias'), out: pre });
    const scored = { ...width, rows: this.#graph.connected, h, w: w('w'), s, d };
    device.enqueue('foldScores', { ...scored, aSource: w('aSource'), aTarget: w('aTarget') });
    const pass = {
      ...width,
      s,
      d,
      b: w('b'),
      c: w('c'),
      pre,
      residual,
      bias: w('bias'),
      wanted,
      out: this.out,
      slope: isLast ? null : w('slope'),
      trace: kept?.trace ?? null,
    };
    const others = { ...entries, work: entries.workOfOthers };
    device.enqueue('attend', { ...pass, entries: others, standIn: null, z });
    device.enqueue('foldAttend', { ...pass, entries, h, w: w('w'), sums: kept?.sums ?? null });
    finishAlone(device, this.#graph, rows, this.#setup, pre, this.out);
  }

  backward(input: LayerInput, dOut: Floats, residual: number): Floats {
    const { weights: w, gradients: dw } = this.#setup;
    const device = this.#device;
    const [entries, h] = [this.#entries, inputOf(input)];
    const rows = this.#graph.connected;
    const { hidden } = this.#width;
    const { trace, sums, dz } = this.#trainingBuffers();
    passPrelu(device, this.#graph, this.#setup, this.#pre, dOut);
    const dBias = residual === rows ? dw('bias') : null;
    device.enqueue('linearGradWeights', {
      hidden,
      rows: residual,
      x: h,
      index: null,
      dOut,
      dw: dw('wRes'),
      dBias,
      add: false,
    });
    device.enqueue('foldGradient', {
      ...this.#width,
      rows: entries.folding,
      dPre: dOut,
      w: w('w'),
      sums,
      dw: dw('w'),
    });
    device.enqueue('foldAttendGrad', {
      ...this.#width,
      entries,
      rows,
      h,
      w: w('w'),
      g: sums,
      z: this.#z,
      s: this.#s,
      d: this.#d,
      b: w('b'),
      c: w('c'),
      aSource: w('aSource'),
      aTarget: w('aTarget'),
      trace,
      dPre: dOut,
      dz,
      dw: dw('w'),
      db: dw('b'),
      dc: dw('c'),
      daSource: dw('aSource'),
      daTarget: dw('aTarget'),
    });
    const onto = { hidden, second: null, dx: h, add: true };
    device.enqueue('linearGradInput', { ...onto, rows: entries.multiplied, dOut: dz, w: w('w') });
    device.enqueue('linearGradInput', { ...onto, rows: residual, dOut, w: w('wRes') });
    return h;
  }

  #trainingBuffers(): TrainingBuffers {
    const { hidden, heads } = this.#width;
    const { folding, multiplied } = this.#entries;
    this.#training ??= {
      trace: makeTrace(this.#pool, this.#graph.connected, this.#setup.config),
      sums: this.#pool.floats(folding * heads * hidden),
      dz: this.#pool.floats(multiplied * hidden),
    };
    return this.#training;
  }
}

function inputOf(input: LayerInput): Floats {
  if ('x' in input) throw new RangeError('the first layer does not fold');
  return input.h;
}
