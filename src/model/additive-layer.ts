import type { AttentionTrace, Device, Floats } from '../compute/device.js';
import {
  finishAlone,
  type Layer,
  type LayerInput,
  type LayerPass,
  type LayerSetup,
  makeTrace,
} from './layer.js';
import type { BufferPool, PlacedGraph } from './placed-graph.js';

/** h'_v = PReLU(Σ α (z_u + c_ρ) + W_res h_v + bias), the last layer without PReLU (method §4, `additive`). */
export class AdditiveLayer implements Layer {
  readonly out: Floats;
  readonly #device: Device;
  readonly #graph: PlacedGraph;
  readonly #setup: LayerSetup;
  readonly #width: { hidden: number; heads: number };
  readonly #pool: BufferPool;
  readonly #z: Floats;
  readonly #pre: Floats;
  readonly #s: Floats;
  readonly #d: Floats;
  /** Only training needs it. */
  #trace: AttentionTrace | undefined;

  constructor(pool: BufferPool, graph: PlacedGraph, setup: LayerSetup) {
    const { config } = setup;
    this.#device = pool.device;
    this.#pool = pool;
    this.#graph = graph;
    this.#setup = setup;
    this.#width = { hidden: config.hidden, heads: config.heads };
    const { nodes } = graph;
    this.#z = pool.floats(nodes * config.hidden);
    this.#pre = pool.floats(nodes * config.hidden);
    this.#s = pool.floats(nodes * config.heads);
    this.#d = pool.floats(nodes * config.heads);
    this.out = setup.isLast ? this.#pre : pool.floats(nodes * config.hidden);
  }

  forward(input: LayerInput, { rows, training, residual }: LayerPass): void {
    const { weights: w } = this.#setup;
    const device = this.#device;
    const { hidden } = this.#width;
    const [z, pre, s, d] = [this.#z, this.#pre, this.#s, this.#d];
    if ('x' in input) {
      const { masked, token } = input;
      const from = { hidden, x: { ...input.x, rows }, index: null, masked, token };
      const [base, baseRes] = input.base ?? [null, null];
      device.enqueue('sparseLinear', { ...from, w: w('w'), bias: null, base, out: z });
      device.enqueue('sparseLinear', { ...from, w: w('wRes'), bias: w('bias'), base: baseRes, out: pre });
    } else {
      const from = { hidden, rows, x: input.h, index: null, add: false };
      device.enqueue('linear', { ...from, w: w('w'), bias: null, out: z });
      if (residual) device.enqueue('linear', { ...from, w: w('wRes'), bias: w('bias'), out: pre });
    }
    const [aSource, aTarget] = [w('aSource'), w('aTarget')];
    device.enqueue('scores', { ...this.#width, rows, z, aSource, aTarget, s, d });
    device.enqueue('attend', {
      ...{ ...this.#width, entries: this.#graph.entries, z, s, d, b: w('b'), c: w('c'), pre },
      ...{ residual, out: this.out, slope: this.#setup.isLast ? null : w('slope') },
      trace: training ? this.#traceBuffers() : null,
    });
    finishAlone(device, this.#graph, rows, this.#setup, pre, this.out);
  }

  shareProducts(input: LayerInput, [z, pre]: readonly [Floats, Floats]): void {
    if (!('x' in input)) return;
    const { weights: w } = this.#setup;
    const x = { ...input.x, rows: this.#graph.connected };
    const from = { hidden: this.#width.hidden, x, index: null, masked: null, token: input.token };
    this.#device.enqueue('sparseLinear', { ...from, w: w('w'), bias: null, base: null, out: z });
    this.#device.enqueue('sparseLinear', { ...from, w: w('wRes'), bias: w('bias'), base: null, out: pre });
  }

  backward(input: LayerInput, dOut: Floats, residual: boolean): Floats | null {
    const { weights: w, gradients: dw } = this.#setup;
    const device = this.#device;
    const rows = this.#graph.connected;
    const { hidden } = this.#width;
    const trace = this.#traceBuffers();
    if (!this.#setup.isLast) {
      const [slope, dSlope] = [w('slope'), dw('slope')];
      device.enqueue('preluGrad', { hidden, rows, pre: this.#pre, slope, dh: dOut, dSlope });
    }
    const dz = this.#z; // z is used up
    device.enqueue('attendGrad', {
      ...{
        ...this.#width,
        entries: this.#graph.entries,
        sources: null,
        rows,
        z: this.#z,
        s: this.#s,
        d: this.#d,
      },
      ...{ b: w('b'), c: w('c'), aSource: w('aSource'), aTarget: w('aTarget'), trace },
      ...{ dPre: dOut, dz, db: dw('b'), dc: dw('c'), daSource: dw('aSource'), daTarget: dw('aTarget') },
    });
    if ('x' in input) {
      const { masked, token, dToken } = input;
      const from = { hidden, x: { ...input.x, rows }, index: null, masked, token, dToken };
      device.enqueue('sparseLinearGrad', { ...from, w: w('w'), dOut: dz, dw: dw('w'), dBias: null });
      device.enqueue('sparseLinearGrad', {
        ...{ ...from, w: w('wRes'), dOut, dw: dw('wRes'), dBias: dw('bias') },
      });
      return null;
    }
    const from = { hidden, rows, x: input.h, index: null };
    device.enqueue('linearGradWeights', { ...from, dOut: dz, dw: dw('w'), dBias: null });
    if (residual) {
      device.enqueue('linearGradWeights', { ...from, dOut, dw: dw('wRes'), dBias: dw('bias') });
    }
    const dInput = input.h; // used up
    const second = residual ? { dOut, w: w('wRes') } : null;
    device.enqueue('linearGradInput', { hidden, rows, dOut: dz, w: w('w'), second, dx: dInput, add: false });
    return dInput;
  }

  #traceBuffers(): AttentionTrace {
    this.#trace ??= makeTrace(this.#pool, this.#graph.connected, this.#setup.config);
    return this.#trace;
  }
}
