import type { Floats, Integers, Kernels } from '../../src/compute/device.js';
import { floatsOf } from '../../src/compute/reference/buffers.js';
import { eachScoreGradient, foldWeightGradient } from '../../src/compute/reference/score-gradients.js';
import { orderFolded } from '../model/layout/order-folded.js';
import { type Case, H, prepare, WIDTH } from './case-setup.js';

/** Attention among nodes. `logits`: their size. `kinds`: see kernel-cases.ts. */
export function attention(logits: number, kinds?: number): Case {
  return (device, graph, mask) => {
    const { pool, floats, empty, placed, masked, N } = prepare(device, graph, mask);
    const rows = N;
    const directed = 2 * placed.entries.half;
    const z = floats('z', rows * H, 1, kinds && kinds * H);
    const [aSource, aTarget] = [floats('aSource', H, logits), floats('aTarget', H, logits)];
    const [b, c] = [floats('b', directed * 4), floats('c', directed * H)];
    // Random scores instead of those of z: all devices then attend by the same numbers.
    const s = floats('s', rows * 4, 2.3 * logits, kinds && kinds * 4);
    const d = floats('d', N * 4, 2.3 * logits, kinds && kinds * 4);
    const [ofZ, dOfZ] = [empty(rows * 4), empty(rows * 4)];
    device.enqueue('scores', { ...WIDTH, rows, z, aSource, aTarget, s: ofZ, d: dOfZ });
    const slope = floats('slope', 1);
    const trace = { peak: empty(N * 4), inverse: empty(N * 4) };
    const { entries } = placed;
    const bias = floats('bias', H);
    const run = (name: string, keep: Kernels['attend']['trace'], residual = N, isLast = false) => {
      const pre = floats('pre', N * H);
      const out = isLast ? pre : empty(N * H);
      const given = { entries, standIn: null, wanted: null, z, s, d, b, c };
      device.enqueue('attend', {
        ...WIDTH,
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
      const pass = { ...WIDTH, ...given, pre, residual: N, bias: null, slope, trace: null };
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
      ...round(),
    };
    const [dz, db, dc] = [empty(rows * H), empty(directed * 4), empty(directed * H)];
    const [daSource, daTarget, dPre] = [empty(H), empty(H), floats('dPre', N * H)];
    const given = { ...WIDTH, entries, z, s, d, b, c, trace, dPre };
    device.enqueue('attendGrad', {
      ...given,
      rows: N,
      aSource,
      aTarget,
      dz,
      db,
      dc,
      daSource,
      daTarget,
    });
    const inPlace = floats('z', rows * H, 1, kinds && kinds * H); // the same numbers as z
    device.enqueue('attendGrad', {
      ...given,
      z: inPlace,
      rows: N,
      aSource,
      aTarget,
      dz: inPlace,
      db: empty(directed * 4),
      dc: empty(directed * H),
      daSource: empty(H),
      daTarget: empty(H),
    });
    return {
      pool,
      outputs: { ...outs, s: ofZ, d: dOfZ, dz, db, dc, daSource, daTarget, inPlace },
      mass: () => measureMass(given, N, directed),
    };
  };
}

/** The masses of sums over gradients of scores, each of which is a difference of two numbers. */
function measureMass(
  given: Parameters<typeof eachScoreGradient>[0],
  N: number,
  directed: number,
): Record<string, number> {
  const [ds, dd, db] = [N, N, directed].map((length) => new Float64Array(4 * length));
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
  return { db: largest(db), daSource: largest(ofA(ds)), daTarget: largest(ofA(dd)) };
}

/** Folded attention. The case is empty if folding makes no projection of the graph unnecessary. */
export function folded(logits: number, kinds?: number): Case {
  return (device, graph, mask) => {
    const order = orderFolded(graph);
    const { pool, floats, empty, placed, masked, N } = prepare(device, graph, mask, order, 'additive');
    const entries = placed.folded;
    if (order.foldedCount === 0) return { pool, outputs: {} };
    if (entries === undefined) throw new Error('the graph was placed without folded rows');
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
    device.enqueue('foldScores', { ...WIDTH, rows, h, w, aSource, aTarget, s: ofH, d: dOfH });
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
      const pass = { ...WIDTH, s, d, b, c, pre, residual, bias, wanted, out, slope, trace: keep };
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
      ...WIDTH,
      rows: entries.foldedCount,
      dPre,
      w,
      sums: made,
      dw: dwOfSums,
    });
    const g = floats('g', entries.foldedCount * 4 * H);
    const given = { ...WIDTH, entries, rows, z, s, d, b, c, trace, dPre, g };
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
    for (let v = 0; v < rows; v++) {
      for (let k = 0; k < H; k++) {
        const x = Math.abs(h[v * H + k]);
        for (let i = 0; i < H; i++) da[i] += x * Math.abs(by[k * H + i]) * scores[4 * v + (i >> 4)];
      }
    }
    return da;
  };
  const [daSource, daTarget] = [ofA(ds), ofA(dd)].map((sums) => Math.max(...sums));
  return { db: db.reduce((most, size) => Math.max(most, size), 0), daSource, daTarget };
}
