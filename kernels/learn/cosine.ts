// The scaled cosine loss and its gradients without x̂ (method §5). With G = WᵀW, g = Wᵀb and β = bᵀb, ‖x̂‖², ⟨x̂, x⟩ and the
// gradients are cheap. The dense form is used for relations with few masked pairs, for x with few columns, and for a pair
// whose x̂ nearly cancels: ‖x̂‖² is then a small difference of large terms, which float32 cannot represent.

import { denseBlock, densePair } from './cosine-dense';
import {
  BIAS, BLOCK, CANCELS, COLUMNS, COUNTS, D, DENSE, DM, ERRORS, EXPONENT, GRAMS, INDICES, MEANS, NODES, NORMS, OFFSETS, PARTS,
  PART_BYTES, SUMS, VALUES, W, WIDTH, WORK, error, factorA, factorB, evaluatePair, sumTerms,
} from './cosine-pair';
import { makeTriangle, mirror, multiply, multiplySymmetric, multiplyTransposed, sumColumns } from './gemm';
import {
  H, ROW, addScaledRow, addTo, clear, clearRow, copy, copyRow, dotRows, flush, madd, ptr, sumLanes, word,
} from './simd';
import { addPanel, gatherRows, packPanel, scatterRow } from './sparse';

/** Bytes of the Gram record of a relation: G, g, the diagonal of G, β. Without gradients, G is stored as a triangle for mᵀGm. */
const GRAM: usize = H * ROW + 2 * ROW + 16;

/** Arguments: list of relations, D, W, b, grams, whether there are gradients. One chunk per relation. */
export function gram(args: usize, chunk: usize): void {
  const r = <usize>load<u32>(ptr(args, 0) + (chunk << 2));
  const d = <usize>word(args, 1);
  const w = ptr(args, 2) + r * d * ROW;
  const bias = ptr(args, 3) + ((r * d) << 2);
  const out = ptr(args, 4) + r * GRAM;
  memory.fill(out, 0, GRAM);
  multiplySymmetric(w, w, d, out);
  if (word(args, 5) != 0) mirror(out);
  else makeTriangle(out);
  let beta: f32 = 0;
  for (let i: usize = 0; i < d; i++) {
    const b = load<f32>(bias + (i << 2));
    addScaledRow(out + H * ROW, w + i * ROW, f32x4.splat(b));
    beta += b * b;
  }
  for (let j: usize = 0; j < H; j++) {
    store<f32>(out + (H + 1) * ROW + (j << 2), load<f32>(out + j * ROW + (j << 2)));
  }
  store<f32>(out + (H + 2) * ROW, beta);
}

/** Pairs per section. The gradients of a section are summed before they are added to the part of the chunk. */
const SECTION: usize = 10 * BLOCK;

export function cosineLoss(args: usize, chunk: usize, scratch: usize): void {
  const item = ptr(args, WORK) + chunk * 20;
  const bytes = <usize>word(args, PART_BYTES);
  const part = ptr(args, PARTS) + <usize>load<u32>(item, 16) * bytes;
  const training = ptr(args, DM) != 0;
  if (training) memory.fill(part, 0, bytes);
  const first = <usize>load<u32>(item, 4);
  const end = <usize>load<u32>(item, 8);
  if (!training || end - first <= SECTION) {
    lossSection(args, item, first, end, part, scratch);
    return;
  }
  memory.fill(scratch, 0, bytes);
  for (let k = first; k < end; k += SECTION) {
    lossSection(args, item, k, min<usize>(k + SECTION, end), scratch, scratch + bytes);
    flush(scratch, bytes, part);
  }
}

/** The pairs of a section. Adds their gradients to `part`. */
function lossSection(args: usize, item: usize, first: usize, end: usize, part: usize, scratch: usize): void {
  const r = <usize>load<u32>(item);
  const d = <usize>word(args, D);
  const w = ptr(args, W) + r * d * ROW;
  const bias = ptr(args, BIAS) + ((r * d) << 2);
  if (load<u32>(item, 12) != 0) {
    for (let k = first; k < end; k += BLOCK) denseBlock(args, r, k, min<usize>(BLOCK, end - k), w, bias, part, scratch);
    return;
  }
  const width = <usize>word(args, WIDTH);
  const columns = ptr(args, COLUMNS);
  const panel = scratch + ROW;
  const dPanel = panel + width * ROW;
  const biases = dPanel + width * ROW;
  const dBiases = biases + (width << 2);
  packPanel(panel, w, columns, width);
  memory.fill(dPanel, 0, width * ROW);
  for (let e: usize = 0; e < width << 2; e += 4) {
    store<f32>(biases + e, load<f32>(bias + (<usize>load<u32>(columns + e) << 2)));
  }
  memory.fill(dBiases, 0, width << 2);
  for (let k = first; k < end; k += BLOCK) {
    gramBlock(args, r, k, min<usize>(BLOCK, end - k), w, bias, part, scratch);
  }
  if (ptr(args, DM) == 0) return;
  addPanel(dPanel, part, columns, width);
  const db = part + d * ROW + SUMS;
  for (let e: usize = 0; e < width << 2; e += 4) {
    const at = db + (<usize>load<u32>(columns + e) << 2);
    store<f32>(at, load<f32>(at) + load<f32>(dBiases + e));
  }
}

/** Up to BLOCK pairs in the Gram form. */
function gramBlock(args: usize, r: usize, k: usize, count: usize, w: usize, bias: usize, part: usize, scratch: usize): void {
  const d = <usize>word(args, D);
  const width = <usize>word(args, WIDTH);
  const stride = width << 2;
  const panel = scratch + ROW;
  const dPanel = panel + width * ROW;
  const biases = dPanel + width * ROW; // of the dense columns, and their gradients
  const dBiases = biases + stride;
  const xs = dBiases + stride; // the block's dense columns of x
  const product = xs + BLOCK * stride; // Wᵀx
  const y = product + BLOCK * ROW; // Gm + g, or with G as a triangle
  const spare = y + BLOCK * ROW; // x and x̂ of a pair in the dense form
  const means = ptr(args, MEANS) + k * ROW;
  const record = ptr(args, GRAMS) + r * GRAM;
  const g = record + H * ROW;
  const diagonal = g + ROW;
  const beta = load<f32>(diagonal + ROW);
  memory.fill(product, 0, count * ROW);
  for (let i: usize = 0; i < count; i++) {
    const v = <usize>load<u32>(ptr(args, NODES) + ((k + i) << 2));
    copy(xs + i * stride, ptr(args, DENSE) + v * stride, stride);
    copyRow(y + i * ROW, g);
    const from = <usize>load<u32>(ptr(args, OFFSETS) + (v << 2));
    const to = <usize>load<u32>(ptr(args, OFFSETS) + (v << 2), 4);
    gatherRows(ptr(args, INDICES) + (from << 2), ptr(args, VALUES) + (from << 2), to - from, w, product + i * ROW);
  }
  if (width > 0) multiply(xs, stride, count, width, panel, product, scratch, ROW);
  const training = ptr(args, DM) != 0;
  if (training) multiply(means, ROW, count, H, record, y, scratch, ROW);
  else multiply(means, ROW, count, 8, record, y, scratch, ROW, 8);

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
    let known = f32x4.splat(0);
    for (let e: usize = 0; e < stride; e += 16) {
      known = madd(v128.load(biases + e), v128.load(xs + i * stride + e), known);
    }
    let inner = dotRows(m, product + i * ROW) + sumLanes(known);
    for (let e: usize = 0; e < to - from; e++) {
      inner += load<f32>(bias + (<usize>load<u32>(indices + (e << 2)) << 2)) * load<f32>(values + (e << 2));
    }
    const linearTerm = dotRows(m, g);
    const square: f32 = dotRows(m, y + i * ROW) + linearTerm + beta;
    if (!(square > CANCELS * (sumTerms(m, diagonal) + beta))) {
      densePair(args, r, k + i, w, bias, part, product + i * ROW, spare);
      // densePair has added the gradient, so the products below must not add it again.
      clear(xs + i * stride, stride);
      clearRow(y + i * ROW);
      continue;
    }
    evaluatePair(inner, square, load<f32>(ptr(args, NORMS) + (v << 2)), word(args, EXPONENT), weight);
    store<f32>(ptr(args, ERRORS) + ((k + i) << 2), error);
    if (!training) continue;

    const a = f32x4.splat(factorA);
    const b = f32x4.splat(factorB);
    // dm replaces Wᵀx, and B m replaces y.
    for (let j: usize = 0; j < ROW; j += 16) {
      const out = product + i * ROW + j;
      const at = y + i * ROW + j;
      v128.store(out, madd(a, v128.load(out), f32x4.mul(b, v128.load(at))));
      v128.store(at, f32x4.mul(b, v128.load(m + j)));
    }
    scatterRow(indices, values, to - from, factorA, m, part);
    for (let e: usize = 0; e < to - from; e++) {
      const at = db + (<usize>load<u32>(indices + (e << 2)) << 2);
      store<f32>(at, load<f32>(at) + factorA * load<f32>(values + (e << 2)));
    }
    for (let e: usize = 0; e < stride; e += 16) {
      const ax = f32x4.mul(a, v128.load(xs + i * stride + e));
      v128.store(xs + i * stride + e, ax);
      addTo(dBiases + e, ax);
    }
    store<f32>(sums + H * ROW + ROW, load<f32>(sums + H * ROW + ROW) + factorB);
  }
  if (!training) return;
  multiplyTransposed(xs, stride, width, means, count, dPanel);
  multiplySymmetric(y, means, count, sums);
  sumColumns(y, count, sums + H * ROW);
  memory.copy(ptr(args, DM) + k * ROW, product, count * ROW); // last, because dm may overwrite the means
}

/**
 * dW = Σ parts + W S + b tᵀ and db = Σ parts + W t + b ΣB, for some rows of one relation. The dense form has no S and t.
 * Arguments: work (relation, first part, parts, first row, end row, dense?), D, W, b, parts, part bytes, dW, db.
 */
export function decoderGrad(args: usize, chunk: usize, scratch: usize): void {
  const item = ptr(args, 0) + chunk * 24;
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
  memory.fill(dw, 0, rows * ROW);
  memory.fill(db, 0, rows << 2);
  for (let p: usize = 0; p < count; p++) {
    const part = first + p * bytes;
    for (let j: usize = 0; j < rows * ROW; j += 16) addTo(dw + j, v128.load(part + start * ROW + j));
    const from = part + d * ROW + SUMS + (start << 2);
    for (let i: usize = 0; i < rows << 2; i += 4) store<f32>(db + i, load<f32>(db + i) + load<f32>(from + i));
  }
  if (load<u32>(item, 20) != 0) return;
  const sums = scratch + ROW;
  memory.fill(sums, 0, SUMS);
  for (let part = first + d * ROW; part < first + count * bytes; part += bytes) {
    for (let j: usize = 0; j < SUMS; j += 16) addTo(sums + j, v128.load(part + j));
  }
  mirror(sums); // only one half of S was computed
  multiply(w, ROW, rows, H, sums, dw, scratch, ROW);
  const t = sums + H * ROW;
  const total = load<f32>(t + ROW);
  for (let i: usize = 0; i < rows; i++) {
    const b = load<f32>(bias + (i << 2));
    addScaledRow(dw + i * ROW, t, f32x4.splat(b));
    store<f32>(db + (i << 2), load<f32>(db + (i << 2)) + dotRows(w + i * ROW, t) + b * total);
  }
}
