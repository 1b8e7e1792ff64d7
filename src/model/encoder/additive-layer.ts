import type { AttentionTrace, Device, EntryBuffers, Floats, Integers } from '../../compute/device.js';
import type { BufferPool, PlacedGraph } from '../layout/placed-graph.js';
import {
  finishAlone,
  gradientOfInput,
  type Layer,
  type LayerInput,
  type LayerPass,
  type LayerSetup,
  makeTrace,
  passPrelu,
} from './layer.js';

/** h'_v = PReLU(Σ α (z_u + c_ρ) + W_res h_v + bias), the last layer without PReLU (method §4, `additive`). */
export class AdditiveLayer implements Layer {
  readonly out: Floats;
  readonly #device: Device;
  readonly #graph: PlacedGraph;
  readonly #setup: LayerSetup;
  readonly #width: { hidden: number; heads: number };
  readonly #pool: BufferPool;
  /** These have a row for each node, and one for masked nodes to share, which the first layer may use: see `share`. */
  readonly #z: Floats;
  readonly #pre: Floats;
  readonly #s: Floats;
  readonly #d: Floats;
  /** Only training needs it. */
  #trace: AttentionTrace | undefined;
  /** Only rounds need it. */
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
    if (!shared) this.#multiply(input, rows, residual);
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
    finishAlone(device, this.#graph, rows, this.#setup, pre, this.out);
  }

  /** Every connected node as if none were masked, and behind the last node the row that masked ones have in common. */
  share(input: LayerInput): boolean {
    // A layer that is the last too puts its results in the place of the residual.
    if (!('x' in input) || this.#setup.isLast) return false;
    const { weights: w } = this.#setup;
    const device = this.#device;
    const { nodes, connected } = this.#graph;
    const { hidden, heads } = this.#width;
    this.#multiply({ ...input, masked: null }, connected, connected);
    const last = (buffer: Floats, width: number) => device.view(buffer, nodes * width, width);
    const [z, pre] = [last(this.#z, hidden), last(this.#pre, hidden)];
    const { token } = input;
    device.enqueue('tokenLinear', { hidden, token, w: w('w'), bias: null, out: z });
    device.enqueue('tokenLinear', { hidden, token, w: w('wRes'), bias: w('bias'), out: pre });
    this.#score(1, z, last(this.#s, heads), last(this.#d, heads));
    return true;
  }

  /** z, the residual, and scores. */
  #multiply(input: LayerInput, rows: number, residual: number): void {
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

  /** The entries, where those from masked nodes come from the row behind the last node. */
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
    const rows = this.#graph.connected;
    const { hidden } = this.#width;
    const trace = this.#traceBuffers();
    passPrelu(device, this.#graph, this.#setup, this.#pre, dOut);
    const dz = this.#z; // z is used up
    device.enqueue('attendGrad', {
      ...this.#width,
      entries: this.#graph.entries,
      sources: null,
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
    return gradientOfInput(
      device,
      this.#setup,
      input.h,
      { dOut: dz, rows, add: false },
      { dOut, rows: residual },
    );
  }

  #traceBuffers(): AttentionTrace {
    this.#trace ??= makeTrace(this.#pool, this.#graph.connected, this.#setup.config);
    return this.#trace;
  }
}
