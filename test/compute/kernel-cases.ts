import { Random } from '../../src/base/random.js';
import type { Device, Floats, Integers, Kernels } from '../../src/compute/device.js';

import { floatsOf } from '../../src/compute/reference/buffers.js';
import { eachScoreGradient, foldWeightGradient } from '../../src/compute/reference/score-gradients.js';
import { MODEL_DEFAULTS, type ModelConfig } from '../../src/model/config.js';
import { arrangeGraph } from '../../src/model/layout/graph-layout.js';
import { findMaskedPairs, indexMaskedPairs } from '../../src/model/layout/masked-pairs.js';
import { BufferPool, placeGraph, placeMaskedPairs } from '../../src/model/layout/placed-graph.js';
import type { ModelGraph } from '../../src/model/model-input.js';
import { orderAsGiven } from '../model/layout/order-as-given.js';
import { orderFolded } from '../model/layout/order-folded.js';

const H = 64;
const width = { hidden: H, heads: 4 };

/** Random buffers, equal on all devices: each name has its own random stream. */
function fillers(device: Device, seed: number) {
  const random = new Random(seed);
  const pool = new BufferPool(device);
  // Repeated random numbers, because some buffers hold millions.
  const floats = (name: string, length: number, size = 1, period = 4099): Floats => {
    const draws = random.stream(name);
    const table = Float32Array.from({ length: period }, () => (2 * draws.float() - 1) * size);
    const data = new Float32Array(length);
    for (let i = 0; i < length; i += period) data.set(table.subarray(0, Math.min(period, length - i)), i);
    const buffer = pool.floats(length);
    device.write(buffer, data);
    return buffer;
  };
  // Not zero, so that the test sees if a kernel fails to write.
  const empty = (length: number): Floats => {
    const buffer = pool.floats(length);
    device.write(buffer, new Float32Array(length).fill(7));
    return buffer;
  };
  return { pool, floats, empty };
}

/** The outputs of a case. `mass`: for outputs whose terms may cancel, the largest sum of absolute terms. */
interface Outputs {
  outputs: Record<string, Floats>;
  pool: BufferPool;
  mass?: () => Record<string, number>;
}

type Case = (device: Device, graph: ModelGraph, mask: Uint8Array) => Outputs;

const configOf = (graph: ModelGraph): ModelConfig => ({
  ...MODEL_DEFAULTS,
  encoder: 'rgat', // also places source rows
  relations: graph.relationCount,
  features: graph.features.cols,
});

function prepare(device: Device, graph: ModelGraph, mask: Uint8Array, order = orderAsGiven(graph.nodeCount)) {
  const make = fillers(device, 5);
  const layout = arrangeGraph(graph, order);
  const placed = placeGraph(make.pool, layout, configOf(graph));
  return {
    ...make,
    layout,
    placed,
    masked: make.pool.integers(mask),
    N: graph.nodeCount,
    D: graph.features.cols,
  };
}

/** `kinds`, here and below: the number of different rows; default: all rows differ. */
function sparse(indexed: boolean, kinds?: number): Case {
  return (device, graph, mask) => {
    const { pool, floats, empty, placed, masked, N, D } = prepare(device, graph, mask);
    const index = indexed ? (placed.sources?.nodes ?? null) : null;
    const rows = index?.length ?? N;
    const token = floats('token', D);
    const [w, bias] = [floats('w', D * H), floats('bias', H)];
    const [out, plain] = [empty(rows * H), empty(rows * H)];
    const from = { hidden: H, x: placed.features, index, token, w };
    device.enqueue('sparseLinear', { ...from, masked, bias, out });
    device.enqueue('sparseLinear', { ...from, masked: null, bias: null, out: plain });
    const [ofToken, plainOfToken] = [empty(H), empty(H)];
    device.enqueue('tokenLinear', { hidden: H, token, w, bias, out: ofToken });
    device.enqueue('tokenLinear', { hidden: H, token, w, bias: null, out: plainOfToken });
    const dOut = floats('dOut', rows * H, 1, kinds && kinds * H);
    const [dw, dBias, dToken, dwPlain] = [empty(D * H), empty(H), floats('dToken', D), empty(D * H)];
    device.enqueue('sparseLinearGrad', { ...from, masked, dOut, dw, dToken, dBias });
    device.enqueue('sparseLinearGrad', { ...from, masked: null, dOut, dw: dwPlain, dToken, dBias: null });
    return { pool, outputs: { out, plain, ofToken, plainOfToken, dw, dBias, dToken, dwPlain } };
  };
}

function dense(indexed: boolean, kinds?: number): Case {
  return (device, graph, mask) => {
    const { pool, floats, empty, placed, N } = prepare(device, graph, mask);
    const index = indexed ? (placed.sources?.nodes ?? null) : null;
    const rows = index?.length ?? N;
    const x = floats('x', N * H, 1, kinds && kinds * H);
    const [w, w2, bias] = [floats('w', H * H), floats('w2', H * H), floats('bias', H)];
    const [dOut, dOut2] = [floats('dOut', rows * H, 1, kinds && kinds * H), floats('dOut2', rows * H)];
    const out = empty(rows * H);
    const [dw, dBias, dx, added] = [empty(H * H), empty(H), empty(rows * H), floats('added', rows * H)];
    const onto = floats('onto', rows * H);
    const [from, bare] = [{ hidden: H, rows, x, index, w }, floats('bare', rows * H)];
    device.enqueue('linear', { ...from, bias, out, add: false });
    device.enqueue('linear', { ...from, bias, out: onto, add: true });
    device.enqueue('linear', { ...from, bias: null, out: bare, add: true });
    device.enqueue('linearGradWeights', { hidden: H, rows, x, index, dOut, dw, dBias, add: false });
    const ontoDw = floats('onto dw', H * H);
    device.enqueue('linearGradWeights', {
      hidden: H,
      rows,
      x,
      index,
      dOut,
      dw: ontoDw,
      dBias: null,
      add: true,
    });
    const total = floats('total', H);
    device.enqueue('sumRows', { hidden: H, rows, from: dOut, out: total });
    const second = { dOut: dOut2, w: w2 };
    device.enqueue('linearGradInput', { hidden: H, rows, dOut, w, second, dx, add: false });
    device.enqueue('linearGradInput', { hidden: H, rows, dOut, w, second: null, dx: added, add: true });
    return { pool, outputs: { out, onto, bare, dw, ontoDw, dBias, total, dx, added } };
  };
}

function attention(own: boolean, logits: number, kinds?: number): Case {
  return (device, graph, mask) => {
    const { pool, floats, empty, placed, masked, N } = prepare(device, graph, mask);
    const { sources } = placed;
    if (sources === undefined) throw new Error('the graph was placed without source rows');
    const rows = own ? N : sources.count;
    const directed = 2 * placed.entries.half;
    const z = floats('z', rows * H, 1, kinds && kinds * H);
    const [aSource, aTarget] = [floats('aSource', H, logits), floats('aTarget', H, logits)];
    const [b, c] = [floats('b', directed * 4), floats('c', directed * H)];
    // Random scores instead of those of z: all devices then attend by the same numbers.
    const s = floats('s', rows * 4, 2.3 * logits, kinds && kinds * 4);
    const d = floats('d', N * 4, 2.3 * logits, kinds && kinds * 4);
    const [ofZ, dOfZ] = [empty(rows * 4), empty(rows * 4)];
    device.enqueue('scores', { ...width, rows, z, aSource, aTarget, s: ofZ, d: dOfZ });
    const slope = floats('slope', 1);
    const trace = { peak: empty(N * 4), inverse: empty(N * 4) };
    const entries = own ? placed.entries : sources.byTarget;
    const bias = floats('bias', H);
    const run = (name: string, keep: Kernels['attend']['trace'], residual = N, isLast = false) => {
      const pre = floats('pre', N * H);
      const out = isLast ? pre : empty(N * H);
      const given = { entries, standIn: null, wanted: null, z, s, d, b, c };
      device.enqueue('attend', {
        ...width,
        ...given,
        pre,
        residual,
        bias: residual > 0 ? bias : null,
        out,
        trace: keep,
        slope: isLast ? null : slope,
      });
      return { [`${name} pre`]: pre, [`${name} out`]: out };
    };
    const round = () => {
      const neighbours = pool.integers(new Uint32Array(entries.neighbours.length));
      device.enqueue('redirect', { from: entries.neighbours, masked, to: N, out: neighbours });
      const [z, pre] = [floats('all z', (N + 1) * H), floats('all pre', (N + 1) * H)];
      const [s, d] = [floats('all s', (N + 1) * 4, logits), floats('all d', (N + 1) * 4, logits)];
      const given = { entries: { ...entries, neighbours }, standIn: { masked, row: N }, z, s, d, b, c };
      const out = empty(N * H);
      // Equal on all devices, so rows that are not wanted must stay unchanged.
      const some = floats('some', N * H);
      const pass = { ...width, ...given, pre, residual: N, bias: null, slope, trace: null };
      device.enqueue('attend', { ...pass, wanted: null, out });
      device.enqueue('attend', { ...pass, wanted: masked, out: some });
      return { 'round pre': pre, 'round out': out, 'round some': some };
    };
    const outs = {
      ...run('training', trace),
      ...run('only', null),
      ...run('last', null, N, true),
      ...run('last of training', { peak: empty(N * 4), inverse: empty(N * 4) }, N >> 1, true),
      ...run('last, half', null, N >> 1, true),
      ...run('last, bare', null, 0, true),
      ...(own ? round() : {}),
    };
    const [dz, dd, db, dc] = [empty(rows * H), empty(N * 4), empty(directed * 4), empty(directed * H)];
    const [daSource, daTarget, dPre] = [empty(H), empty(H), floats('dPre', N * H)];
    const given = { ...width, entries, z, s, d, b, c, trace, dPre };
    device.enqueue('attendGrad', {
      ...given,
      rows: N,
      sources: own ? null : { entries: sources.bySource, dd },
      aSource,
      aTarget,
      dz,
      db,
      dc,
      daSource,
      daTarget,
    });
    const inPlace = floats('z', rows * H, 1, kinds && kinds * H); // the same numbers as z
    if (own) {
      device.enqueue('attendGrad', {
        ...given,
        z: inPlace,
        rows: N,
        sources: null,
        aSource,
        aTarget,
        dz: inPlace,
        db: empty(directed * 4),
        dc: empty(directed * H),
        daSource: empty(H),
        daTarget: empty(H),
      });
    }
    const both = { ...outs, s: ofZ, d: dOfZ, dz, db, dc, daSource };
    return {
      pool,
      outputs: own ? { ...both, daTarget, inPlace } : { ...both, dd },
      mass: () => measureMass(given, rows, N, directed),
    };
  };
}

/** The masses of sums over gradients of scores, each of which is a difference of two numbers. */
function measureMass(
  given: Parameters<typeof eachScoreGradient>[0],
  rows: number,
  N: number,
  directed: number,
): Record<string, number> {
  const [ds, dd, db] = [rows, N, directed].map((length) => new Float64Array(4 * length));
  eachScoreGradient(given, (v, u, rho, h, _alpha, _g, size) => {
    ds[4 * u + h] += size;
    dd[4 * v + h] += size;
    db[4 * rho + h] += size;
  });
  const z = floatsOf(given.z);
  const ofA = (d: Float64Array) => {
    const da = new Float64Array(H);
    for (let i = 0; i < 16 * d.length; i++) da[i % H] += Math.abs(z[i]) * d[i >> 4];
    return da;
  };
  const largest = (list: Float64Array) => list.reduce((most, value) => Math.max(most, value), 0);
  return {
    dd: largest(dd),
    db: largest(db),
    daSource: largest(ofA(ds)),
    ...(rows === N ? { daTarget: largest(ofA(dd)) } : {}),
  };
}

/** Folded attention. The case is empty if folding makes no projection of the graph unnecessary. */
function folded(logits: number, kinds?: number): Case {
  return (device, graph, mask) => {
    const order = orderFolded(graph);
    const { pool, floats, empty, placed, masked, N } = prepare(device, graph, mask, order);
    const entries = placed.folded;
    if (entries === undefined) return { pool, outputs: {} };
    const rows = order.connectedCount;
    const directed = 2 * entries.half;
    const drawH = () => floats('h', N * H, 1, kinds && kinds * H);
    const h = drawH();
    const [w, aSource, aTarget] = [
      floats('w', H * H),
      floats('aSource', H, logits),
      floats('aTarget', H, logits),
    ];
    const [ofH, dOfH] = [empty(rows * 4), empty(rows * 4)];
    device.enqueue('foldScores', { ...width, rows, h, w, aSource, aTarget, s: ofH, d: dOfH });
    const z = floats('z', entries.projectedCount * H, 1, kinds && kinds * H);
    const s = floats('s', rows * 4, 2.3 * logits, kinds && kinds * 4);
    const d = floats('d', rows * 4, 2.3 * logits, kinds && kinds * 4);
    const [b, c] = [floats('b', directed * 4), floats('c', directed * H)];
    const trace = { peak: empty(rows * 4), inverse: empty(rows * 4) };
    const sums = empty(entries.foldedCount * 4 * H);
    const [bias, slope] = [floats('bias', H), floats('slope', 1)];
    const run = (name: string, keep: typeof trace | null, residual: number, wanted: Integers | null) => {
      const pre = floats('pre', N * H);
      const out = floats('out', N * H); // rows that are not wanted must stay unchanged
      const pass = { ...width, s, d, b, c, pre, residual, bias, wanted, out, slope, trace: keep };
      const unfolded = { ...entries, work: entries.unfoldedWork };
      device.enqueue('attend', { ...pass, entries: unfolded, standIn: null, z });
      device.enqueue('foldAttend', { ...pass, entries, h, w, sums: keep && sums });
      return { [`${name} pre`]: pre, [`${name} out`]: out };
    };
    const outs = {
      ...run('training', trace, N, null),
      ...run('half', null, entries.foldedCount >> 1, null),
      ...run('some', null, N, masked),
    };
    const [dPre, made, dwOfSums] = [
      floats('dPre', N * H),
      floats('made', entries.foldedCount * 4 * H),
      empty(H * H),
    ];
    device.enqueue('foldGradient', {
      ...width,
      rows: entries.foldedCount,
      dPre,
      w,
      sums: made,
      dw: dwOfSums,
    });
    const g = floats('g', entries.foldedCount * 4 * H);
    const given = { ...width, entries, rows, z, s, d, b, c, trace, dPre, g };
    const [dz, db, dc] = [entries.projectedCount * H, directed * 4, directed * H].map(empty);
    const [daSource, daTarget, dh, dw] = [empty(H), empty(H), drawH(), floats('dw', H * H)];
    device.enqueue('foldAttendGrad', {
      ...given,
      h: dh,
      w,
      aSource,
      aTarget,
      dz,
      dw,
      db,
      dc,
      daSource,
      daTarget,
    });
    // Isolated nodes have no gradient.
    const ofRows = device.view(dh, 0, rows * H);
    return {
      pool,
      outputs: {
        ...outs,
        s: ofH,
        d: dOfH,
        sums,
        ...trace,
        made,
        dwOfSums,
        dz,
        dw,
        db,
        dc,
        daSource,
        daTarget,
        dh: ofRows,
      },
      mass: () => measureFoldedMass({ ...given, h }, w),
    };
  };
}

function measureFoldedMass(
  given: Parameters<typeof foldWeightGradient>[0] & { rows: number },
  w: Floats,
): Record<string, number> {
  const { rows, entries } = given;
  const [ds, dd, db] = [rows, rows, 2 * entries.half].map((length) => new Float64Array(4 * length));
  const add = (v: number, u: number, rho: number, k: number, _alpha: number, _g: number, size: number) => {
    ds[4 * u + k] += size;
    dd[4 * v + k] += size;
    db[4 * rho + k] += size;
  };
  eachScoreGradient(given, add, foldWeightGradient(given));
  const [h, by] = [floatsOf(given.h), floatsOf(w)];
  const ofA = (scores: Float64Array) => {
    const da = new Float64Array(H);
    for (let at = 0; at < rows * H; at++) {
      for (let i = 0; i < H; i++) {
        da[i] += Math.abs(h[at] * by[(at % H) * H + i]) * scores[4 * Math.floor(at / H) + (i >> 4)];
      }
    }
    return da;
  };
  const [daSource, daTarget] = [ofA(ds), ofA(dd)].map((sums) => Math.max(...sums));
  return { db: db.reduce((most, size) => Math.max(most, size), 0), daSource, daTarget };
}

function loss(exponent: number, kinds?: number): Case {
  return (device, graph, mask) => {
    const { pool, floats, empty, placed, layout, N, D } = prepare(device, graph, mask);
    const pairs = findMaskedPairs(layout.pairs, mask);
    const on = placeMaskedPairs(pool, pairs, configOf(graph));
    const h = floats('h', N * H, 1, kinds && kinds * H);
    const entries = placed.pairNeighbours;
    const { work, inverseDegree: scale, means, nodes, errors } = on;
    const neighbours = { hidden: H, work, entries, sourceRows: null, from: h, fromScale: null, scale };
    device.enqueue('segmentSum', { ...neighbours, out: means, add: false });
    const R = graph.relationCount;
    const [w, bias] = [floats('w', R * D * H, 0.3), floats('bias', R * D, 0.3)];
    const [dMeans, dw, dBias] = [empty(pairs.count * H), empty(R * D * H), empty(R * D)];
    for (const gradient of [dMeans, dw, dBias]) device.enqueue('fill', { target: gradient, value: 0 });
    const alone = empty(pairs.count);
    const { offsets, counts } = pairs;
    const shared = { hidden: H, target: placed.target, norms: placed.norms, offsets, counts, nodes, means };
    const gradient = { dMeans, dw, dBias };
    device.enqueue('cosineLoss', { ...shared, w, bias, exponent, errors, gradient });
    device.enqueue('cosineLoss', { ...shared, w, bias, exponent, errors: alone, gradient: null });
    const inPlace = empty(pairs.count * H);
    device.enqueue('segmentSum', { ...neighbours, out: inPlace, add: false });
    const instead = { ...gradient, dMeans: inPlace };
    device.enqueue('cosineLoss', {
      ...shared,
      means: inPlace,
      w,
      bias,
      exponent,
      errors,
      gradient: instead,
    });
    const [dh, onto] = [empty(N * H), floats('onto', N * H)];
    const positions = pool.integers(indexMaskedPairs(pairs, layout.pairs.nodes.length));
    const { work: readers, pairs: readerPairs } = placed.readers;
    const from = { from: dMeans, fromScale: scale };
    const gathered = { hidden: H, work: readers, entries: readerPairs, sourceRows: positions, ...from };
    device.enqueue('segmentSum', { ...gathered, scale: null, out: dh, add: false });
    device.enqueue('segmentSum', { ...gathered, scale: floats('scale', N), out: onto, add: true });
    return { pool, outputs: { means, errors, alone, dMeans, inPlace, dw, dBias, dh, onto } };
  };
}

const elementwise: Case = (device, graph, mask) => {
  const { pool, floats, empty, N } = prepare(device, graph, mask);
  const [pre, slope, dh, dSlope] = [floats('pre', N * H), floats('slope', 1), floats('dh', N * H), empty(1)];
  device.enqueue('preluGrad', { hidden: H, rows: N, pre, slope, dh, dSlope });
  const out = empty(N * H);
  device.enqueue('prelu', { hidden: H, rows: N, pre, slope, out });
  const sum = floats('sum', N * H);
  device.enqueue('addInto', { target: sum, source: pre });
  const [dz, da] = [empty(N * H), empty(H)];
  const [a, dd] = [floats('a', H), floats('dd', N * 4)];
  device.enqueue('scoresGrad', { ...width, rows: N, z: pre, a, dd, dz, da });
  const [parameters, gradient] = [floats('parameters', N * 7), floats('gradient', N * 7)];
  const [firstMoment, secondMoment] = [empty(N * 7), empty(N * 7)];
  for (const target of [firstMoment, secondMoment]) device.enqueue('fill', { target, value: 0 });
  const moments = { parameters, gradient, firstMoment, secondMoment, weightDecay: 0.1, learningRate: 0.01 };
  for (let step = 1; step <= 3; step++) device.enqueue('adam', { ...moments, step, scale: 0.5 });
  return { pool, outputs: { dh, dSlope, out, sum, dz, da, parameters, firstMoment, secondMoment } };
};

/** Together, the cases cover every kernel. */
export const CASES: Record<string, Case> = {
  'sparse linear': sparse(false),
  'sparse linear with an index': sparse(true),
  'sparse linear of equal rows': sparse(false, 1),
  linear: dense(false),
  'linear of equal rows': dense(false, 1),
  'linear with an index': dense(true),
  attention: attention(true, 0.3),
  'attention with larger logits': attention(true, 6),
  'attention with logits too large for e^x in float32': attention(true, 20),
  'attention over source rows': attention(false, 0.3),
  'attention among equal nodes': attention(true, 0.3, 1),
  'attention among nodes of three kinds': attention(true, 2, 3),
  'attention over source rows of two kinds': attention(false, 2, 2),
  'attention, folded': folded(0.3),
  'attention, folded, with larger logits': folded(6),
  'attention, folded, among equal nodes': folded(0.3, 1),
  'attention, folded, among nodes of three kinds': folded(2, 3),
  'segment means and cosine loss': loss(3),
  'cosine loss, exponent 1': loss(1),
  'cosine loss of equal rows': loss(3, 1),
  'prelu, scores, sums, adam': elementwise,
};
