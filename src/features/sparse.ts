/** Compressed rows: the non-zeros of row v are `offsets[v]` to `offsets[v + 1]`, columns ascending. */
export interface SparseMatrix {
  rows: number;
  cols: number;
  /** Length rows + 1. */
  offsets: Uint32Array;
  indices: Uint32Array;
  values: Float32Array;
}
