import type { Floats, Kernels } from '../device.js';
import { attend, scores } from './attention.js';
import { floatsOf, type ReferenceFloats } from './buffers.js';
import { eachScoreGradient, foldWeightGradient } from './score-gradients.js';

/** x·w. */
function multiply(x: Floats, w: Floats, H: number): Floats {
  const [from, by] = [floatsOf(x), floatsOf(w)];
  const data = new Float64Array(from.length);
  for (let i = 0; i < from.length; i++) {
    const row = i - (i % H);
    for (let j = 0; j < H; j++) data[row + j] += from[i] * by[(i % H) * H + j];
  }
  return { kind: 'floats', length: data.length, data } as ReferenceFloats;
}

export function foldScores(args: Kernels['foldScores']): void {
  scores({ ...args, z: multiply(args.h, args.w, args.hidden) });
}

export function foldAttend(args: Kernels['foldAttend']): void {
  const { hidden: H, heads, h, w, entries, trace } = args;
  const work = entries.foldedWork;
  attend({ ...args, entries: { ...entries, work }, standIn: null, z: multiply(h, w, H) });
  if (args.sums === null || trace === null) return;
  const [sums, from] = [floatsOf(args.sums).fill(0, 0, entries.foldedCount * heads * H), floatsOf(h)];
  const inputs = { ...args, entries: { ...entries, work }, trace, z: h, dPre: h };
  const visit = (v: number, u: number, _rho: number, k: number, alpha: number) => {
    for (let j = 0; j < H; j++) sums[(v * heads + k) * H + j] += alpha * from[u * H + j];
  };
  eachScoreGradient(inputs, visit, () => 0);
}

export function foldGradient(args: Kernels['foldGradient']): void {
  const { hidden: H, heads, rows } = args;
  const F = H / heads;
  const [dPre, w, sums] = [args.dPre, args.w, args.sums].map(floatsOf);
  const dw = floatsOf(args.dw).fill(0);
  for (let v = 0; v < rows; v++) {
    const g = new Float64Array(heads * H);
    for (let i = 0; i < H; i++) {
      const at = Math.floor(i / F) * H;
      for (let j = 0; j < H; j++) {
        dw[j * H + i] += sums[v * heads * H + at + j] * dPre[v * H + i];
        g[at + j] += w[j * H + i] * dPre[v * H + i];
      }
    }
    sums.set(g, v * heads * H);
  }
}

export function foldAttendGrad(args: Kernels['foldAttendGrad']): void {
  const { hidden: H, heads, rows, entries } = args;
  const { foldedCount, projectedCount } = entries;
  const F = H / heads;
  const [aSource, aTarget, w, dPre] = [args.aSource, args.aTarget, args.w, args.dPre].map(floatsOf);
  const [g, h, dw] = [args.g, args.h, args.dw].map(floatsOf);
  const [db, dc, dz] = [args.db, args.dc, args.dz].map((buffer) => floatsOf(buffer).fill(0));
  const [daSource, daTarget] = [args.daSource, args.daTarget].map((buffer) => floatsOf(buffer).fill(0));
  const [ds, dd] = [new Float64Array(rows * heads), new Float64Array(rows * heads)];
  const dh = new Float64Array(rows * H);
  const visit = (v: number, u: number, rho: number, k: number, alpha: number, gradient: number) => {
    for (let j = k * F; j < (k + 1) * F; j++) {
      dc[rho * H + j] += alpha * dPre[v * H + j];
      if (v >= foldedCount) dz[u * H + j] += alpha * dPre[v * H + j];
    }
    if (v < foldedCount) for (let j = 0; j < H; j++) dh[u * H + j] += alpha * g[(v * heads + k) * H + j];
    ds[u * heads + k] += gradient;
    dd[v * heads + k] += gradient;
    db[rho * heads + k] += gradient;
  };
  eachScoreGradient(args, visit, foldWeightGradient(args));
  for (let v = 0; v < rows; v++) {
    for (let i = 0; i < H; i++) {
      const k = v * heads + Math.floor(i / F);
      const fromScores = ds[k] * aSource[i] + dd[k] * aTarget[i];
      for (let j = 0; j < H; j++) {
        const [x, weight] = [h[v * H + j], w[j * H + i]];
        if (v < projectedCount) dw[j * H + i] += x * dz[v * H + i];
        dw[j * H + i] += x * fromScores;
        dh[v * H + j] += weight * fromScores;
        daSource[i] += x * weight * ds[k];
        daTarget[i] += x * weight * dd[k];
      }
    }
  }
  h.set(dh);
}
