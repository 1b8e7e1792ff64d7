import { findMaskedPairs, indexMaskedPairs } from '../../src/model/layout/masked-pairs.js';
import { placeMaskedPairs } from '../../src/model/layout/placed-graph.js';
import { attention, folded } from './attention-cases.js';
import { type Case, configOf, H, prepare, WIDTH } from './case-setup.js';
import { headProducts, relationAttention } from './relation-cases.js';

/** `kinds`, here and below: the number of different rows; default: all rows differ. */
function sparse(indexed: boolean, kinds?: number): Case {
  return (device, graph, mask) => {
    const { pool, floats, empty, placed, masked, N, D } = prepare(device, graph, mask);
    const index = indexed ? (placed.sources?.entries.nodes ?? null) : null;
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
    const index = indexed ? (placed.sources?.entries.nodes ?? null) : null;
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

function loss(exponent: number, kinds?: number): Case {
  return (device, graph, mask) => {
    const { pool, floats, empty, placed, layout, N, D } = prepare(device, graph, mask);
    const pairs = findMaskedPairs(layout.pairs, mask);
    const on = placeMaskedPairs(pool, pairs, configOf(graph, 'rgat'));
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
  const [dz, da] = [floats('dz', N * H), empty(H)];
  const [a, dd] = [floats('a', H), floats('dd', N * 4)];
  device.enqueue('scoresGrad', { ...WIDTH, rows: N, z: pre, a, dd, dz, da });
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
  attention: attention(0.3),
  'attention with larger logits': attention(6),
  'attention with logits too large for e^x in float32': attention(20),
  'attention among equal nodes': attention(0.3, 1),
  'attention among nodes of three kinds': attention(2, 3),
  'attention over relations': relationAttention(0.3),
  'attention over relations with larger logits': relationAttention(6),
  'attention over relations, rows of two kinds': relationAttention(2, 2),
  'products per head': headProducts(false),
  'products per head with an index': headProducts(true),
  'products per head of equal rows': headProducts(true, 1),
  'attention, folded': folded(0.3),
  'attention, folded, with larger logits': folded(6),
  'attention, folded, among equal nodes': folded(0.3, 1),
  'attention, folded, among nodes of three kinds': folded(2, 3),
  'segment means and cosine loss': loss(3),
  'cosine loss, exponent 1': loss(1),
  'cosine loss of equal rows': loss(3, 1),
  'prelu, scores, sums, adam': elementwise,
};
