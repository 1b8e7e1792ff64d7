import type { AttentionTrace, Device, Floats, Integers } from '../../compute/device.js';
import type { BufferPool, PlacedGraph, PlacedSources } from '../layout/placed-graph.js';
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

/** The source rows of one ρ. */
interface Group {
  readonly rho: number;
  readonly start: number;
  readonly rows: number;
}

interface Product {
  readonly group?: Group;
  readonly rows: number;
  readonly w: Floats;
  readonly bias: Floats | null;
  readonly out: Floats;
}

interface ProductGradient {
  readonly group?: Group;
  readonly rows: number;
  readonly dOut: Floats;
  readonly w: Floats;
  readonly dw: Floats;
  readonly dBias: Floats | null;
}

/**
 * The layer of the encoder `rgat` (method §4): z_u^ρ = W_ρ h_u for each (u, ρ) that has an entry, one product per
 * relation; logit = LeakyReLU(a_s·z_u^ρ + a_d·W h_v); out_v = Σ α z_u^ρ; then as in `additive`.
 */
export class RgatLayer implements Layer {
  readonly out: Floats;
  readonly #device: Device;
  readonly #pool: BufferPool;
  readonly #graph: PlacedGraph;
  readonly #sources: PlacedSources;
  readonly #setup: LayerSetup;
  readonly #width: { hidden: number; heads: number };
  readonly #groups: Group[] = [];
  /** z of the source rows. */
  readonly #z: Floats;
  /** z of the nodes as destinations. */
  readonly #own: Floats;
  readonly #pre: Floats;
  readonly #s: Floats;
  readonly #d: Floats;
  /** Scores that the kernel writes but the layer does not use, and the tables b and c, which stay zero. */
  readonly #unused: Floats;
  readonly #zeroB: Floats;
  readonly #zeroC: Floats;
  #trace: AttentionTrace | undefined;
  #training: { dz: Floats; dOwn: Floats; dd: Floats; dB: Floats; dC: Floats } | undefined;

  constructor(pool: BufferPool, graph: PlacedGraph, setup: LayerSetup) {
    if (graph.sources === undefined) throw new RangeError('the graph was placed without source rows');
    const { hidden, heads } = setup.config;
    this.#device = pool.device;
    this.#pool = pool;
    this.#graph = graph;
    this.#sources = graph.sources;
    this.#setup = setup;
    this.#width = { hidden, heads };
    const { groups, count } = graph.sources;
    for (let rho = 0; rho + 1 < groups.length; rho++) {
      const [start, rows] = [groups[rho], groups[rho + 1] - groups[rho]];
      if (rows > 0) this.#groups.push({ rho, start, rows });
    }
    this.#z = pool.floats(count * hidden);
    this.#own = pool.floats(graph.nodes * hidden);
    this.#pre = pool.floats(graph.nodes * hidden);
    this.#s = pool.floats(count * heads);
    this.#d = pool.floats(graph.nodes * heads);
    this.#unused = pool.floats(Math.max(count, graph.nodes) * heads);
    this.#zeroB = pool.floats((groups.length - 1) * heads);
    this.#zeroC = pool.floats((groups.length - 1) * hidden);
    this.#device.enqueue('fill', { target: this.#zeroB, value: 0 });
    this.#device.enqueue('fill', { target: this.#zeroC, value: 0 });
    this.out = setup.isLast ? this.#pre : pool.floats(graph.nodes * hidden);
  }

  forward(input: LayerInput, { rows, training, residual, wanted }: LayerPass): void {
    const { weights: w, config, isLast } = this.#setup;
    const { hidden } = this.#width;
    this.#multiply(input, { rows, w: w('w'), bias: null, out: this.#own });
    this.#multiply(input, { rows: residual, w: w('wRes'), bias: w('bias'), out: this.#pre });
    for (const group of this.#groups) {
      const weight = this.#relationPart(w('wRelation'), group.rho, input);
      const out = this.#device.view(this.#z, group.start * hidden, group.rows * hidden);
      this.#multiply(input, { group, rows: group.rows, w: weight, bias: null, out });
    }
    const scored = { ...this.#width, aSource: w('aSource'), aTarget: w('aTarget') };
    this.#device.enqueue('scores', { ...scored, rows, z: this.#own, s: this.#unused, d: this.#d });
    this.#device.enqueue('scores', {
      ...scored,
      rows: this.#sources.count,
      z: this.#z,
      s: this.#s,
      d: this.#unused,
    });
    if (training) this.#trace ??= makeTrace(this.#pool, this.#graph.connectedCount, config);
    this.#device.enqueue('attend', {
      ...this.#width,
      entries: this.#sources.byTarget,
      z: this.#z,
      s: this.#s,
      d: this.#d,
      standIn: null,
      wanted,
      b: this.#zeroB,
      c: this.#zeroC,
      pre: this.#pre,
      residual,
      bias: w('bias'),
      out: this.out,
      slope: isLast ? null : w('slope'),
      trace: training ? (this.#trace ?? null) : null,
    });
    finishIsolated(this.#device, this.#graph, rows, this.#setup, this.#pre, this.out);
  }

  /** out = h·w + bias for the rows of a group, or for the first rows. */
  #multiply(input: LayerInput, { group, rows, w, bias, out }: Product): void {
    const { hidden } = this.#width;
    const index = this.#indexOf(group);
    if ('x' in input) {
      const { masked, token } = input;
      const x = { ...input.x, rows };
      this.#device.enqueue('sparseLinear', { hidden, x, index, masked, token, w, bias, out });
    } else {
      this.#device.enqueue('linear', { hidden, rows, x: input.h, index, w, bias, out, add: false });
    }
  }

  /** The numbers of the nodes in a group. */
  #indexOf(group: Group | undefined): Integers | null {
    return group === undefined ? null : this.#device.view(this.#sources.nodes, group.start, group.rows);
  }

  backward(input: LayerInput, dOut: Floats, residual: number): Floats | null {
    const { weights: w, gradients: dw } = this.#setup;
    const { hidden } = this.#width;
    const device = this.#device;
    const rows = this.#graph.connectedCount;
    const trace = this.#trace;
    if (trace === undefined) throw new RangeError('backward needs a forward pass for training');
    const { dz, dOwn, dd, dB, dC } = this.#trainingBuffers();
    preluBackward(device, this.#graph, this.#setup, this.#pre, dOut);
    device.enqueue('attendGrad', {
      ...this.#width,
      entries: this.#sources.byTarget,
      sources: { entries: this.#sources.bySource, dd },
      rows,
      z: this.#z,
      s: this.#s,
      d: this.#d,
      b: this.#zeroB,
      c: this.#zeroC,
      trace,
      dPre: dOut,
      dz,
      aSource: w('aSource'),
      aTarget: w('aTarget'),
      db: dB,
      dc: dC,
      daSource: dw('aSource'),
      daTarget: dw('aTarget'),
    });
    device.enqueue('scoresGrad', {
      ...this.#width,
      rows,
      z: this.#own,
      a: w('aTarget'),
      dd,
      dz: dOwn,
      da: dw('aTarget'),
    });
    this.#weightGradients(input, { dOut, rows: residual }, dz, dOwn);
    if ('x' in input) return null;
    for (const group of this.#groups) {
      const part = (buffer: Floats) => device.view(buffer, group.start * hidden, group.rows * hidden);
      // The gradients of the rows of h replace the rows of z.
      device.enqueue('linearGradInput', {
        hidden,
        rows: group.rows,
        dOut: part(dz),
        second: null,
        dx: part(this.#z),
        add: false,
        w: this.#relationPart(w('wRelation'), group.rho, input),
      });
    }
    const { work, rows: entries } = this.#sources.ofNode;
    device.enqueue('segmentSum', {
      hidden,
      work,
      entries,
      sourceRows: null,
      from: this.#z,
      fromScale: null,
      scale: null,
      out: input.h,
      add: false,
    });
    return inputGradient(
      device,
      this.#setup,
      input.h,
      { dOut: dOwn, rows, add: true },
      { dOut, rows: residual },
    );
  }

  #weightGradients(
    input: LayerInput,
    residual: { dOut: Floats; rows: number },
    dz: Floats,
    dOwn: Floats,
  ): void {
    const { weights: w, gradients: dw } = this.#setup;
    const { hidden } = this.#width;
    const { connectedCount: rows } = this.#graph;
    this.#multiplyGrad(input, { rows, dOut: dOwn, w: w('w'), dw: dw('w'), dBias: null });
    const dBias = residual.rows === rows ? dw('bias') : null;
    this.#multiplyGrad(input, { ...residual, w: w('wRes'), dw: dw('wRes'), dBias });
    for (const group of this.#groups) {
      const dOut = this.#device.view(dz, group.start * hidden, group.rows * hidden);
      const [weight, gradient] = [w('wRelation'), dw('wRelation')].map((all) =>
        this.#relationPart(all, group.rho, input),
      );
      this.#multiplyGrad(input, { group, rows: group.rows, dOut, w: weight, dw: gradient, dBias: null });
    }
  }

  /** The gradients of the weights of `#multiply`. */
  #multiplyGrad(input: LayerInput, { group, rows, dOut, w, dw, dBias }: ProductGradient): void {
    const { hidden } = this.#width;
    const index = this.#indexOf(group);
    if ('x' in input) {
      const { masked, token, dToken } = input;
      const x = { ...input.x, rows };
      this.#device.enqueue('sparseLinearGrad', {
        hidden,
        x,
        index,
        masked,
        token,
        w,
        dOut,
        dw,
        dToken,
        dBias,
      });
    } else {
      this.#device.enqueue('linearGradWeights', {
        hidden,
        rows,
        x: input.h,
        index,
        dOut,
        dw,
        dBias,
        add: false,
      });
    }
  }

  #relationPart(all: Floats, rho: number, input: LayerInput): Floats {
    const length = ('x' in input ? input.x.cols : this.#width.hidden) * this.#width.hidden;
    return this.#device.view(all, rho * length, length);
  }

  #trainingBuffers() {
    const { hidden, heads } = this.#width;
    const rows = this.#graph.connectedCount;
    this.#training ??= {
      dz: this.#pool.floats(this.#sources.count * hidden),
      dOwn: this.#pool.floats(rows * hidden),
      dd: this.#pool.floats(rows * heads),
      dB: this.#pool.floats(this.#zeroB.length),
      dC: this.#pool.floats(this.#zeroC.length),
    };
    return this.#training;
  }
}
