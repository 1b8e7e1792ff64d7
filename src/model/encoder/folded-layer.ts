import type { AttentionTrace, Device, Floats, FoldedBuffers } from '../../compute/device.js';
import type { BufferPool, PlacedGraph } from '../layout/placed-graph.js';
import {
  finishIsolated,
  type Layer,
  type LayerInput,
  type LayerPass,
  type LayerSetup,
  makeTrace,
  preluBackward,
} from './layer.js';

interface TrainingBuffers {
  readonly trace: AttentionTrace;
  /** Σ α h of the folded rows, per head; later the gradient of these sums. */
  readonly sums: Floats;
  readonly dz: Floats;
}

/**
 * Computes the same as AdditiveLayer, for layers after the first. A folded row sums first and projects afterwards:
 * Σ α (W h_u) = W Σ α h_u. A node whose neighbours all fold then needs no product with W, forward or backward. Rows fold
 * when that saves time (see hubs.ts).
 */
export class FoldedLayer implements Layer {
  readonly out: Floats;
  readonly #device: Device;
  readonly #graph: PlacedGraph;
  readonly #entries: FoldedBuffers;
  readonly #setup: LayerSetup;
  readonly #width: { hidden: number; heads: number };
  readonly #pool: BufferPool;
  /** Only for the projected rows: see FoldedBuffers. */
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
    this.#z = pool.floats(entries.projectedCount * hidden);
    this.#pre = pool.floats(graph.nodes * hidden);
    this.#s = pool.floats(graph.connectedCount * heads);
    this.#d = pool.floats(graph.connectedCount * heads);
    this.out = setup.isLast ? this.#pre : pool.floats(graph.nodes * hidden);
  }

  forward(input: LayerInput, { rows, training, residual, wanted }: LayerPass): void {
    const { weights: w, isLast } = this.#setup;
    const device = this.#device;
    const [entries, width, h] = [this.#entries, this.#width, inputOf(input)];
    const [z, pre, s, d] = [this.#z, this.#pre, this.#s, this.#d];
    const kept = training ? this.#trainingBuffers() : undefined;
    const from = { hidden: width.hidden, x: h, index: null, add: false };
    device.enqueue('linear', { ...from, rows: entries.projectedCount, w: w('w'), bias: null, out: z });
    device.enqueue('linear', { ...from, rows: residual, w: w('wRes'), bias: w('bias'), out: pre });
    const scored = { ...width, rows: this.#graph.connectedCount, h, w: w('w'), s, d };
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
    const unfolded = { ...entries, work: entries.unfoldedWork };
    device.enqueue('attend', { ...pass, entries: unfolded, standIn: null, z });
    device.enqueue('foldAttend', { ...pass, entries, h, w: w('w'), sums: kept?.sums ?? null });
    finishIsolated(device, this.#graph, rows, this.#setup, pre, this.out);
  }

  backward(input: LayerInput, dOut: Floats, residual: number): Floats {
    const { weights: w, gradients: dw } = this.#setup;
    const device = this.#device;
    const [entries, h] = [this.#entries, inputOf(input)];
    const rows = this.#graph.connectedCount;
    const { hidden } = this.#width;
    const { trace, sums, dz } = this.#trainingBuffers();
    preluBackward(device, this.#graph, this.#setup, this.#pre, dOut);
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
      rows: entries.foldedCount,
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
    device.enqueue('linearGradInput', { ...onto, rows: entries.projectedCount, dOut: dz, w: w('w') });
    device.enqueue('linearGradInput', { ...onto, rows: residual, dOut, w: w('wRes') });
    return h;
  }

  #trainingBuffers(): TrainingBuffers {
    const { hidden, heads } = this.#width;
    const { foldedCount, projectedCount } = this.#entries;
    this.#training ??= {
      trace: makeTrace(this.#pool, this.#graph.connectedCount, this.#setup.config),
      sums: this.#pool.floats(foldedCount * heads * hidden),
      dz: this.#pool.floats(projectedCount * hidden),
    };
    return this.#training;
  }
}

function inputOf(input: LayerInput): Floats {
  if ('x' in input) throw new RangeError('the first layer does not fold');
  return input.h;
}
