import type { Kernels } from '../device.js';
import { eachValue, floatsOf, integersOf, isMasked } from './buffers.js';

export function headScores({ hidden: H, heads, ...args }: Kernels['headScores']): void {
  const [z, a, out] = [floatsOf(args.z), floatsOf(args.a), floatsOf(args.out)];
  for (let v = 0; v < args.rows; v++) {
    for (let h = 0; h < heads; h++) {
      let sum = 0;
      for (let j = (h * H) / heads; j < ((h + 1) * H) / heads; j++) sum += a[j] * z[v * H + j];
      out[v * heads + h] = sum;
    }
  }
}

export function headLinear({ hidden: H, heads, ...args }: Kernels['headLinear']): void {
  const [x, v, out] = [floatsOf(args.x), floatsOf(args.v), floatsOf(args.out)];
  for (let i = 0; i < args.rows; i++) {
    const row = args.index === null ? i : integersOf(args.index)[i];
    for (let h = 0; h < heads; h++) {
      let sum = 0;
      for (let k = 0; k < H; k++) sum += x[row * H + k] * v[k * heads + h];
      out[i * heads + h] = sum;
    }
  }
}

export function headLinearGrad({ hidden: H, heads, ...args }: Kernels['headLinearGrad']): void {
  const [x, dOut, dv] = [floatsOf(args.x), floatsOf(args.dOut), floatsOf(args.dv).fill(0)];
  for (let i = 0; i < args.rows; i++) {
    const row = args.index === null ? i : integersOf(args.index)[i];
    for (let k = 0; k < H; k++) {
      for (let h = 0; h < heads; h++) dv[k * heads + h] += x[row * H + k] * dOut[i * heads + h];
    }
  }
}

export function headGradInput({ hidden: H, heads, ...args }: Kernels['headGradInput']): void {
  const [dOut, v, dx] = [floatsOf(args.dOut), floatsOf(args.v), floatsOf(args.dx)];
  for (let i = 0; i < args.rows; i++) {
    for (let k = 0; k < H; k++) {
      for (let h = 0; h < heads; h++) dx[i * H + k] += dOut[i * heads + h] * v[k * heads + h];
    }
  }
}

export function sparseHeads({ heads, x, index, masked, ...args }: Kernels['sparseHeads']): void {
  const [token, v, out] = [floatsOf(args.token), floatsOf(args.v), floatsOf(args.out)];
  for (let i = 0; i < (index?.length ?? x.rows); i++) {
    const row = index === null ? i : integersOf(index)[i];
    out.fill(0, i * heads, (i + 1) * heads);
    const add = (column: number, value: number) => {
      for (let h = 0; h < heads; h++) out[i * heads + h] += value * v[column * heads + h];
    };
    if (isMasked(masked, row)) for (let d = 0; d < x.cols; d++) add(d, token[d]);
    else eachValue(x, row, add);
  }
}

export function sparseHeadsGrad({ heads, x, index, masked, ...args }: Kernels['sparseHeadsGrad']): void {
  const [token, v, dOut] = [floatsOf(args.token), floatsOf(args.v), floatsOf(args.dOut)];
  const [dv, dToken] = [floatsOf(args.dv).fill(0), floatsOf(args.dToken)];
  for (let i = 0; i < (index?.length ?? x.rows); i++) {
    const row = index === null ? i : integersOf(index)[i];
    const add = (column: number, value: number) => {
      for (let h = 0; h < heads; h++) dv[column * heads + h] += value * dOut[i * heads + h];
    };
    if (isMasked(masked, row)) {
      for (let d = 0; d < x.cols; d++) {
        add(d, token[d]);
        for (let h = 0; h < heads; h++) dToken[d] += v[d * heads + h] * dOut[i * heads + h];
      }
    } else eachValue(x, row, add);
  }
}
