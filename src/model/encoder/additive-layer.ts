import type { AttentionTrace, Device, EntryBuffers, Floats, Integers } from '../../compute/device.js';
import type { BufferPool, PlacedGraph } from '../layout/placed-graph.js';
import {
  finishIsolated,
  inputGradient,
  type Layer,
  type LayerInput,
  type LayerPass,
  type LayerSetup,
  makeTrace,
  preluBackward,
} from './layer.js';

/** h'_v = PReLU(Σ α (z_u + c_ρ) + W_res h_v + bias), without PReLU in the last layer (method §4, `additive`). */
export class AdditiveLayer implements Layer {
  readonly out: Floats;
  readonly #device: Device;
  readonly #graph: PlacedGraph;
  readonly #setup: LayerSetup;
  readonly #width: { hidden: number; heads: number };
  readonly #pool: BufferPool;
  /** One row per node, and one row that masked nodes share in the first layer: see `share`. */
  readonly #z: Floats;
  readonly #pre: Floats;
  readonly #s: Floats;
  readonly #d: Floats;
  /** Only for training. */
  #trace: AttentionTrace | undefined;
  /** Only for inference rounds. */
  #redirected: Integers | undefined;

  constructor(pool: BufferPool, graph: PlacedGraph, setup: LayerSetup) {
    const { config } = setup;
    this.#device = pool.device;
    this.#pool = pool;
    this.#graph = graph;
    this.#setup = setup;
    this.#width = { hidden: config.hidden, heads: config.heads };
    const { nodes } = graph;
    this.#z = pool.floats((nodes + 1) * config.hidden);
    this.#pre = pool.floats((nodes + 1) * config.hidden);
    this.#s = pool.floats((nodes + 1) * config.heads);
    this.#d = pool.floats((nodes + 1) * config.heads);
    const length = nodes * config.hidden;
    this.out = setup.isLast ? pool.device.view(this.#pre, 0, length) : pool.floats(length);
  }

  forward(input: LayerInput, { rows, training, residual, wanted }: LayerPass): void {
    const { weights: w } = this.#setup;
    const device = this.#device;
    const [z, pre, s, d] = [this.#z, this.#pre, this.#s, this.#d];
    const shared = 'x' in input && input.shared;
    const masked = shared ? input.masked : null;
    if (!shared) this.#project(input, rows, residual);
    device.enqueue('attend', {
      ...this.#width,
      z,
      s,
      d,
      b: w('b'),
      c: w('c'),
      pre,
      entries: masked === null ? this.#graph.entries : this.#redirect(masked),
      standIn: masked === null ? null : { masked, row: this.#graph.nodes },
      wanted,
      residual,
      bias: w('bias'),
      out: this.out,
      slope: this.#setup.isLast ? null : w('slope'),
      trace: training ? this.#traceBuffers() : null,
    });
    finishIsolated(device, this.#graph, rows, this.#setup, pre, this.out);
  }

  /** Projects every connected node as if unmasked. The row after the last node is the one that masked nodes share. */
  share(input: LayerInput): boolean {
    // The last layer overwrites the residual with its result.
    if (!('x' in input) || this.#setup.isLast) return false;
    const { weights: w } = this.#setup;
    const device = this.#device;
    const { nodes, connectedCount } = this.#graph;
    const { hidden, heads } = this.#width;
    this.#project({ ...input, masked: null }, connectedCount, connectedCount);
    const sharedRow = (buffer: Floats, width: number) => device.view(buffer, nodes * width, width);
    const [z, pre] = [sharedRow(this.#z, hidden), sharedRow(this.#pre, hidden)];
    const { token } = input;
    device.enqueue('tokenLinear', { hidden, token, w: w('w'), bias: null, out: z });
    device.enqueue('tokenLinear', { hidden, token, w: w('wRes'), bias: w('bias'), out: pre });
    this.#score(1, z, sharedRow(this.#s, heads), sharedRow(this.#d, heads));
    return true;
  }

  /** Computes z, the residual and the scores. */
  #project(input: LayerInput, rows: number, residual: number): void {
    const { weights: w } = this.#setup;
    const device = this.#device;
    const { hidden } = this.#width;
    const [z, pre] = [this.#z, this.#pre];
    if ('x' in input) {
      const { masked, token } = input;
      const from = { hidden, x: { ...input.x, rows }, index: null, masked, token };
      device.enqueue('sparseLinear', { ...from, w: w('w'), bias: null, out: z });
      device.enqueue('sparseLinear', { ...from, w: w('wRes'), bias: w('bias'), out: pre });
    } else {
      const from = { hidden, x: input.h, index: null, add: false };
      device.enqueue('linear', { ...from, rows, w: w('w'), bias: null, out: z });
      device.enqueue('linear', { ...from, rows: residual, w: w('wRes'), bias: w('bias'), out: pre });
    }
    this.#score(rows, z, this.#s, this.#d);
  }

  #score(rows: number, z: Floats, s: Floats, d: Floats): void {
    const { weights: w } = this.#setup;
    const [aSource, aTarget] = [w('aSource'), w('aTarget')];
    this.#device.enqueue('scores', { ...this.#width, rows, z, aSource, aTarget, s, d });
  }

  /** The entries, with masked neighbours replaced by the row that they share. */
  #redirect(masked: Integers): EntryBuffers {
    const { entries, nodes } = this.#graph;
    const { neighbours: from } = entries;
    this.#redirected ??= this.#pool.integers(new Uint32Array(from.length));
    this.#device.enqueue('redirect', { from, masked, to: nodes, out: this.#redirected });
    return { ...entries, neighbours: this.#redirected };
  }

  backward(input: LayerInput, dOut: Floats, residual: number): Floats | null {
    const { weights: w, gradients: dw } = this.#setup;
    const device = this.#device;
    const rows = this.#graph.connectedCount;
    const { hidden } = this.#width;
    const trace = this.#traceBuffers();
    preluBackward(device, this.#graph, this.#setup, this.#pre, dOut);
    const dz = this.#z; // dz replaces z
    device.enqueue('attendGrad', {
      ...this.#width,
      entries: this.#graph.entries,
      rows,
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
      db: dw('b'),
      dc: dw('c'),
      daSource: dw('aSource'),
      daTarget: dw('aTarget'),
    });
    if ('x' in input) {
      const { masked, token, dToken } = input;
      const from = { hidden, x: { ...input.x, rows }, index: null, masked, token, dToken };
      device.enqueue('sparseLinearGrad', { ...from, w: w('w'), dOut: dz, dw: dw('w'), dBias: null });
      device.enqueue('sparseLinearGrad', {
        ...from,
        w: w('wRes'),
        dOut,
        dw: dw('wRes'),
        dBias: dw('bias'),
      });
      return null;
    }
    const from = { hidden, x: input.h, index: null, add: false };
    device.enqueue('linearGradWeights', { ...from, rows, dOut: dz, dw: dw('w'), dBias: null });
    const dBias = residual === rows ? dw('bias') : null;
    device.enqueue('linearGradWeights', { ...from, rows: residual, dOut, dw: dw('wRes'), dBias });
    return inputGradient(device, this.#setup, input.h, { dOut: dz, rows }, { dOut, rows: residual });
  }

  #traceBuffers(): AttentionTrace {
    this.#trace ??= makeTrace(this.#pool, this.#graph.connectedCount, this.#setup.config);
    return this.#trace;
  }
}
