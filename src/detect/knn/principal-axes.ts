import { GRID, type SnappedPoints } from './snapped-points.js';

/** Points that the axes are computed from. The axes change only the work, never an answer. */
const SAMPLE = 20_000;
const SWEEPS = 12;

/**
 * Orthonormal axes, widest spread first: row i, of `stride` columns, holds the share of coordinate i in each axis. Partial
 * sums of squared distances grow fast along these axes, so that a search can stop early.
 */
export function principalAxes({ width, count, steps }: SnappedPoints, stride: number): Float64Array {
  const covariance = covarianceOf({ width, count, steps });
  const vectors = diagonalise(covariance, width);
  const byVariance = Array.from({ length: width }, (_, i) => i).sort(
    (a, b) => covariance[b * width + b] - covariance[a * width + a] || a - b,
  );
  const axes = new Float64Array(width * stride);
  for (let i = 0; i < width; i++) {
    for (let j = 0; j < width; j++) axes[i * stride + j] = vectors[i * width + byVariance[j]];
  }
  return isOrthonormal(axes, width, stride) ? axes : identity(width, stride);
}

function covarianceOf({ width, count, steps }: SnappedPoints): Float64Array {
  const covariance = new Float64Array(width * width);
  const stride = Math.max(1, Math.floor(count / SAMPLE));
  const row = new Float64Array(width);
  const mean = new Float64Array(width);
  let rows = 0;
  for (let point = 0; point < count; point += stride, rows++) {
    for (let i = 0; i < width; i++) row[i] = steps[point * width + i] / GRID;
    for (let i = 0; i < width; i++) {
      mean[i] += row[i];
      for (let j = i; j < width; j++) covariance[i * width + j] += row[i] * row[j];
    }
  }
  for (let i = 0; i < width; i++) {
    for (let j = i; j < width; j++) {
      const value = covariance[i * width + j] / rows - (mean[i] / rows) * (mean[j] / rows);
      covariance[i * width + j] = value;
      covariance[j * width + i] = value;
    }
  }
  return covariance;
}

/** Diagonalises a symmetric matrix in place by Jacobi rotations. Returns the product of the rotations. */
function diagonalise(a: Float64Array, n: number): Float64Array {
  const vectors = identity(n, n);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        const off = a[p * n + q];
        if (Math.abs(off) < 1e-14) continue;
        const theta = (a[q * n + q] - a[p * n + p]) / (2 * off);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        rotate(a, n, p, q, c, t * c);
        for (let i = 0; i < n; i++) {
          const [x, y] = [vectors[i * n + p], vectors[i * n + q]];
          vectors[i * n + p] = c * x - t * c * y;
          vectors[i * n + q] = t * c * x + c * y;
        }
      }
    }
  }
  return vectors;
}

function rotate(a: Float64Array, n: number, p: number, q: number, c: number, s: number): void {
  for (let i = 0; i < n; i++) {
    const x = a[i * n + p];
    const y = a[i * n + q];
    a[i * n + p] = c * x - s * y;
    a[i * n + q] = s * x + c * y;
  }
  for (let i = 0; i < n; i++) {
    const x = a[p * n + i];
    const y = a[q * n + i];
    a[p * n + i] = c * x - s * y;
    a[q * n + i] = s * x + c * y;
  }
}

/** The tolerance is far below the rounding error that the search allows for. */
function isOrthonormal(axes: Float64Array, width: number, stride: number): boolean {
  for (let a = 0; a < width; a++) {
    for (let b = a; b < width; b++) {
      let product = a === b ? -1 : 0;
      for (let i = 0; i < width; i++) product += axes[i * stride + a] * axes[i * stride + b];
      if (!(Math.abs(product) < 1e-12)) return false;
    }
  }
  return true;
}

function identity(width: number, stride: number): Float64Array {
  const matrix = new Float64Array(width * stride);
  for (let i = 0; i < width; i++) matrix[i * stride + i] = 1;
  return matrix;
}
