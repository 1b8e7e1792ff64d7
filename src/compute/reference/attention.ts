import type { Floats, Integers, Kernels } from '../device.js';
import { eachRow, floatsOf, integersOf, isMasked } from './buffers.js';
import { eachScoreGradient, leakyRelu } from './score-gradients.js';

export function scores(args: Kernels['scores']): void {
  const { hidden: H, heads, rows } = args;
  const F = H / heads;
  const [z, aSource, aTarget] = [floatsOf(args.z), floatsOf(args.aSource), floatsOf(args.aTarget)];
  const [s, d] = [floatsOf(args.s).fill(0), floatsOf(args.d).fill(0)];
  for (let v = 0; v < rows; v++) {
    for (let j = 0; j < H; j++) {
      const at = v * heads + Math.floor(j / F);
      s[at] += aSource[j] * z[v * H + j];
      d[at] += aTarget[j] * z[v * H + j];
    }
  }
}

export function redirect({ from, masked, to, out }: Kernels['redirect']): void {
  integersOf(from).forEach((row, i) => {
    integersOf(out)[i] = isMasked(masked, row) ? to : row;
  });
}

/** Per head: softmax of LeakyReLU(s_u + d_v + b_ρ) over the entries into v, then the weighted mean of z_u + c_ρ (method §4). */
export function attend(args: Kernels['attend']): void {
  weighEntries(args, null);
}

export function relationAttend({ entries, ...args }: Kernels['relationAttend']): void {
  weighEntries({ ...args, entries: entries.incoming, standIn: null, b: null, c: null }, entries.targets);
}

/** `attend`; without b and c if they are null. `rowsOfD`: the row of d that each entry reads, or null for its destination. */
function weighEntries(
  args: Omit<Kernels['attend'], 'b' | 'c'> & { b: Floats | null; c: Floats | null },
  rowsOfD: Integers | null,
): void {
  const { hidden: H, heads, trace } = args;
  const F = H / heads;
  const [neighbours, relations] = [integersOf(args.entries.neighbours), integersOf(args.entries.relations)];
  const [z, s, d, b, c] = [
    floatsOf(args.z),
    floatsOf(args.s),
    floatsOf(args.d),
    args.b && floatsOf(args.b),
    args.c && floatsOf(args.c),
  ];
  const targets = rowsOfD && integersOf(rowsOfD);
  const [pre, out] = [floatsOf(args.pre), floatsOf(args.out)];
  const slope = args.slope === null ? 1 : floatsOf(args.slope)[0];
  const kept = trace && { peak: floatsOf(trace.peak), inverse: floatsOf(trace.inverse) };
  const att = new Float64Array(F);
  const wanted = args.wanted && integersOf(args.wanted);
  const bias = args.bias && floatsOf(args.bias);
  eachRow(args.entries.work, (v, start, end) => {
    if (wanted !== null && wanted[v] === 0) return;
    for (let h = 0; h < heads; h++) {
      const at = v * heads + h;
      const own = isMasked(args.standIn?.masked ?? null, v) ? (args.standIn?.row ?? v) : v;
      const raw = (e: number) =>
        s[neighbours[e] * heads + h] +
        d[(targets?.[e] ?? own) * heads + h] +
        (b?.[relations[e] * heads + h] ?? 0);
      let peak = -Infinity;
      for (let e = start; e < end; e++) peak = Math.max(peak, leakyRelu(raw(e)));
      let sum = 0;
      for (let e = start; e < end; e++) sum += Math.exp(leakyRelu(raw(e)) - peak);
      att.fill(0);
      for (let e = start; e < end; e++) {
        const alpha = Math.exp(leakyRelu(raw(e)) - peak) / sum;
        for (let j = 0; j < F; j++) {
          att[j] += alpha * (z[neighbours[e] * H + h * F + j] + (c?.[relations[e] * H + h * F + j] ?? 0));
        }
      }
      for (let j = 0; j < F; j++) {
        const i = v * H + h * F + j;
        const at = h * F + j;
        const whole = att[j] + (v < args.residual ? pre[own * H + at] : (bias?.[at] ?? 0));
        if (kept !== null) pre[i] = whole;
        out[i] = whole < 0 ? slope * whole : whole;
      }
      if (kept === null) continue;
      kept.peak[at] = start === end ? 0 : peak;
      kept.inverse[at] = start === end ? 0 : 1 / sum;
    }
  });
}

export function attendGrad(args: Kernels['attendGrad']): void {
  const { hidden: H, heads } = args;
  const F = H / heads;
  const z = floatsOf(args.z).slice(); // dz may be z itself
  const [aSource, aTarget, dPre] = [floatsOf(args.aSource), floatsOf(args.aTarget), floatsOf(args.dPre)];
  const [db, dc] = [floatsOf(args.db).fill(0), floatsOf(args.dc).fill(0)];
  const [daSource, daTarget] = [floatsOf(args.daSource).fill(0), floatsOf(args.daTarget).fill(0)];
  const sums = new Float64Array(args.rows * H);
  const ds = new Float64Array(args.rows * heads);
  const dd = new Float64Array(args.rows * heads);
  eachScoreGradient(args, (v, u, rho, h, alpha, g) => {
    for (let j = h * F; j < (h + 1) * F; j++) {
      sums[u * H + j] += alpha * dPre[v * H + j];
      dc[rho * H + j] += alpha * dPre[v * H + j];
    }
    ds[u * heads + h] += g;
    dd[v * heads + h] += g;
    db[rho * heads + h] += g;
  });
  const dz = floatsOf(args.dz);
  dz.set(sums);
  for (let v = 0; v < args.rows; v++) {
    for (let j = 0; j < H; j++) {
      const at = v * heads + Math.floor(j / F);
      dz[v * H + j] += ds[at] * aSource[j] + dd[at] * aTarget[j];
      daSource[j] += ds[at] * z[v * H + j];
      daTarget[j] += dd[at] * z[v * H + j];
    }
  }
}

export function relationAttendGrad({ entries, ...args }: Kernels['relationAttendGrad']): void {
  const { hidden: H, heads } = args;
  const F = H / heads;
  const dPre = floatsOf(args.dPre);
  const [dz, ds, dd] = [args.dz, args.ds, args.dd].map((buffer) => floatsOf(buffer).fill(0));
  const inputs = { ...args, entries: entries.incoming, targets: entries.targets, b: null, c: null };
  eachScoreGradient(inputs, (v, u, _rho, h, alpha, g, _size, target) => {
    for (let j = h * F; j < (h + 1) * F; j++) dz[u * H + j] += alpha * dPre[v * H + j];
    ds[u * heads + h] += g;
    dd[target * heads + h] += g;
  });
}

export function scoresGrad(args: Kernels['scoresGrad']): void {
  const { hidden: H, heads } = args;
  const [z, a, dd] = [floatsOf(args.z), floatsOf(args.a), floatsOf(args.dd)];
  const [dz, da] = [floatsOf(args.dz), floatsOf(args.da).fill(0)];
  for (let v = 0; v < args.rows; v++) {
    for (let j = 0; j < H; j++) {
      const g = dd[v * heads + Math.floor((j * heads) / H)];
      dz[v * H + j] += g * a[j];
      da[j] += g * z[v * H + j];
    }
  }
}
