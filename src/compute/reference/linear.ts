import { type Integers, type Kernels, NO_ROW } from '../device.js';
import { eachRow, eachValue, floatsOf, integersOf, isMasked } from './buffers.js';

export function sparseLinear(args: Kernels['sparseLinear']): void {
  const { hidden: H, x } = args;
  const [w, out, token] = [floatsOf(args.w), floatsOf(args.out), floatsOf(args.token)];
  for (let v = 0; v < (args.index?.length ?? x.rows); v++) {
    const node = rowOf(args.index, v);
    for (let j = 0; j < H; j++) out[v * H + j] = args.bias === null ? 0 : floatsOf(args.bias)[j];
    const add = (column: number, value: number) => {
      for (let j = 0; j < H; j++) out[v * H + j] += value * w[column * H + j];
    };
    if (isMasked(args.masked, node)) for (let d = 0; d < x.cols; d++) add(d, token[d]);
    else eachValue(x, node, add);
  }
}

export function tokenLinear({ hidden: H, token, w, bias, out }: Kernels['tokenLinear']): void {
  for (let j = 0; j < H; j++) {
    let sum = bias === null ? 0 : floatsOf(bias)[j];
    for (let d = 0; d < token.length; d++) sum += floatsOf(token)[d] * floatsOf(w)[d * H + j];
    floatsOf(out)[j] = sum;
  }
}

export function sparseLinearGrad(args: Kernels['sparseLinearGrad']): void {
  const { hidden: H, x } = args;
  const [w, dOut, token] = [floatsOf(args.w), floatsOf(args.dOut), floatsOf(args.token)];
  const [dw, dToken] = [floatsOf(args.dw), floatsOf(args.dToken)];
  dw.fill(0, 0, x.cols * H);
  if (args.dBias !== null) floatsOf(args.dBias).fill(0, 0, H);
  for (let v = 0; v < (args.index?.length ?? x.rows); v++) {
    const node = rowOf(args.index, v);
    const add = (column: number, value: number) => {
      for (let j = 0; j < H; j++) dw[column * H + j] += value * dOut[v * H + j];
    };
    if (isMasked(args.masked, node)) {
      for (let d = 0; d < x.cols; d++) {
        add(d, token[d]);
        for (let j = 0; j < H; j++) dToken[d] += w[d * H + j] * dOut[v * H + j];
      }
    } else eachValue(x, node, add);
    if (args.dBias !== null) for (let j = 0; j < H; j++) floatsOf(args.dBias)[j] += dOut[v * H + j];
  }
}

function rowOf(index: Integers | null, row: number): number {
  return index === null ? row : integersOf(index)[row];
}

export function linear(args: Kernels['linear']): void {
  const { hidden: H, rows } = args;
  const [x, w, out] = [floatsOf(args.x), floatsOf(args.w), floatsOf(args.out)];
  for (let v = 0; v < rows; v++) {
    for (let j = 0; j < H; j++) {
      let sum = args.bias === null ? 0 : floatsOf(args.bias)[j];
      if (args.add) sum += out[v * H + j];
      for (let k = 0; k < H; k++) sum += x[rowOf(args.index, v) * H + k] * w[k * H + j];
      out[v * H + j] = sum;
    }
  }
}

export function linearGradWeights(args: Kernels['linearGradWeights']): void {
  const { hidden: H, rows } = args;
  const [x, dOut, dw] = [floatsOf(args.x), floatsOf(args.dOut), floatsOf(args.dw)];
  if (!args.add) dw.fill(0, 0, H * H);
  if (args.dBias !== null) floatsOf(args.dBias).fill(0, 0, H);
  for (let v = 0; v < rows; v++) {
    for (let j = 0; j < H; j++) {
      const g = dOut[v * H + j];
      for (let k = 0; k < H; k++) dw[k * H + j] += x[rowOf(args.index, v) * H + k] * g;
      if (args.dBias !== null) floatsOf(args.dBias)[j] += g;
    }
  }
}

export function sumRows({ hidden: H, rows, from, out }: Kernels['sumRows']): void {
  const sum = floatsOf(out).fill(0, 0, H);
  for (let i = 0; i < rows * H; i++) sum[i % H] += floatsOf(from)[i];
}

export function linearGradInput(args: Kernels['linearGradInput']): void {
  const { hidden: H, rows } = args;
  const dx = floatsOf(args.dx);
  if (!args.add) dx.fill(0, 0, rows * H);
  for (const term of args.second === null ? [args] : [args, args.second]) {
    const [dOut, w] = [floatsOf(term.dOut), floatsOf(term.w)];
    for (let v = 0; v < rows; v++) {
      for (let k = 0; k < H; k++) {
        for (let j = 0; j < H; j++) dx[v * H + k] += dOut[v * H + j] * w[k * H + j];
      }
    }
  }
}

export function prelu(args: Kernels['prelu']): void {
  const [pre, out] = [floatsOf(args.pre), floatsOf(args.out)];
  const slope = floatsOf(args.slope)[0];
  for (let i = 0; i < args.rows * args.hidden; i++) out[i] = pre[i] < 0 ? slope * pre[i] : pre[i];
}

export function addInto(args: Kernels['addInto']): void {
  const [target, source] = [floatsOf(args.target), floatsOf(args.source)];
  for (let i = 0; i < target.length; i++) target[i] += source[i];
}

export function preluGrad(args: Kernels['preluGrad']): void {
  const [pre, dh] = [floatsOf(args.pre), floatsOf(args.dh)];
  const slope = floatsOf(args.slope)[0];
  let sum = 0;
  for (let i = 0; i < args.rows * args.hidden; i++) {
    if (pre[i] >= 0) continue;
    sum += dh[i] * pre[i];
    dh[i] *= slope;
  }
  floatsOf(args.dSlope)[0] = sum;
}

export function segmentSum(args: Kernels['segmentSum']): void {
  const { hidden: H } = args;
  const [entries, from, out] = [integersOf(args.entries), floatsOf(args.from), floatsOf(args.out)];
  const sourceRows = args.sourceRows === null ? null : integersOf(args.sourceRows);
  eachRow(args.work, (row, start, end) => {
    const sum = new Float64Array(H);
    for (let e = start; e < end; e++) {
      const i = sourceRows === null ? entries[e] : sourceRows[entries[e]];
      if (i === NO_ROW) continue;
      const factor = args.fromScale === null ? 1 : floatsOf(args.fromScale)[i];
      for (let j = 0; j < H; j++) sum[j] += factor * from[i * H + j];
    }
    const scale = args.scale === null ? 1 : floatsOf(args.scale)[row];
    for (let j = 0; j < H; j++) out[row * H + j] = (args.add ? out[row * H + j] : 0) + scale * sum[j];
  });
}

export function adam(args: Kernels['adam']): void {
  const [theta, gradient] = [floatsOf(args.parameters), floatsOf(args.gradient)];
  const [first, second] = [floatsOf(args.firstMoment), floatsOf(args.secondMoment)];
  for (let i = 0; i < theta.length; i++) {
    const g = gradient[i] * args.scale + args.weightDecay * theta[i];
    first[i] = 0.9 * first[i] + 0.1 * g;
    second[i] = 0.999 * second[i] + 0.001 * g * g;
    const m = first[i] / (1 - 0.9 ** args.step);
    const v = second[i] / (1 - 0.999 ** args.step);
    theta[i] -= (args.learningRate * m) / (Math.sqrt(v) + 1e-8);
  }
}
