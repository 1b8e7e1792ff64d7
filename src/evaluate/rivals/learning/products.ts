/** The numbers of a network: float32, or float64 for tests that compare gradients with differences of losses. */
export type Reals = Float32Array | Float64Array;
export type RealsType = Float32ArrayConstructor | Float64ArrayConstructor;

/** The size of a product: x is rows × inner, w is inner × columns. */
export interface ProductSize {
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
}

/** Products of dense matrices, stored row by row. All results are added to the last argument. */
export interface Products {
  readonly Reals: RealsType;
  /** out += x·w */
  multiply(size: ProductSize, x: Reals, w: Reals, out: Reals): void;
  /** dw += xᵀ·dOut */
  weightGradient(size: ProductSize, x: Reals, dOut: Reals, dw: Reals): void;
  /** dx += dOut·wᵀ */
  inputGradient(size: ProductSize, dOut: Reals, w: Reals, dx: Reals): void;
}

/** Plain loops. Slow, but exact enough for gradient checks in float64. */
export class PlainProducts implements Products {
  readonly Reals: RealsType;

  constructor(type: RealsType = Float32Array) {
    this.Reals = type;
  }

  multiply({ rows, inner, columns }: ProductSize, x: Reals, w: Reals, out: Reals): void {
    for (let row = 0; row < rows; row++) {
      const to = row * columns;
      for (let k = 0; k < inner; k++) {
        const value = x[row * inner + k];
        if (value === 0) continue;
        const from = k * columns;
        for (let j = 0; j < columns; j++) out[to + j] += value * w[from + j];
      }
    }
  }

  weightGradient({ rows, inner, columns }: ProductSize, x: Reals, dOut: Reals, dw: Reals): void {
    for (let row = 0; row < rows; row++) {
      const from = row * columns;
      for (let k = 0; k < inner; k++) {
        const value = x[row * inner + k];
        if (value === 0) continue;
        const to = k * columns;
        for (let j = 0; j < columns; j++) dw[to + j] += value * dOut[from + j];
      }
    }
  }

  inputGradient({ rows, inner, columns }: ProductSize, dOut: Reals, w: Reals, dx: Reals): void {
    for (let row = 0; row < rows; row++) {
      const from = row * columns;
      for (let k = 0; k < inner; k++) {
        const weights = k * columns;
        let sum = 0;
        for (let j = 0; j < columns; j++) sum += dOut[from + j] * w[weights + j];
        dx[row * inner + k] += sum;
      }
    }
  }
}
