import { type Kernels, takesDenseForm } from '../device.js';
import { at, type Caller, describe, ROW } from './calls.js';

const H = 64;
const BLOCK = 48;
/** G, g, the diagonal of G, β; and what a part has after dW: S, t, ΣB. */
const GRAM_BYTES = H * ROW + 2 * ROW + 16;
const SUM_BYTES = H * ROW + ROW + 16;
/** Slots a chunk, and chunks a relation, at most: each has a gradient of W_r to itself. */
const CHUNK_SLOTS = 84 * BLOCK;
const MOST_PARTS = 8;
/** What a slot costs in the dense form, in slots of the Gram form, about. */
const DENSE_COST = 10;
/** Rows of W_r a chunk when the gradient is put together. */
const GRADIENT_ROWS = 128;

interface Plan {
  /** Relations whose Gram matrix is needed. */
  grams: number[];
  /** (relation, first slot, end slot, dense?, part) */
  losses: number[];
  /** (relation, first part, parts, first row, end row, dense?) */
  gradients: number[];
  parts: number;
}

export function callCosineLoss(to: Caller, args: Kernels['cosineLoss']): void {
  const { target, gradient } = args;
  const D = target.cols;
  const { grams, losses, gradients, parts } = plan(args.offsets, D);
  if (parts === 0) return;
  const stride = 4 * target.width;
  const isDense = grams.length < args.offsets.length - 1;
  const slot = 2 * 4 * D; // x and x̂ of one
  const partBytes = Math.ceil((D * ROW + SUM_BYTES + 4 * D) / 64) * 64;
  to.scratch(
    Math.max(
      (gradient ? partBytes : 0) + ROW * (1 + 2 * target.width + 2 * BLOCK) + (2 + BLOCK) * stride + slot,
      isDense
        ? (gradient ? partBytes : 0) + ROW * (2 + BLOCK) + slot + 16 * BLOCK + ROW * (H + D) // kernels/learn/cosine-dense.ts
        : 0,
      ROW + SUM_BYTES,
    ),
  );
  const relations = args.offsets.length - 1;
  const room = to.parts((gradient ? parts : 0) * partBytes + relations * GRAM_BYTES);
  const gramAt = room + (gradient ? parts : 0) * partBytes;
  // Before the first call: making a table may run what is on the list.
  const tables = to.table([...grams, ...losses, ...gradients, ...args.counts]);
  const lossesAt = tables + 4 * grams.length;
  const gradientsAt = lossesAt + 4 * losses.length;
  const countsAt = gradientsAt + 4 * gradients.length;
  const [w, bias] = [at(args.w), at(args.bias)];
  to.call('gram', grams.length, [tables, D, w, bias, gramAt, gradient ? 1 : 0]);
  to.call('cosineLoss', losses.length / 5, [
    lossesAt,
    D,
    ...describe(target),
    at(args.norms),
    at(args.nodes),
    at(args.means),
    w,
    bias,
    gramAt,
    args.exponent,
    at(args.errors),
    at(gradient?.dMeans ?? null),
    countsAt,
    room,
    partBytes,
  ]);
  if (gradient === null) return;
  to.call('decoderGrad', gradients.length / 6, [
    gradientsAt,
    D,
    w,
    bias,
    room,
    partBytes,
    at(gradient.dw),
    at(gradient.dBias),
  ]);
}

function plan(offsets: Uint32Array, D: number): Plan {
  const result: Plan = { grams: [], losses: [], gradients: [], parts: 0 };
  const losses: { item: readonly number[]; cost: number }[] = [];
  for (let r = 0; r + 1 < offsets.length; r++) {
    const slots = offsets[r + 1] - offsets[r];
    if (slots === 0) continue;
    const isDense = takesDenseForm(slots, { features: D, hidden: H });
    if (!isDense) result.grams.push(r);
    const size = Math.max(CHUNK_SLOTS, Math.ceil(slots / MOST_PARTS / BLOCK) * BLOCK);
    const first = result.parts;
    for (let start = offsets[r]; start < offsets[r + 1]; start += size) {
      const end = Math.min(start + size, offsets[r + 1]);
      const item = [r, start, end, isDense ? 1 : 0, result.parts++];
      losses.push({ item, cost: (end - start) * (isDense ? DENSE_COST : 1) });
    }
    for (let row = 0; row < D; row += GRADIENT_ROWS) {
      const end = Math.min(row + GRADIENT_ROWS, D);
      result.gradients.push(r, first, result.parts - first, row, end, isDense ? 1 : 0);
    }
  }
  // The longest first, so that no thread begins one when the others are done.
  losses.sort((a, b) => b.cost - a.cost);
  result.losses = losses.flatMap(({ item }) => item);
  return result;
}
