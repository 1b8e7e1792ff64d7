import type { AttentionTrace, Device, Floats } from '../../compute/device.js';
import type { BufferPool, PlacedGraph, PlacedSources } from '../layout/placed-graph.js';
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

/** A group of source rows under one ρ. */
interface Group {
  readonly rho: number;
  readonly start: number;
  readonly rows: number;
}

/**
 * The `rgat` layer of method §4: z_u^ρ = W_ρ h_u for each (u, ρ) that has an entry, one product per relation;
 * logit = LeakyReLU(a_s·z_u^ρ + a_d·W h_v), out_v = Σ α z_u^ρ, then as in `additive`.
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
  /** z of source rows, and of the nodes themselves as destinations. */
  readonly #z: Floats;
  readonly #own: Floats;
  readonly #pre: Floats;
  readonly #s: Floats;
  readonly #d: Floats;
  /** The kernels' scores that are not wanted, tables b and c that stay zero, and their gradients. */
  readonly #unused: Floats;
  readonly #zeroB: Floats;
  readonly #zeroC: Floats;
  #trace: AttentionTrace | undefined;
  #training: { dz: Floats; dOwn: Floats; dd: Floats; dB: Floats; dC: Floats } | undefined;

  constructor(pool: BufferPool, graph: PlacedGraph, setup: LayerSetup) {
    if (graph.sources === undefined) throw new RangeError('a graph placed without source rows');
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
    const apply = (
      index: Group | null,
      weight: Floats,
      bias: Floats | null,
      out: Floats,
      count = index?.rows ?? rows,
    ) => {
      const numbers = index && this.#device.view(this.#sources.nodes, index.start, index.rows);
      if ('x' in input) {
        const { masked, token } = input;
        this.#device.enqueue('sparseLinear', {
          hidden,
          x: { ...input.x, rows: count },
          index: numbers,
          masked,
          token,
          w: weight,
          bias,
          out,
        });
      } else {
        this.#device.enqueue('linear', {
          hidden,
          rows: count,
          x: input.h,
          index: numbers,
          w: weight,
          bias,
          out,
          add: false,
        });
      }
    };
    apply(null, w('w'), null, this.#own);
    apply(null, w('wRes'), w('bias'), this.#pre, residual);
    for (const group of this.#groups) {
      const out = this.#device.view(this.#z, group.start * hidden, group.rows * hidden);
      apply(group, this.#relationPart(w('wRelation'), group.rho, input), null, out);
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
    if (training) this.#trace ??= makeTrace(this.#pool, this.#graph.connected, config);
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
    finishAlone(this.#device, this.#graph, rows, this.#setup, this.#pre, this.out);
  }

  backward(input: LayerInput, dOut: Floats, residual: number): Floats | null {
    const { weights: w, gradients: dw } = this.#setup;
    const { hidden } = this.#width;
    const device = this.#device;
    const rows = this.#graph.connected;
    const trace = this.#trace;
    if (trace === undefined) throw new RangeError('backward without a forward pass for training');
    const { dz, dOwn, dd, dB, dC } = this.#trainingBuffers();
    passPrelu(device, this.#graph, this.#setup, this.#pre, dOut);
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
      // z is used up: its rows take the gradients of the rows of h.
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
      slots: null,
      from: this.#z,
      fromScale: null,
      scale: null,
      out: input.h,
      add: false, // used up
    });
    return gradientOfInput(
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
    const { connected } = this.#graph;
    const apply = (
      group: Group | null,
      gradient: Floats,
      weight: Floats,
      into: Floats,
      dBias: Floats | null,
      rows = group?.rows ?? connected,
    ) => {
      const index = group && this.#device.view(this.#sources.nodes, group.start, group.rows);
      if ('x' in input) {
        const { masked, token, dToken } = input;
        const x = { ...input.x, rows };
        this.#device.enqueue('sparseLinearGrad', {
          hidden,
          x,
          index,
          masked,
          token,
          w: weight,
          dOut: gradient,
          dw: into,
          dToken,
          dBias,
        });
      } else {
        this.#device.enqueue('linearGradWeights', {
          hidden,
          rows,
          x: input.h,
          index,
          dOut: gradient,
          dw: into,
          dBias,
          add: false,
        });
      }
    };
    apply(null, dOwn, w('w'), dw('w'), null);
    const dBias = residual.rows === connected ? dw('bias') : null;
    apply(null, residual.dOut, w('wRes'), dw('wRes'), dBias, residual.rows);
    for (const group of this.#groups) {
      const part = this.#device.view(dz, group.start * hidden, group.rows * hidden);
      const [weight, into] = [w('wRelation'), dw('wRelation')].map((all) =>
        this.#relationPart(all, group.rho, input),
      );
      apply(group, part, weight, into, null);
    }
  }

  #relationPart(all: Floats, rho: number, input: LayerInput): Floats {
    const length = ('x' in input ? input.x.cols : this.#width.hidden) * this.#width.hidden;
    return this.#device.view(all, rho * length, length);
  }

  #trainingBuffers() {
    const { hidden, heads } = this.#width;
    const rows = this.#graph.connected;
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
