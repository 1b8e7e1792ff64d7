import { type Kernels, takesDenseForm } from '../device.js';
import { featureArguments, H, type OperationQueue, ROW } from './kernel-call.js';

/** Pairs that the kernels process together (kernels/learn/cosine-pair.ts). */
const BLOCK = 48;
/** G, g, the diagonal of G, β. */
const GRAM_BYTES = H * ROW + 2 * ROW + 16;
/** The sums that follow dW in a part: S, t, ΣB. */
const SUM_BYTES = H * ROW + ROW + 16;
/** Pairs per chunk. */
const CHUNK_PAIRS = 84 * BLOCK;
/** The most chunks per relation: each chunk needs memory for its own gradient of W_r. */
const MAX_PARTS = 8;
/** The approximate cost of a pair in the dense form, in pairs of the Gram form. */
const DENSE_COST = 10;
/** Rows of W_r per chunk when the parts of its gradient are summed. */
const GRADIENT_ROWS = 128;

interface Plan {
  /** Relations whose Gram matrix is needed. */
  grams: number[];
  /** (relation, first pair, end pair, dense?, part) */
  losses: number[];
  /** (relation, first part, number of parts, first row, end row, dense?) */
  gradients: number[];
  parts: number;
}

export function callCosineLoss(queue: OperationQueue, args: Kernels['cosineLoss']): void {
  const { target, gradient, exponent } = args;
  if (!Number.isInteger(exponent))
    throw new RangeError(`the kernels need an integer exponent, not ${exponent}`);
  const D = target.cols;
  const { grams, losses, gradients, parts } = plan(args.offsets, D);
  if (parts === 0) return;
  const stride = 4 * target.width;
  const hasDense = grams.length < args.offsets.length - 1;
  const pairBytes = 2 * 4 * D; // x and x̂ of one pair
  const partBytes = Math.ceil((D * ROW + SUM_BYTES + 4 * D) / 64) * 64;
  const sectionBytes = gradient ? partBytes : 0;
  queue.reserveScratch(
    Math.max(
      sectionBytes + ROW * (1 + 2 * target.width + 2 * BLOCK) + (2 + BLOCK) * stride + pairBytes,
      hasDense ? sectionBytes + ROW * (2 + BLOCK) + pairBytes + 16 * BLOCK + ROW * (H + D) : 0,
      ROW + SUM_BYTES,
    ),
  );
  const relations = args.offsets.length - 1;
  const partsAt = queue.reserveParts((gradient ? parts : 0) * partBytes + relations * GRAM_BYTES);
  const gramsAt = partsAt + (gradient ? parts : 0) * partBytes;
  // Before the first operation, because writing a table may run the list.
  const gramListAt = queue.writeTable([...grams, ...losses, ...gradients, ...args.counts]);
  const lossesAt = gramListAt + 4 * grams.length;
  const gradientsAt = lossesAt + 4 * losses.length;
  const countsAt = gradientsAt + 4 * gradients.length;
  const { w, bias } = args;
  queue.add('gram', grams.length, [gramListAt, D, w, bias, gramsAt, gradient !== null]);
  queue.add('cosineLoss', losses.length / 5, [
    lossesAt,
    D,
    ...featureArguments(target),
    args.norms,
    args.nodes,
    args.means,
    w,
    bias,
    gramsAt,
    exponent,
    args.errors,
    gradient?.dMeans ?? null,
    countsAt,
    partsAt,
    partBytes,
  ]);
  if (gradient === null) return;
  queue.add('decoderGrad', gradients.length / 6, [
    gradientsAt,
    D,
    w,
    bias,
    partsAt,
    partBytes,
    gradient.dw,
    gradient.dBias,
  ]);
}

function plan(offsets: Uint32Array, D: number): Plan {
  const result: Plan = { grams: [], losses: [], gradients: [], parts: 0 };
  const losses: { item: readonly number[]; cost: number }[] = [];
  for (let r = 0; r + 1 < offsets.length; r++) {
    const pairs = offsets[r + 1] - offsets[r];
    if (pairs === 0) continue;
    const isDense = takesDenseForm(pairs, { features: D, hidden: H });
    if (!isDense) result.grams.push(r);
    const size = Math.max(CHUNK_PAIRS, Math.ceil(pairs / MAX_PARTS / BLOCK) * BLOCK);
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
  // The longest first, so that no thread starts a long chunk when the others are done.
  losses.sort((a, b) => b.cost - a.cost);
  result.losses = losses.flatMap(({ item }) => item);
  return result;
}
