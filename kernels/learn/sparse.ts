// The first layer. Rows of x are sparse; columns that most rows fill form a separate dense matrix. All masked rows are x_[M],
// so their product is computed once and copied.

import { BLOCK, multiplyTransposed, rows4, sumColumns } from './gemm';
import { H, ROW, addScaledRow, addTo, clearRow, copy, copyRow, dotRows, flush, madd, ptr, word } from './simd';

/** Arguments 2 to 7 of these kernels describe x: dense values, dense columns padded to a multiple of four, sparse rows. */
const DENSE = 2;
const WIDTH = 3;
const COLUMNS = 4;
const OFFSETS = 5;
const INDICES = 6;
const VALUES = 7;

/** panel = the rows of w for the dense columns. */
export function packPanel(panel: usize, w: usize, columns: usize, width: usize): void {
  for (let k: usize = 0; k < width; k++) {
    copyRow(panel + k * ROW, w + <usize>load<u32>(columns + (k << 2)) * ROW);
  }
}

/** out += Σ values[i] · w[indices[i]], over H floats. */
export function gatherRows(indices: usize, values: usize, count: usize, w: usize, out: usize): void {
  for (let j: usize = 0; j < ROW; j += 128) {
    let s0 = v128.load(out + j), s1 = v128.load(out + j, 16), s2 = v128.load(out + j, 32), s3 = v128.load(out + j, 48);
    let s4 = v128.load(out + j, 64), s5 = v128.load(out + j, 80), s6 = v128.load(out + j, 96), s7 = v128.load(out + j, 112);
    for (let i: usize = 0; i < count; i++) {
      const row = w + <usize>load<u32>(indices + (i << 2)) * ROW + j;
      const x = v128.load32_splat(values + (i << 2));
      s0 = madd(x, v128.load(row), s0);
      s1 = madd(x, v128.load(row, 16), s1);
      s2 = madd(x, v128.load(row, 32), s2);
      s3 = madd(x, v128.load(row, 48), s3);
      s4 = madd(x, v128.load(row, 64), s4);
      s5 = madd(x, v128.load(row, 80), s5);
      s6 = madd(x, v128.load(row, 96), s6);
      s7 = madd(x, v128.load(row, 112), s7);
    }
    v128.store(out + j, s0); v128.store(out + j, s1, 16); v128.store(out + j, s2, 32); v128.store(out + j, s3, 48);
    v128.store(out + j, s4, 64); v128.store(out + j, s5, 80); v128.store(out + j, s6, 96); v128.store(out + j, s7, 112);
  }
}

/** target[indices[i]] += values[i] · factor · row, over H floats. */
export function scatterRow(indices: usize, values: usize, count: usize, factor: f32, row: usize, target: usize): void {
  for (let j: usize = 0; j < ROW; j += 128) {
    const r0 = v128.load(row + j), r1 = v128.load(row + j, 16), r2 = v128.load(row + j, 32), r3 = v128.load(row + j, 48);
    const r4 = v128.load(row + j, 64), r5 = v128.load(row + j, 80), r6 = v128.load(row + j, 96), r7 = v128.load(row + j, 112);
    for (let i: usize = 0; i < count; i++) {
      const at = target + <usize>load<u32>(indices + (i << 2)) * ROW + j;
      const x = f32x4.splat(load<f32>(values + (i << 2)) * factor);
      v128.store(at, madd(x, r0, v128.load(at)));
      v128.store(at, madd(x, r1, v128.load(at, 16)), 16);
      v128.store(at, madd(x, r2, v128.load(at, 32)), 32);
      v128.store(at, madd(x, r3, v128.load(at, 48)), 48);
      v128.store(at, madd(x, r4, v128.load(at, 64)), 64);
      v128.store(at, madd(x, r5, v128.load(at, 80)), 80);
      v128.store(at, madd(x, r6, v128.load(at, 96)), 96);
      v128.store(at, madd(x, r7, v128.load(at, 112)), 112);
    }
  }
}

/** The product of x_[M]. Arguments: D, token, w, bias or 0, out. */
export function tokenLinear(args: usize): void {
  const out = ptr(args, 4);
  if (ptr(args, 3) == 0) clearRow(out);
  else copyRow(out, ptr(args, 3));
  for (let d: usize = 0; d < <usize>word(args, 0); d++) {
    addScaledRow(out, ptr(args, 2) + d * ROW, v128.load32_splat(ptr(args, 1) + (d << 2)));
  }
}

/** out = x·w + bias. Arguments: rows, rows per chunk, x (6), masked or 0, token's product, w, bias or 0, out, index or 0. */
export function sparseLinear(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 1);
  const start = chunk * size;
  const end = min<usize>(start + size, <usize>word(args, 0));
  const width = <usize>word(args, WIDTH);
  const masked = ptr(args, 8);
  const token = ptr(args, 9);
  const w = ptr(args, 10);
  const bias = ptr(args, 11);
  const out = ptr(args, 12);
  const index = ptr(args, 13);
  const dense = ptr(args, DENSE);
  const stride = width << 2;
  const panel = scratch + ROW;
  packPanel(panel, w, ptr(args, COLUMNS), width);

  let v = start;
  while (v < end) {
    // The next four unmasked rows. If fewer are left, the first row is repeated in spare memory.
    let n = 0;
    let a0: usize = 0, a1: usize = 0, a2: usize = 0, a3: usize = 0, c0: usize = 0;
    let c1 = scratch, c2 = scratch, c3 = scratch;
    for (; v < end && n < 4; v++) {
      const row = out + v * ROW;
      const node = index == 0 ? v : <usize>load<u32>(index + (v << 2));
      if (masked != 0 && load<u32>(masked + (node << 2)) != 0) {
        copyRow(row, token);
        continue;
      }
      if (bias == 0) clearRow(row);
      else copyRow(row, bias);
      const from = <usize>load<u32>(ptr(args, OFFSETS) + (node << 2));
      const to = <usize>load<u32>(ptr(args, OFFSETS) + (node << 2), 4);
      gatherRows(ptr(args, INDICES) + (from << 2), ptr(args, VALUES) + (from << 2), to - from, w, row);
      const x = dense + node * stride;
      if (n == 0) { a0 = a1 = a2 = a3 = x; c0 = row; }
      else if (n == 1) { a1 = x; c1 = row; }
      else if (n == 2) { a2 = x; c2 = row; }
      else { a3 = x; c3 = row; }
      n++;
    }
    if (n > 0 && width > 0) rows4(a0, a1, a2, a3, width, panel, c0, c1, c2, c3, ROW);
  }
}

/** The fewest rows per section, whose table is added to the part of the chunk. With many columns, sections are larger. */
const SECTION: usize = 512;

/**
 * The part of a chunk in xᵀ·dOut (D rows), then the sum of dOut over masked rows, then over unmasked rows if requested.
 * Arguments: rows, rows per chunk, x (6), masked or 0, dOut, parts, D, index or 0, whether the last sum is requested.
 */
export function sparseLinearGrad(args: usize, chunk: usize, scratch: usize): void {
  const size = <usize>word(args, 1);
  const start = chunk * size;
  const end = min<usize>(start + size, <usize>word(args, 0));
  const columns = <usize>word(args, 11);
  const bytes = (columns + 2) * ROW;
  const part = ptr(args, 10) + chunk * bytes;
  memory.fill(part, 0, bytes);
  memory.fill(scratch, 0, bytes);
  const width = <usize>word(args, WIDTH);
  const panel = scratch + bytes;
  const section = max<usize>(SECTION, (columns + BLOCK - 1) & ~(BLOCK - 1));
  for (let v = start; v < end; v += section) {
    const stop = min<usize>(v + section, end);
    memory.fill(panel, 0, width * ROW);
    for (let k = v; k < stop; k += BLOCK) gradBlock(args, k, min<usize>(k + BLOCK, stop), scratch, panel);
    addPanel(panel, scratch, ptr(args, COLUMNS), width);
    flush(scratch, bytes, part);
  }
}

/** Up to BLOCK rows. Adds dense columns to the panel and everything else to the table. The panel is followed by scratch memory. */
function gradBlock(args: usize, start: usize, end: usize, table: usize, panel: usize): void {
  const width = <usize>word(args, WIDTH);
  const stride = width << 2;
  const masked = ptr(args, 8);
  const columns = <usize>word(args, 11);
  const index = ptr(args, 12);
  const rows = panel + width * ROW; // rows of dOut, masked ones from the end; then dense columns of unmasked rows
  const xs = rows + BLOCK * ROW;
  let held: usize = 0;
  let last: usize = BLOCK;
  for (let v = start; v < end; v++) {
    const row = ptr(args, 9) + v * ROW;
    const node = index == 0 ? v : <usize>load<u32>(index + (v << 2));
    if (masked != 0 && load<u32>(masked + (node << 2)) != 0) {
      copyRow(rows + --last * ROW, row);
      continue;
    }
    const from = <usize>load<u32>(ptr(args, OFFSETS) + (node << 2));
    const to = <usize>load<u32>(ptr(args, OFFSETS) + (node << 2), 4);
    scatterRow(ptr(args, INDICES) + (from << 2), ptr(args, VALUES) + (from << 2), to - from, 1, row, table);
    copyRow(rows + held * ROW, row);
    copy(xs + held * stride, ptr(args, DENSE) + node * stride, stride);
    held++;
  }
  multiplyTransposed(xs, stride, width, rows, held, panel);
  sumColumns(rows + last * ROW, BLOCK - last, table + columns * ROW);
  if (word(args, 13) != 0) sumColumns(rows, held, table + (columns + 1) * ROW);
}

/** Adds the rows of a panel to the rows of their columns. */
export function addPanel(panel: usize, target: usize, columns: usize, width: usize): void {
  for (let k: usize = 0; k < width; k++) {
    const at = target + <usize>load<u32>(columns + (k << 2)) * ROW;
    for (let j: usize = 0; j < ROW; j += 16) addTo(at + j, v128.load(panel + k * ROW + j));
  }
}

/** The share of masked rows: dw += token ⊗ total, dToken += w·total. Arguments: D, token, w, total, dw, dToken. */
export function tokenGrad(args: usize): void {
  const total = ptr(args, 3);
  for (let d: usize = 0; d < <usize>word(args, 0); d++) {
    addScaledRow(ptr(args, 4) + d * ROW, total, v128.load32_splat(ptr(args, 1) + (d << 2)));
    const at = ptr(args, 5) + (d << 2);
    store<f32>(at, load<f32>(at) + dotRows(ptr(args, 2) + d * ROW, total));
  }
}
