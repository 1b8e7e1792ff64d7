// The cosine loss with x̂ written out: for relations with few masked pairs, for x with few columns, and for single pairs
// whose x̂ nearly cancels.

import {
  BLOCK, CANCELS, COLUMNS, COUNTS, D, DENSE, DM, ERRORS, EXPONENT, INDICES, MEANS, NODES, NORMS, OFFSETS, SUMS, VALUES, WIDTH,
  error, factorA, factorB, evaluatePair, sumTerms,
} from './cosine-pair';
import { dotRowsExactly, high, low, madd2 } from './float64';
import { multiply, multiplyTransposed } from './gemm';
import { H, ROW, addScaledRow, clearRow, madd, ptr, sumLanes, word } from './simd';

// Offsets of the values of a block: ‖x̂‖² in float64, A, B.
const SQUARES: usize = 0, FACTORS_A: usize = 8 * BLOCK, FACTORS_B: usize = 12 * BLOCK;
const KNOWN: usize = 16 * BLOCK;

/**
 * Up to BLOCK pairs, one per column: Y = W Mᵀ + b is x̂, then ∂ℓ/∂x̂, which gives dW = Y M and dm = Yᵀ W. If x has no more
 * columns than m, each pair is computed separately in float64, because x̂ may be small by chance.
 */
export function denseBlock(
  args: usize, r: usize, first: usize, count: usize, w: usize, bias: usize, part: usize, scratch: usize,
): void {
  const d = <usize>word(args, D);
  const training = ptr(args, DM) != 0;
  const dm = scratch + ROW;
  const spare = dm + BLOCK * ROW; // x and x̂ of one pair
  const means = ptr(args, MEANS) + first * ROW;
  if (d <= H) {
    for (let i: usize = 0; i < count; i++) densePair(args, r, first + i, w, bias, part, dm + i * ROW, spare);
  } else {
    const known = spare + (d << 3);
    const columns = known + KNOWN; // ‖wⱼ‖²
    const transposed = columns + ROW;
    const y = transposed + H * ROW;
    const bytes = ((count + 7) & ~7) << 2;
    memory.fill(dm, 0, bytes << 6);
    memory.fill(known, 0, KNOWN);
    transpose(means, count, bytes, transposed);
    memory.fill(y, 0, d * ROW);
    multiply(w, ROW, d, H, transposed, y, scratch, bytes);
    const beta = addBias(y, d, bytes, bias, known);
    squareColumns(w, d, columns);
    for (let i: usize = 0; i < count; i++) {
      const terms = sumTerms(means + i * ROW, columns) + beta;
      const square = load<f64>(known + SQUARES + (i << 3));
      // densePair adds the gradient. A and B of the column stay zero, so that the column adds nothing.
      if (!(square > <f64>(CANCELS * terms))) densePair(args, r, first + i, w, bias, part, dm + i * ROW, spare);
      else evaluateColumn(args, r, first + i, y + (i << 2), square, known, i);
    }
    if (training) {
      scaleColumns(args, first, count, y, d, bytes, known, part + d * ROW + SUMS);
      multiply(y, ROW, d, count, means, part, scratch, ROW);
      multiplyTransposed(y, ROW, bytes >> 2, w, d, dm);
    }
  }
  // Last, because dm may overwrite the means.
  if (training) memory.copy(ptr(args, DM) + first * ROW, dm, count * ROW);
}

/** Writes rows as columns of a matrix with rows of ROW bytes, of which `bytes` are set. */
function transpose(rows: usize, count: usize, bytes: usize, out: usize): void {
  for (let j: usize = 0; j < H; j++) {
    memory.fill(out + j * ROW, 0, bytes);
    for (let i: usize = 0; i < count; i++) {
      store<f32>(out + j * ROW + (i << 2), load<f32>(rows + i * ROW + (j << 2)));
    }
  }
}

/** Adds b to every column of Y and computes ‖x̂‖² of the columns. Returns ‖b‖². */
function addBias(y: usize, d: usize, bytes: usize, bias: usize, known: usize): f32 {
  for (let j: usize = 0; j < bytes; j += 16) {
    let s0 = f64x2.splat(0), s1 = f64x2.splat(0);
    for (let i: usize = 0; i < d; i++) {
      const at = y + i * ROW + j;
      const value = f32x4.add(v128.load(at), v128.load32_splat(bias + (i << 2)));
      s0 = madd2(low(value), low(value), s0);
      s1 = madd2(high(value), high(value), s1);
      v128.store(at, value);
    }
    v128.store(known + (j << 1), s0, SQUARES);
    v128.store(known + (j << 1), s1, SQUARES + 16);
  }
  let beta: f32 = 0;
  for (let i: usize = 0; i < d; i++) beta += load<f32>(bias + (i << 2)) * load<f32>(bias + (i << 2));
  return beta;
}

/** ‖wⱼ‖² of each column of W. */
function squareColumns(w: usize, d: usize, out: usize): void {
  clearRow(out);
  for (let i: usize = 0; i < d; i++) {
    for (let j: usize = 0; j < ROW; j += 16) {
      const value = v128.load(w + i * ROW + j);
      v128.store(out + j, madd(value, value, v128.load(out + j)));
    }
  }
}

/** ℓ of pair k, which is pair i of its block, from its column x̂. */
function evaluateColumn(args: usize, r: usize, k: usize, column: usize, square: f64, known: usize, i: usize): void {
  const v = <usize>load<u32>(ptr(args, NODES) + (k << 2));
  const width = <usize>word(args, WIDTH);
  let inner: f64 = 0;
  for (let e = <usize>load<u32>(ptr(args, OFFSETS) + (v << 2)); e < <usize>load<u32>(ptr(args, OFFSETS) + (v << 2), 4); e++) {
    const index = <usize>load<u32>(ptr(args, INDICES) + (e << 2));
    inner += <f64>load<f32>(column + index * ROW) * <f64>load<f32>(ptr(args, VALUES) + (e << 2));
  }
  for (let e: usize = 0; e < width; e++) {
    const index = <usize>load<u32>(ptr(args, COLUMNS) + (e << 2));
    inner += <f64>load<f32>(column + index * ROW) * <f64>load<f32>(ptr(args, DENSE) + ((v * width + e) << 2));
  }
  const weight: f32 = 1 / <f32>load<u32>(ptr(args, COUNTS) + (r << 2));
  evaluatePair(<f32>inner, <f32>square, load<f32>(ptr(args, NORMS) + (v << 2)), word(args, EXPONENT), weight);
  store<f32>(ptr(args, ERRORS) + (k << 2), error);
  store<f32>(known + FACTORS_A + (i << 2), factorA);
  store<f32>(known + FACTORS_B + (i << 2), factorB);
}

/** Replaces x̂ by A x + B x̂ in each column, and adds the sums of rows to db. */
function scaleColumns(
  args: usize, first: usize, count: usize, y: usize, d: usize, bytes: usize, known: usize, db: usize,
): void {
  const width = <usize>word(args, WIDTH);
  for (let i: usize = 0; i < d; i++) {
    for (let j: usize = 0; j < bytes; j += 16) {
      const at = y + i * ROW + j;
      v128.store(at, f32x4.mul(v128.load(at), v128.load(known + j, FACTORS_B)));
    }
  }
  for (let i: usize = 0; i < count; i++) {
    const a = load<f32>(known + FACTORS_A + (i << 2));
    const v = <usize>load<u32>(ptr(args, NODES) + ((first + i) << 2));
    const column = y + (i << 2);
    for (let e = <usize>load<u32>(ptr(args, OFFSETS) + (v << 2)); e < <usize>load<u32>(ptr(args, OFFSETS) + (v << 2), 4); e++) {
      addAt(column + <usize>load<u32>(ptr(args, INDICES) + (e << 2)) * ROW, a * load<f32>(ptr(args, VALUES) + (e << 2)));
    }
    for (let e: usize = 0; e < width; e++) {
      const x = load<f32>(ptr(args, DENSE) + ((v * width + e) << 2));
      addAt(column + <usize>load<u32>(ptr(args, COLUMNS) + (e << 2)) * ROW, a * x);
    }
  }
  for (let i: usize = 0; i < d; i++) {
    let sum = f32x4.splat(0);
    for (let j: usize = 0; j < bytes; j += 16) sum = f32x4.add(sum, v128.load(y + i * ROW + j));
    addAt(db + (i << 2), sumLanes(sum));
  }
}

// @ts-ignore: decorator
@inline function addAt(address: usize, value: f32): void {
  store<f32>(address, load<f32>(address) + value);
}

/** One pair with x̂ written out. Sums are in float64, because x̂ may be a small difference of large terms. `out` receives dm. */
export function densePair(
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
  evaluatePair(<f32>inner, <f32>square, load<f32>(ptr(args, NORMS) + (v << 2)), word(args, EXPONENT), weight);
  store<f32>(ptr(args, ERRORS) + (k << 2), error);
  if (ptr(args, DM) == 0) return;
  const db = part + d * ROW + SUMS;
  clearRow(out);
  for (let i: usize = 0; i < d; i++) {
    const dx: f32 = factorA * load<f32>(x + (i << 2)) + factorB * load<f32>(xHat + (i << 2));
    addScaledRow(part + i * ROW, m, f32x4.splat(dx));
    addScaledRow(out, w + i * ROW, f32x4.splat(dx));
    store<f32>(db + (i << 2), load<f32>(db + (i << 2)) + dx);
  }
}
