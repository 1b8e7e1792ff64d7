import type { Kernels } from '../../src/compute/device.js';
import { eachScoreGradient } from '../../src/compute/reference/score-gradients.js';
import { type Case, H, prepare, WIDTH } from './case-setup.js';

/** Attention over the rows of the encoder `rgat`. `logits`: their size. `kinds`: see kernel-cases.ts. */
export function relationAttention(logits: number, kinds?: number): Case {
  return (device, graph, mask) => {
    const { pool, floats, empty, placed, masked, N } = prepare(device, graph, mask);
    const { sources } = placed;
    if (sources === undefined) throw new Error('the graph was placed without source rows');
    const { entries, count: rows } = sources;
    const z = floats('z', rows * H, 1, kinds && kinds * H);
    const s = floats('s', rows * 4, 2.3 * logits, kinds && kinds * 4);
    const d = floats('d', rows * 4, 2.3 * logits, kinds && kinds * 4);
    const trace = { peak: empty(N * 4), inverse: empty(N * 4) };
    const [bias, slope] = [floats('bias', H), floats('slope', 1)];
    const run = (name: string, changes: Partial<Kernels['relationAttend']>) => {
      const [pre, out] = [floats('pre', N * H), floats('out', N * H)];
      const pass = {
        ...WIDTH,
        entries,
        z,
        s,
        d,
        pre,
        out,
        wanted: null,
        residual: N,
        bias,
        slope,
        trace: null,
      };
      device.enqueue('relationAttend', { ...pass, ...changes });
      return { [`${name} pre`]: pre, [`${name} out`]: out };
    };
    const outs = {
      ...run('training', { trace }),
      ...run('last, half', { residual: N >> 1, slope: null }),
      ...run('some', { wanted: masked }),
    };
    const [dz, ds, dd, dPre] = [empty(rows * H), empty(rows * 4), empty(rows * 4), floats('dPre', N * H)];
    const given = { ...WIDTH, z, s, d, trace, dPre };
    device.enqueue('relationAttendGrad', { ...given, entries, rows: N, dz, ds, dd });
    return {
      pool,
      outputs: { ...outs, dz, ds, dd },
      mass: () => {
        const [source, target] = [new Float64Array(rows * 4), new Float64Array(rows * 4)];
        const inputs = { ...given, entries: entries.incoming, targets: entries.targets, b: null, c: null };
        eachScoreGradient(inputs, (_v, u, _rho, h, _alpha, _g, size, row) => {
          source[4 * u + h] += size;
          target[4 * row + h] += size;
        });
        const largest = (list: Float64Array) => list.reduce((most, value) => Math.max(most, value), 0);
        return { ds: largest(source), dd: largest(target) };
      },
    };
  };
}

/** Products with one column per head. */
export function headProducts(indexed: boolean, kinds?: number): Case {
  return (device, graph, mask) => {
    const { pool, floats, empty, placed, masked, N, D } = prepare(device, graph, mask);
    const index = indexed ? (placed.sources?.entries.nodes ?? null) : null;
    const rows = index?.length ?? N;
    const [h, a] = [floats('h', N * H, 1, kinds && kinds * H), floats('a', H)];
    const [ofH, v] = [empty(N * 4), floats('v', H * 4)];
    device.enqueue('headScores', { ...WIDTH, rows: N, z: h, a, out: ofH });
    const dOut = floats('dOut', rows * 4, 1, kinds && kinds * 4);
    const [out, dv, dx] = [empty(rows * 4), empty(H * 4), floats('dx', rows * H)];
    device.enqueue('headLinear', { ...WIDTH, rows, x: h, index, v, out });
    device.enqueue('headLinearGrad', { ...WIDTH, rows, x: h, index, dOut, dv });
    device.enqueue('headGradInput', { ...WIDTH, rows, dOut, v, dx });
    const [token, columns] = [floats('token', D), floats('columns', D * 4)];
    const from = { ...WIDTH, x: placed.features, index, token, v: columns };
    const [sparse, plain] = [empty(rows * 4), empty(rows * 4)];
    device.enqueue('sparseHeads', { ...from, masked, out: sparse });
    device.enqueue('sparseHeads', { ...from, masked: null, out: plain });
    const [dColumns, dPlain, dToken] = [empty(D * 4), empty(D * 4), floats('dToken', D)];
    device.enqueue('sparseHeadsGrad', { ...from, masked, dOut, dv: dColumns, dToken });
    device.enqueue('sparseHeadsGrad', { ...from, masked: null, dOut, dv: dPlain, dToken });
    return { pool, outputs: { ofH, out, dv, dx, sparse, plain, dColumns, dPlain, dToken } };
  };
}
