import { SEGMENT_ENTRIES } from '../work-list.js';
import {
  type Calls,
  CHUNK_ROWS,
  COPY_LENGTH,
  chunksOf,
  divideRows,
  featureArguments,
  H,
  ROW,
  sumParts,
  workArguments,
} from './kernel-call.js';

const ADAM_FLOATS = 16_384;

type Name =
  | 'fill'
  | 'addInto'
  | 'sparseLinear'
  | 'tokenLinear'
  | 'sparseLinearGrad'
  | 'linear'
  | 'linearGradWeights'
  | 'sumRows'
  | 'linearGradInput'
  | 'prelu'
  | 'preluGrad'
  | 'segmentSum'
  | 'adam';

export const LINEAR_CALLS: Pick<Calls, Name> = {
  fill(queue, { target, value }) {
    queue.add('fill', Math.ceil(target.length / COPY_LENGTH), [target, target.length, { float: value }]);
  },

  addInto(queue, { target, source }) {
    queue.add('addInto', Math.ceil(target.length / COPY_LENGTH), [target, target.length, source]);
  },

  sparseLinear(queue, { x, index, masked, token, w, bias, out }) {
    const rows = index?.length ?? x.rows;
    queue.reserveScratch(ROW * (1 + x.width));
    const product = queue.reserveParts(ROW);
    queue.add('tokenLinear', 1, [x.cols, token, w, bias, product]);
    queue.add('sparseLinear', chunksOf(rows), [
      rows,
      CHUNK_ROWS,
      ...featureArguments(x),
      masked,
      product,
      w,
      bias,
      out,
      index,
    ]);
  },

  tokenLinear(queue, { token, w, bias, out }) {
    queue.add('tokenLinear', 1, [token.length, token, w, bias, out]);
  },

  sparseLinearGrad(queue, { x, index, masked, token, w, dOut, dw, dToken, dBias }) {
    const rows = index?.length ?? x.rows;
    queue.reserveScratch(ROW * (x.cols + 2 + x.width + 64) + 64 * 4 * x.width);
    const { size, chunks } = divideRows(rows);
    const stride = (x.cols + 2) * H;
    const address = queue.reserveParts((chunks * stride + 2 * H) * 4);
    const totals = address + chunks * stride * 4;
    queue.add('sparseLinearGrad', chunks, [
      rows,
      size,
      ...featureArguments(x),
      masked,
      dOut,
      address,
      x.cols,
      index,
      dBias !== null,
    ]);
    const parts = { address, chunks, stride };
    sumParts(queue, parts, { out: dw, length: x.cols * H });
    sumParts(queue, parts, { out: totals, length: H, first: x.cols * H });
    if (dBias !== null) {
      sumParts(queue, parts, { out: dBias, length: H, first: x.cols * H });
      sumParts(queue, parts, { out: dBias, length: H, first: (x.cols + 1) * H, add: true });
    }
    queue.add('tokenGrad', 1, [x.cols, token, w, totals, dw, dToken]);
  },

  linear(queue, { rows, x, index, w, bias, out, add }) {
    queue.reserveScratch(ROW);
    queue.add('linear', chunksOf(rows), [rows, CHUNK_ROWS, x, w, bias, out, index, add]);
  },

  linearGradWeights(queue, { rows, x, index, dOut, dw, dBias, add }) {
    queue.reserveScratch((64 + H + 1) * ROW);
    const { size, chunks } = divideRows(rows);
    const stride = (H + 1) * H;
    const address = queue.reserveParts(chunks * stride * 4);
    queue.add('linearGradWeights', chunks, [rows, size, x, dOut, address, index]);
    const parts = { address, chunks, stride };
    sumParts(queue, parts, { out: dw, length: H * H, add });
    if (dBias !== null) sumParts(queue, parts, { out: dBias, length: H, first: H * H });
  },

  sumRows(queue, { rows, from, out }) {
    queue.reserveScratch(ROW);
    const { size, chunks } = divideRows(rows);
    const address = queue.reserveParts(chunks * ROW);
    queue.add('sumRows', chunks, [rows, size, from, address]);
    sumParts(queue, { address, chunks, stride: H }, { out, length: H });
  },

  linearGradInput(queue, { rows, dOut, w, second, dx, add }) {
    queue.reserveScratch(ROW);
    const other = queue.transposed + H * ROW;
    queue.add('transpose', 1, [w, queue.transposed]);
    if (second !== null) queue.add('transpose', 1, [second.w, other]);
    queue.add('linearGradInput', chunksOf(rows), [
      rows,
      CHUNK_ROWS,
      dOut,
      queue.transposed,
      second?.dOut ?? null,
      other,
      dx,
      add,
    ]);
  },

  prelu(queue, { rows, pre, slope, out }) {
    queue.add('prelu', chunksOf(rows), [rows, CHUNK_ROWS, pre, slope, out]);
  },

  preluGrad(queue, { rows, pre, slope, dh, dSlope }) {
    const chunks = chunksOf(rows);
    const parts = queue.reserveParts(16 * chunks);
    queue.add('preluGrad', chunks, [rows, CHUNK_ROWS, dh, pre, slope, parts]);
    // Each chunk writes two numbers, and all of them add up to the gradient.
    queue.add('sumTables', 1, [1, 0, parts, 2 * chunks, 8, dSlope]);
  },

  segmentSum(queue, { work, entries, sourceRows, from, fromScale, scale, out, add }) {
    queue.reserveScratch(ROW + 4 * SEGMENT_ENTRIES + 16);
    const { mergeChunks, workArgs } = workArguments(work);
    const args = [
      ...workArgs,
      entries,
      sourceRows,
      from,
      scale,
      out,
      queue.reserveParts(work.partCount * ROW),
      work.splitCount,
      fromScale,
      add,
    ];
    queue.add('segmentSum', work.chunkCount, args);
    queue.add('mergeSegments', mergeChunks, args);
  },

  adam(queue, args) {
    const { length } = args.parameters;
    const floats = [
      args.learningRate,
      0.9,
      0.999,
      1e-8,
      args.weightDecay,
      1 / (1 - 0.9 ** args.step),
      1 / (1 - 0.999 ** args.step),
      args.scale,
      0.1,
      0.001,
    ];
    queue.add('adam', Math.ceil(length / ADAM_FLOATS), [
      length,
      args.parameters,
      args.gradient,
      args.firstMoment,
      args.secondMoment,
      ...floats.map((float) => ({ float })),
    ]);
  },
};
