// The scaled cosine loss and its gradients without x̂ (method §5): with G = WᵀW, g = Wᵀb, β = bᵀb both ‖x̂‖² and
// ⟨x̂, x⟩ are cheap, and so are the gradients. Relations with few masked nodes use the dense form, all do where x has few
// columns, and so does a slot whose x̂ nearly cancels: ‖x̂‖² is then the small rest of large terms, and float32 has no
// digits of it.

import { addPanel, gatherRows, packPanel, scatterRow } from './sparse';
import { multiply, multiplyTransposed, sumColumns } from './gemm';
import { dotRowsExactly } from './float64';
import { H, ROW, addScaledRow, addTo, dotRows, madd, ptr, word } from './simd';

const BLOCK: usize = 48;
/** x̂ is written out where ‖x̂‖² is a smaller share of its terms. The Gram form keeps about five digits there. */
const CANCELS: f32 = 1e-2;
/** Of a relation's Gram record: G, g, β. */
export const GRAM: usize = H * ROW + ROW + 16;
/** Of a part after dW (D rows): S = ΣB m mᵀ, t = ΣB m, ΣB; db comes last. */
const SUMS: usize = H * ROW + ROW + 16;

// Arguments of cosineLoss. A work item is (relation, first slot, end slot, dense?, part).
const WORK = 0, D = 1, DENSE = 2, WIDTH = 3, COLUMNS = 4, OFFSETS = 5, INDICES = 6, VALUES = 7;
const NORMS = 8, NODES = 9, MEANS = 10, W = 11, BIAS = 12, GRAMS = 13, EXPONENT = 14, ERRORS = 15;
const DM = 16, COUNTS = 17, PARTS = 18, PART_BYTES = 19;

/** Arguments: relations to do, D, W, b, grams. One chunk a relation. */
export function gram(args: usize, chunk: usize): void {
  const r = <usize>load<u32>(ptr(args, 0) + (chunk << 2));
  const d = <usize>word(args, 1);
  const w = ptr(args, 2) + r * d * ROW;
  const bias = ptr(args, 3) + ((r * d) << 2);
  const out = ptr(args, 4) + r * GRAM;
  memory.fill(out, 0, GRAM);
  multiplyTransposed(w, ROW, H, w, d, out);
  let beta: f32 = 0;
  for (let i: usize = 0; i < d; i++) {
    const b = load<f32>(bias + (i << 2));
    addScaledRow(out + H * ROW, w + i * ROW, f32x4.splat(b));
    beta += b * b;
  }
  store<f32>(out + H * ROW + ROW, beta);
}

// What `judge` found for one slot.
let error: f32 = 0;
let factorA: f32 = 0;
let factorB: f32 = 0;

/** ℓ and the factors A and B of ∂ℓ/∂x̂ = A x + B x̂ (method §5). */
function judge(inner: f32, square: f32, norm: f32, exponent: u32, weight: f32): void {
  const length = sqrt(square);
  let c: f32 = 0;
  const counts = norm > 0 && square > <f32>1e-30;
  if (counts) c = min<f32>(1, max<f32>(-1, inner / (length * norm)));
  const gap: f32 = 1 - c;
  let power: f32 = 1;
  for (let i: u32 = 1; i < exponent; i++) power *= gap;
  error = power * gap;
  const slope: f32 = counts ? -(<f32>exponent) * power * weight : 0;
  factorA = counts ? slope / (length * norm) : 0;
  factorB = counts ? (-slope * c) / square : 0;
}

export function cosineLoss(args: usize, chunk: usize, scratch: usize): void {
  const item = ptr(args, WORK) + chunk * 20;
  const r = <usize>load<u32>(item);
  const d = <usize>word(args, D);
  const w = ptr(args, W) + r * d * ROW;
  const bias = ptr(args, BIAS) + ((r * d) << 2);
  const part = ptr(args, PARTS) + <usize>load<u32>(item, 16) * <usize>word(args, PART_BYTES);
  if (ptr(args, DM) != 0) memory.fill(part, 0, <usize>word(args, PART_BYTES));
  const first = <usize>load<u32>(item, 4);
  const end = <usize>load<u32>(item, 8);
  if (load<u32>(item, 12) != 0) {
    const out = scratch + (d << 3);
    for (let k = first; k < end; k++) {
      denseSlot(args, r, k, w, bias, part, out, scratch);
      if (ptr(args, DM) != 0) memory.copy(ptr(args, DM) + k * ROW, out, ROW);
    }
    return;
  }
  const width = <usize>word(args, WIDTH);
  const panel = scratch + ROW;
  const dPanel = panel + width * ROW;
  packPanel(panel, w, ptr(args, COLUMNS), width);
  memory.fill(dPanel, 0, width * ROW);
  for (let k = first; k < end; k += BLOCK) {
    gramBlock(args, r, k, min<usize>(BLOCK, end - k), w, bias, part, scratch);
  }
  if (ptr(args, DM) != 0) addPanel(dPanel, part, ptr(args, COLUMNS), width);
}

/** Up to BLOCK slots in the Gram form. */
function gramBlock(args: usize, r: usize, k: usize, count: usize, w: usize, bias: usize, part: usize, scratch: usize): void {
  const d = <usize>word(args, D);
  const width = <usize>word(args, WIDTH);
  const stride = width << 2;
  const panel = scratch + ROW;
  const dPanel = panel + width * ROW;
  const xs = dPanel + width * ROW; // the block's dense columns of x
  const product = xs + BLOCK * stride; // Wᵀx
  const y = product + BLOCK * ROW; // Gm + g
  const spare = y + BLOCK * ROW; // for x and x̂ of a slot in the dense form
  const means = ptr(args, MEANS) + k * ROW;
  const record = ptr(args, GRAMS) + r * GRAM;
  const g = record + H * ROW;
  const beta = load<f32>(g + ROW);
  memory.fill(product, 0, count * ROW);
  for (let i: usize = 0; i < count; i++) {
    const v = <usize>load<u32>(ptr(args, NODES) + ((k + i) << 2));
    memory.copy(xs + i * stride, ptr(args, DENSE) + v * stride, stride);
    memory.copy(y + i * ROW, g, ROW);
    const from = <usize>load<u32>(ptr(args, OFFSETS) + (v << 2));
    const to = <usize>load<u32>(ptr(args, OFFSETS) + (v << 2), 4);
    gatherRows(ptr(args, INDICES) + (from << 2), ptr(args, VALUES) + (from << 2), to - from, w, product + i * ROW);
  }
  if (width > 0) multiply(xs, stride, count, width, panel, product, scratch);
  multiply(means, ROW, count, H, record, y, scratch);

  const training = ptr(args, DM) != 0;
  const weight: f32 = 1 / <f32>load<u32>(ptr(args, COUNTS) + (r << 2));
  const sums = part + d * ROW;
  const db = sums + SUMS;
  for (let i: usize = 0; i < count; i++) {
    const m = means + i * ROW;
    const v = <usize>load<u32>(ptr(args, NODES) + ((k + i) << 2));
    const from = <usize>load<u32>(ptr(args, OFFSETS) + (v << 2));
    const to = <usize>load<u32>(ptr(args, OFFSETS) + (v << 2), 4);
    const indices = ptr(args, INDICES) + (from << 2);
    const values = ptr(args, VALUES) + (from << 2);
    let inner = dotRows(m, product + i * ROW);
    for (let e: usize = 0; e < to - from; e++) {
      inner += load<f32>(bias + (<usize>load<u32>(indices + (e << 2)) << 2)) * load<f32>(values + (e << 2));
    }
    for (let e: usize = 0; e < width; e++) {
      inner += load<f32>(bias + (<usize>load<u32>(ptr(args, COLUMNS) + (e << 2)) << 2)) * load<f32>(xs + i * stride + (e << 2));
    }
    const linearTerm = dotRows(m, g);
    const quadratic = dotRows(m, y + i * ROW) - linearTerm;
    const square: f32 = quadratic + 2 * linearTerm + beta;
    if (!(square > CANCELS * (quadratic + beta))) {
      denseSlot(args, r, k + i, w, bias, part, product + i * ROW, spare);
      // It has added its share: the block's products below must not.
      memory.fill(xs + i * stride, 0, stride);
      memory.fill(y + i * ROW, 0, ROW);
      continue;
    }
    judge(inner, square, load<f32>(ptr(args, NORMS) + (v << 2)), word(args, EXPONENT), weight);
    store<f32>(ptr(args, ERRORS) + ((k + i) << 2), error);
    if (!training) continue;

    const a = f32x4.splat(factorA);
    const b = f32x4.splat(factorB);
    const bm = f32x4.splat(factorB);
    // Wᵀx and y are used up: dm and B m take their places.
    for (let j: usize = 0; j < ROW; j += 16) {
      const out = product + i * ROW + j;
      const at = y + i * ROW + j;
      v128.store(out, madd(a, v128.load(out), f32x4.mul(b, v128.load(at))));
      v128.store(at, f32x4.mul(bm, v128.load(m + j)));
    }
    scatterRow(indices, values, to - from, factorA, m, part);
    for (let e: usize = 0; e < to - from; e++) {
      const at = db + (<usize>load<u32>(indices + (e << 2)) << 2);
      store<f32>(at, load<f32>(at) + factorA * load<f32>(values + (e << 2)));
    }
    for (let e: usize = 0; e < width; e++) {
      const x = xs + i * stride + (e << 2);
      const ax: f32 = factorA * load<f32>(x);
      store<f32>(x, ax);
      const at = db + (<usize>load<u32>(ptr(args, COLUMNS) + (e << 2)) << 2);
      store<f32>(at, load<f32>(at) + ax);
    }
    store<f32>(sums + H * ROW + ROW, load<f32>(sums + H * ROW + ROW) + factorB);
  }
  if (!training) return;
  multiplyTransposed(xs, stride, width, means, count, dPanel);
  multiplyTransposed(y, ROW, H, means, count, sums);
  sumColumns(y, count, sums + H * ROW);
  memory.copy(ptr(args, DM) + k * ROW, product, count * ROW); // last, because it may be in the place of the means
}

/** One slot with x̂ written out, its sums in float64: x̂ may be the small rest of large terms. `out` gets dm. */
function denseSlot(
  args: usize, r: usize, k: usize, w: usize, bias: usize, part: usize, out: usize, scratch: usize,
): void {
  const d = <usize>word(args, D);
  const width = <usize>word(args, WIDTH);
  const x = scratch;
  const xHat = x + (d << 2);
  const v = <usize>load<u32>(ptr(args, NODES) + (k << 2));
  const m = ptr(args, MEANS) + k * ROW;
  memory.fill(x, 0, d << 2);
  for (let e = <usize>load<u32>(ptr(args, OFFSETS) + (v << 2)); e < <usize>load<u32>(ptr(args, OFFSETS) + (v << 2), 4); e++) {
    const at = x + (<usize>load<u32>(ptr(args, INDICES) + (e << 2)) << 2);
    store<f32>(at, load<f32>(at) + load<f32>(ptr(args, VALUES) + (e << 2)));
  }
  for (let e: usize = 0; e < width; e++) {
    const at = x + (<usize>load<u32>(ptr(args, COLUMNS) + (e << 2)) << 2);
    store<f32>(at, load<f32>(at) + load<f32>(ptr(args, DENSE) + ((v * width + e) << 2)));
  }
  let inner: f64 = 0;
  let square: f64 = 0;
  for (let i: usize = 0; i < d; i++) {
    const value = dotRowsExactly(w + i * ROW, m) + <f64>load<f32>(bias + (i << 2));
    store<f32>(xHat + (i << 2), <f32>value);
    inner += value * <f64>load<f32>(x + (i << 2));
    square += value * value;
  }
  const weight: f32 = 1 / <f32>load<u32>(ptr(args, COUNTS) + (r << 2));
  judge(<f32>inner, <f32>square, load<f32>(ptr(args, NORMS) + (v << 2)), word(args, EXPONENT), weight);
  store<f32>(ptr(args, ERRORS) + (k << 2), error);
  if (ptr(args, DM) == 0) return;
  const db = part + d * ROW + SUMS;
  memory.fill(out, 0, ROW);
  for (let i: usize = 0; i < d; i++) {
    const dx: f32 = factorA * load<f32>(x + (i << 2)) + factorB * load<f32>(xHat + (i << 2));
    addScaledRow(part + i * ROW, m, f32x4.splat(dx));
    addScaledRow(out, w + i * ROW, f32x4.splat(dx));
    store<f32>(db + (i << 2), load<f32>(db + (i << 2)) + dx);
  }
}

/**
 * dW = parts + W S + b tᵀ and db = parts + W t + b ΣB, for some rows of one relation.
 * Arguments: work (relation, first part, parts, first row, end row), D, W, b, parts, part bytes, dW, db.
 */
export function decoderGrad(args: usize, chunk: usize, scratch: usize): void {
  const item = ptr(args, 0) + chunk * 20;
  const r = <usize>load<u32>(item);
  const bytes = <usize>word(args, 5);
  const first = ptr(args, 4) + <usize>load<u32>(item, 4) * bytes;
  const count = <usize>load<u32>(item, 8);
  const d = <usize>word(args, 1);
  const start = <usize>load<u32>(item, 12);
  const rows = <usize>load<u32>(item, 16) - start;
  const w = ptr(args, 2) + (r * d + start) * ROW;
  const bias = ptr(args, 3) + ((r * d + start) << 2);
  const dw = ptr(args, 6) + (r * d + start) * ROW;
  const db = ptr(args, 7) + ((r * d + start) << 2);
  const sums = scratch + ROW;
  memory.fill(sums, 0, SUMS);
  memory.fill(dw, 0, rows * ROW);
  memory.fill(db, 0, rows << 2);
  for (let p: usize = 0; p < count; p++) {
    const part = first + p * bytes;
    for (let j: usize = 0; j < SUMS; j += 16) addTo(sums + j, v128.load(part + d * ROW + j));
    for (let j: usize = 0; j < rows * ROW; j += 16) addTo(dw + j, v128.load(part + start * ROW + j));
    const from = part + d * ROW + SUMS + (start << 2);
    for (let i: usize = 0; i < rows << 2; i += 4) store<f32>(db + i, load<f32>(db + i) + load<f32>(from + i));
  }
  multiply(w, ROW, rows, H, sums, dw, scratch);
  const t = sums + H * ROW;
  const total = load<f32>(t + ROW);
  for (let i: usize = 0; i < rows; i++) {
    const b = load<f32>(bias + (i << 2));
    addScaledRow(dw + i * ROW, t, f32x4.splat(b));
    store<f32>(db + (i << 2), load<f32>(db + (i << 2)) + dotRows(w + i * ROW, t) + b * total);
  }
}
