import type { AttentionTrace, Device, Floats, Integers } from '../../compute/device.js';
import type { BufferPool, PlacedGraph, PlacedSources } from '../layout/placed-graph.js';
import {
  finishIsolated,
  type Layer,
  type LayerInput,
  type LayerPass,
  type LayerSetup,
  makeTrace,
  preluBackward,
} from './layer.js';

/** The rows of one ρ. As destinations they are rows of the reverse of ρ. */
interface Group {
  readonly rho: number;
  readonly reverse: number;
  readonly start: number;
  readonly rows: number;
}

/** The rows of a group, or the first rows of the graph. */
type Rows = Group | { readonly rows: number };

interface TrainingBuffers {
  readonly trace: AttentionTrace;
  readonly dz: Floats;
  readonly ds: Floats;
  readonly dd: Floats;
  readonly dv: Floats;
}

/**
 * The layer of the encoder `rgat` (method §4), a relational graph attention network with additive logits and one softmax
 * across relations: g_v^ρ = W_ρ h_v; logit(u → v, ρ) = LeakyReLU(a_s^ρ·g_u^ρ + a_d^ρ·g_v^ρ); out_v = Σ α g_u^ρ; then as in
 * `additive`. As a source, a node needs g itself (z below). As a destination it needs only d = a_d·g = h·v_ρ, where
 * v_ρ = W_ρ a_d^ρ has one column per head.
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
  /** z, s and d of the rows. */
  readonly #z: Floats;
  readonly #s: Floats;
  readonly #d: Floats;
  /** v of each ρ. */
  readonly #v: Floats;
  readonly #pre: Floats;
  /** The width of the input: D or H. */
  readonly #inputs: number;
  #training: TrainingBuffers | undefined;

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
    const directed = groups.length - 1;
    for (let rho = 0; rho < directed; rho++) {
      const [start, rows] = [groups[rho], groups[rho + 1] - groups[rho]];
      const reverse = (rho + directed / 2) % directed;
      if (rows > 0) this.#groups.push({ rho, reverse, start, rows });
    }
    this.#inputs = setup.weights('wRes').length / hidden;
    this.#z = pool.floats(count * hidden);
    this.#s = pool.floats(count * heads);
    this.#d = pool.floats(count * heads);
    this.#v = pool.floats(directed * this.#inputs * heads);
    this.#pre = pool.floats(graph.nodes * hidden);
    this.out = setup.isLast ? this.#pre : pool.floats(graph.nodes * hidden);
  }

  forward(input: LayerInput, { rows, training, residual, wanted }: LayerPass): void {
    const { weights: w, isLast } = this.#setup;
    const device = this.#device;
    this.#multiply(input, { rows: residual }, w('wRes'), w('bias'), this.#pre);
    for (const group of this.#groups) {
      const z = this.#rowsOf(this.#z, group);
      this.#multiply(input, group, this.#weightsOf(w('wRelation'), group.rho), null, z);
      device.enqueue('headScores', {
        ...this.#width,
        rows: group.rows,
        z,
        a: this.#scoresOf(w('aSource'), group.rho),
        out: this.#rowsOf(this.#s, group),
      });
      device.enqueue('headScores', {
        ...this.#width,
        rows: this.#inputs,
        z: this.#weightsOf(w('wRelation'), group.rho),
        a: this.#scoresOf(w('aTarget'), group.rho),
        out: this.#columnsOf(this.#v, group.rho),
      });
    }
    for (const group of this.#groups) this.#scoreTargets(input, group);
    device.enqueue('relationAttend', {
      ...this.#width,
      entries: this.#sources.entries,
      z: this.#z,
      s: this.#s,
      d: this.#d,
      wanted,
      pre: this.#pre,
      residual,
      bias: w('bias'),
      out: this.out,
      slope: isLast ? null : w('slope'),
      trace: training ? this.#trainingBuffers().trace : null,
    });
    finishIsolated(device, this.#graph, rows, this.#setup, this.#pre, this.out);
  }

  /** out = h·w + bias. */
  #multiply(input: LayerInput, those: Rows, w: Floats, bias: Floats | null, out: Floats): void {
    const { hidden } = this.#width;
    const { rows } = those;
    const index = this.#indexOf(those);
    if ('x' in input) {
      const { masked, token } = input;
      const x = { ...input.x, rows };
      this.#device.enqueue('sparseLinear', { hidden, x, index, masked, token, w, bias, out });
    } else {
      this.#device.enqueue('linear', { hidden, rows, x: input.h, index, w, bias, out, add: false });
    }
  }

  /** d of a group. */
  #scoreTargets(input: LayerInput, group: Group): void {
    const v = this.#columnsOf(this.#v, group.reverse);
    const out = this.#rowsOf(this.#d, group);
    const index = this.#indexOf(group);
    if ('x' in input) {
      const { x, masked, token } = input;
      this.#device.enqueue('sparseHeads', { ...this.#width, x, index, masked, token, v, out });
    } else {
      this.#device.enqueue('headLinear', {
        ...this.#width,
        rows: group.rows,
        x: input.h,
        index,
        v,
        out,
      });
    }
  }

  backward(input: LayerInput, dOut: Floats, residual: number): Floats | null {
    const device = this.#device;
    const { trace, dz, ds, dd } = this.#trainingBuffers();
    preluBackward(device, this.#graph, this.#setup, this.#pre, dOut);
    device.enqueue('relationAttendGrad', {
      ...this.#width,
      entries: this.#sources.entries,
      rows: this.#graph.connectedCount,
      z: this.#z,
      s: this.#s,
      d: this.#d,
      trace,
      dPre: dOut,
      dz,
      ds,
      dd,
    });
    this.#weightGradients(input, dOut, residual);
    return 'x' in input ? null : this.#inputGradient(input.h, dOut, residual);
  }

  #weightGradients(input: LayerInput, dOut: Floats, residual: number): void {
    const { weights: w, gradients: dw } = this.#setup;
    const { dz, ds, dv } = this.#trainingBuffers();
    const dBias = residual === this.#graph.connectedCount ? dw('bias') : null;
    this.#multiplyGrad(input, { rows: residual }, dOut, w('wRes'), dw('wRes'), dBias);
    for (const group of this.#groups) {
      const { rho, rows } = group;
      const weights = this.#weightsOf(w('wRelation'), rho);
      const gradients = this.#weightsOf(dw('wRelation'), rho);
      const dzOfGroup = this.#rowsOf(dz, group);
      this.#device.enqueue('scoresGrad', {
        ...this.#width,
        rows,
        z: this.#rowsOf(this.#z, group),
        a: this.#scoresOf(w('aSource'), rho),
        dd: this.#rowsOf(ds, group),
        dz: dzOfGroup,
        da: this.#scoresOf(dw('aSource'), rho),
      });
      this.#multiplyGrad(input, group, dzOfGroup, weights, gradients, null);
      this.#scoreTargetsGrad(input, group);
    }
    for (const { rho } of this.#groups) {
      this.#device.enqueue('scoresGrad', {
        ...this.#width,
        rows: this.#inputs,
        z: this.#weightsOf(w('wRelation'), rho),
        a: this.#scoresOf(w('aTarget'), rho),
        dd: this.#columnsOf(dv, rho),
        dz: this.#weightsOf(dw('wRelation'), rho),
        da: this.#scoresOf(dw('aTarget'), rho),
      });
    }
  }

  /** The gradients of the weights of `#multiply`. */
  #multiplyGrad(
    input: LayerInput,
    those: Rows,
    dOut: Floats,
    w: Floats,
    dw: Floats,
    dBias: Floats | null,
  ): void {
    const { hidden } = this.#width;
    const { rows } = those;
    const index = this.#indexOf(those);
    if ('x' in input) {
      const { masked, token, dToken } = input;
      const from = { hidden, x: { ...input.x, rows }, index, masked, token };
      this.#device.enqueue('sparseLinearGrad', { ...from, w, dOut, dw, dToken, dBias });
    } else {
      const from = { hidden, rows, x: input.h, index };
      this.#device.enqueue('linearGradWeights', { ...from, dOut, dw, dBias, add: false });
    }
  }

  /** dv of the reverse of a group. */
  #scoreTargetsGrad(input: LayerInput, group: Group): void {
    const training = this.#trainingBuffers();
    const dOut = this.#rowsOf(training.dd, group);
    const [v, dv] = [this.#v, training.dv].map((all) => this.#columnsOf(all, group.reverse));
    const index = this.#indexOf(group);
    if ('x' in input) {
      const { x, masked, token, dToken } = input;
      const from = { ...this.#width, x, index, masked, token };
      this.#device.enqueue('sparseHeadsGrad', { ...from, v, dOut, dv, dToken });
    } else {
      const from = { ...this.#width, rows: group.rows, x: input.h, index };
      this.#device.enqueue('headLinearGrad', { ...from, dOut, dv });
    }
  }

  /** Replaces h by its gradient. */
  #inputGradient(h: Floats, dOut: Floats, residual: number): Floats {
    const { weights: w } = this.#setup;
    const { hidden } = this.#width;
    const { dz, dd } = this.#trainingBuffers();
    for (const group of this.#groups) {
      const { rows } = group;
      const dx = this.#rowsOf(this.#z, group); // replaces z
      const weights = this.#weightsOf(w('wRelation'), group.rho);
      const from = { hidden, rows, dOut: this.#rowsOf(dz, group), w: weights, second: null };
      this.#device.enqueue('linearGradInput', { ...from, dx, add: false });
      const v = this.#columnsOf(this.#v, group.reverse);
      this.#device.enqueue('headGradInput', {
        ...this.#width,
        rows,
        dOut: this.#rowsOf(dd, group),
        v,
        dx,
      });
    }
    const { work, rows: entries } = this.#sources.ofNode;
    this.#device.enqueue('segmentSum', {
      hidden,
      work,
      entries,
      sourceRows: null,
      from: this.#z,
      fromScale: null,
      scale: null,
      out: h,
      add: false,
    });
    const from = { hidden, rows: residual, dOut, w: w('wRes'), second: null };
    this.#device.enqueue('linearGradInput', { ...from, dx: h, add: true });
    return h;
  }

  #indexOf(those: Rows): Integers | null {
    if (!('rho' in those)) return null;
    return this.#device.view(this.#sources.entries.nodes, those.start, those.rows);
  }

  /** The rows of a group, in a buffer with one item per row. */
  #rowsOf(all: Floats, { start, rows }: Group): Floats {
    const width = all.length / this.#sources.count;
    return this.#device.view(all, start * width, rows * width);
  }

  /** The part of ρ in a buffer of matrices of the given width. */
  #partOf(all: Floats, rho: number, length: number): Floats {
    return this.#device.view(all, rho * length, length);
  }

  #weightsOf(all: Floats, rho: number): Floats {
    return this.#partOf(all, rho, this.#inputs * this.#width.hidden);
  }

  #columnsOf(all: Floats, rho: number): Floats {
    return this.#partOf(all, rho, this.#inputs * this.#width.heads);
  }

  #scoresOf(all: Floats, rho: number): Floats {
    return this.#partOf(all, rho, this.#width.hidden);
  }

  #trainingBuffers(): TrainingBuffers {
    const { hidden, heads } = this.#width;
    const { count } = this.#sources;
    this.#training ??= {
      trace: makeTrace(this.#pool, this.#graph.connectedCount, this.#setup.config),
      dz: this.#pool.floats(count * hidden),
      ds: this.#pool.floats(count * heads),
      dd: this.#pool.floats(count * heads),
      dv: this.#pool.floats(this.#v.length),
    };
    return this.#training;
  }
}
