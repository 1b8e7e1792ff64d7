import { RecalError } from '../../base/errors.js';
import { FARTHEST, type FoldedPoints, foldPoints, GRID } from './snapped-points.js';

/** A spread below this share of the largest value is float32 rounding. */
const ROUNDING = 2 ** -22;

/** Turns embeddings into z-scores by training's mean and deviation, snapped to the grid (method §7). */
export class Standardisation {
  /** Width of embeddings; points have `kept.length` coordinates. */
  readonly width: number;
  readonly mean: Float32Array;
  /** 0 for a constant dimension, which is dropped. */
  readonly deviation: Float32Array;
  readonly kept: Int32Array;

  constructor(mean: Float32Array, deviation: Float32Array) {
    this.width = mean.length;
    this.mean = mean;
    this.deviation = deviation;
    this.kept = Int32Array.from([...deviation.keys()].filter((j) => deviation[j] > 0));
  }

  /** Turns embeddings (rows × width) into distinct points. */
  snap(embeddings: Float32Array): FoldedPoints {
    const { width, kept } = this;
    if (width === 0 || embeddings.length % width !== 0) {
      throw new RangeError(`Standardisation.snap: ${embeddings.length} values are not rows of ${width}`);
    }
    const [rows, grid] = [embeddings.length / width, GRID];
    const steps = new Int32Array(rows * kept.length);
    const mean = Float64Array.from(kept, (j) => this.mean[j]);
    const deviation = Float64Array.from(kept, (j) => this.deviation[j]);
    for (let row = 0, at = 0; row < rows; row++) {
      for (let j = 0; j < kept.length; j++) {
        const z = (embeddings[row * width + kept[j]] - mean[j]) / deviation[j];
        // Negated, so that NaN takes this branch too.
        steps[at++] = !(Math.abs(z) * grid < FARTHEST) ? clamp(z) : Math.floor(z * grid + 0.5);
      }
    }
    return foldPoints(steps, rows, kept.length);
  }
}

function clamp(z: number): number {
  if (!Number.isNaN(z)) return z > 0 ? FARTHEST : -FARTHEST;
  throw new RecalError('not-a-number', 'the model gave an embedding that is not a number', {
    hint: 'the model is damaged or its training diverged; train again',
  });
}

/** Accumulates the mean and deviation of embeddings. */
export class Moments {
  readonly width: number;
  rows = 0;
  /** The first row. Differences from it keep their digits where the spread is small. */
  #origin: Float64Array | undefined;
  readonly #sum: Float64Array;
  readonly #squares: Float64Array;
  readonly #largest: Float64Array;

  constructor(width: number) {
    this.width = width;
    this.#sum = new Float64Array(width);
    this.#squares = new Float64Array(width);
    this.#largest = new Float64Array(width);
  }

  add(embeddings: Float32Array): void {
    const { width } = this;
    const rows = embeddings.length / width;
    if (rows === 0) return;
    this.#origin ??= Float64Array.from(embeddings.subarray(0, width));
    const [origin, sum, squares, largest] = [this.#origin, this.#sum, this.#squares, this.#largest];
    for (let row = 0, at = 0; row < rows; row++) {
      for (let j = 0; j < width; j++, at++) {
        const difference = embeddings[at] - origin[j];
        sum[j] += difference;
        squares[j] += difference * difference;
        largest[j] = Math.max(largest[j], Math.abs(embeddings[at]));
      }
    }
    this.rows += rows;
  }

  standardisation(): Standardisation {
    const { width, rows } = this;
    const mean = new Float32Array(width);
    const deviation = new Float32Array(width);
    for (let j = 0; j < width && rows > 0; j++) {
      const shift = this.#sum[j] / rows;
      const spread = Math.sqrt(Math.max(0, this.#squares[j] / rows - shift * shift));
      mean[j] = (this.#origin as Float64Array)[j] + shift;
      deviation[j] = spread > this.#largest[j] * ROUNDING ? spread : 0;
    }
    if (!mean.every(Number.isFinite) || !deviation.every(Number.isFinite)) clamp(Number.NaN);
    return new Standardisation(mean, deviation);
  }
}
