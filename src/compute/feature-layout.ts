import type { SparseMatrix } from '../features/sparse.js';
import type { Device, FeatureBuffers } from './device.js';

/** Columns that at least this share of the rows fills are stored dense, because dense products are faster. */
const DENSE_SHARE = 0.5;

/** A sparse matrix whose well-filled columns (the text vectors, method §2) form a separate dense matrix. */
export interface FeatureLayout {
  readonly rows: number;
  readonly cols: number;
  readonly width: number;
  readonly dense: Float32Array;
  readonly columns: Uint32Array;
  readonly offsets: Uint32Array;
  readonly indices: Uint32Array;
  readonly values: Float32Array;
}

/** Row i of the result is row `order[i]` of x. */
export function layOutFeatures(x: SparseMatrix, order: ArrayLike<number>): FeatureLayout {
  const filled = new Uint32Array(x.cols);
  for (const column of x.indices.subarray(0, x.offsets[x.rows])) filled[column]++;
  const chosen: number[] = [];
  const place = new Int32Array(x.cols).fill(-1);
  let kept = 0;
  for (let column = 0; column < x.cols; column++) {
    if (filled[column] >= DENSE_SHARE * x.rows && filled[column] > 0) place[column] = chosen.push(column) - 1;
    else kept += filled[column];
  }
  const width = Math.ceil(chosen.length / 4) * 4;
  // Padding is column 0 with the value zero, so kernels can treat it like any column.
  const columns = new Uint32Array(width);
  columns.set(chosen);
  const dense = new Float32Array(x.rows * width);
  const offsets = new Uint32Array(x.rows + 1);
  const indices = new Uint32Array(kept);
  const values = new Float32Array(kept);
  let length = 0;
  for (let row = 0; row < x.rows; row++) {
    const from = order[row];
    for (let i = x.offsets[from]; i < x.offsets[from + 1]; i++) {
      const at = place[x.indices[i]];
      if (at >= 0) dense[row * width + at] = x.values[i];
      else {
        indices[length] = x.indices[i];
        values[length++] = x.values[i];
      }
    }
    offsets[row + 1] = length;
  }
  return { rows: x.rows, cols: x.cols, width, dense, columns, offsets, indices, values };
}

/** ‖x‖ of each row. Entry i of the result is for row `order[i]` of x. */
export function rowNorms(x: SparseMatrix, order: ArrayLike<number>): Float64Array {
  // Read the rows in memory order first: it is faster.
  const byRow = new Float64Array(x.rows);
  for (let row = 0; row < x.rows; row++) {
    let square = 0;
    for (let i = x.offsets[row]; i < x.offsets[row + 1]; i++) square += x.values[i] * x.values[i];
    byRow[row] = Math.sqrt(square);
  }
  const norms = new Float64Array(x.rows);
  for (let place = 0; place < x.rows; place++) norms[place] = byRow[order[place]];
  return norms;
}

export function placeFeatures(device: Device, layout: FeatureLayout): FeatureBuffers {
  const { rows, cols, width } = layout;
  const integers = (data: Uint32Array) => {
    const buffer = device.integers(data.length);
    device.writeIntegers(buffer, data);
    return buffer;
  };
  const floats = (data: Float32Array) => {
    const buffer = device.floats(data.length);
    device.write(buffer, data);
    return buffer;
  };
  return {
    rows,
    cols,
    width,
    dense: floats(layout.dense),
    columns: integers(layout.columns),
    offsets: integers(layout.offsets),
    indices: integers(layout.indices),
    values: floats(layout.values),
  };
}
