import type { Device, Floats } from '../../../compute/device.js';
import { openDevice } from '../../../compute/open-device.js';
import { PlainProducts, type ProductSize, type Products, type Reals } from './products.js';

/** The width of the device's kernels. Wider matrices are cut into panels of so many columns. */
const H = 64;
/** Rows on the device at a time, so that its memory does not grow with the graph. */
const MOST_ROWS = 32_768;
/** Smaller products are faster in plain loops, without copying. */
const SMALL = 200_000;

/**
 * Products by the SIMD kernels of the device (src/compute), in float32. The kernels multiply by square matrices of one
 * width, so that every matrix is cut into panels and padded with zeros.
 */
export class DeviceProducts implements Products {
  readonly Reals = Float32Array;
  readonly #device: Device;
  readonly #plain = new PlainProducts();
  readonly #buffers: Readonly<Record<'x' | 'y' | 'out', Floats>>;
  readonly #square: Floats;
  readonly #panel = new Float32Array(MOST_ROWS * H);
  readonly #weights = new Float32Array(H * H);

  private constructor(device: Device) {
    this.#device = device;
    const tall = () => device.floats(MOST_ROWS * H);
    this.#buffers = { x: tall(), y: tall(), out: tall() };
    this.#square = device.floats(H * H);
  }

  /** Portable kernels give the same bytes on every machine. */
  static async open(): Promise<DeviceProducts> {
    return new DeviceProducts(await openDevice({ threads: 1, portable: true }));
  }

  async close(): Promise<void> {
    await this.#device.close();
  }

  multiply(size: ProductSize, x: Reals, w: Reals, out: Reals): void {
    if (isSmall(size)) {
      this.#plain.multiply(size, x, w, out);
      return;
    }
    const { rows, inner, columns } = size;
    const device = this.#device;
    for (let first = 0; first < rows; first += MOST_ROWS) {
      const count = Math.min(MOST_ROWS, rows - first);
      for (let j = 0; j < columns; j += H) {
        for (let k = 0; k < inner; k += H) {
          this.#load(this.#buffers.x, x, { first, count, width: inner, from: k });
          this.#loadWeights(w, size, k, j);
          device.enqueue('linear', {
            hidden: H,
            rows: count,
            x: this.#buffers.x,
            index: null,
            w: this.#square,
            bias: null,
            out: this.#buffers.out,
            add: k > 0,
          });
          device.run();
        }
        this.#addTo(out, { first, count, width: columns, from: j });
      }
    }
  }

  weightGradient(size: ProductSize, x: Reals, dOut: Reals, dw: Reals): void {
    if (isSmall(size)) {
      this.#plain.weightGradient(size, x, dOut, dw);
      return;
    }
    const { rows, inner, columns } = size;
    for (let first = 0; first < rows; first += MOST_ROWS) {
      const count = Math.min(MOST_ROWS, rows - first);
      for (let k = 0; k < inner; k += H) {
        this.#load(this.#buffers.x, x, { first, count, width: inner, from: k });
        for (let j = 0; j < columns; j += H) {
          this.#load(this.#buffers.y, dOut, { first, count, width: columns, from: j });
          this.#device.enqueue('linearGradWeights', {
            hidden: H,
            rows: count,
            x: this.#buffers.x,
            index: null,
            dOut: this.#buffers.y,
            dw: this.#square,
            dBias: null,
            add: false,
          });
          this.#addWeights(dw, size, k, j);
        }
      }
    }
  }

  inputGradient(size: ProductSize, dOut: Reals, w: Reals, dx: Reals): void {
    if (isSmall(size)) {
      this.#plain.inputGradient(size, dOut, w, dx);
      return;
    }
    const { rows, inner, columns } = size;
    for (let first = 0; first < rows; first += MOST_ROWS) {
      const count = Math.min(MOST_ROWS, rows - first);
      for (let k = 0; k < inner; k += H) {
        for (let j = 0; j < columns; j += H) {
          this.#load(this.#buffers.y, dOut, { first, count, width: columns, from: j });
          this.#loadWeights(w, size, k, j);
          this.#device.enqueue('linearGradInput', {
            hidden: H,
            rows: count,
            dOut: this.#buffers.y,
            w: this.#square,
            second: null,
            dx: this.#buffers.out,
            add: j > 0,
          });
          this.#device.run();
        }
        this.#addTo(dx, { first, count, width: inner, from: k });
      }
    }
  }

  /** Copies a panel of a matrix to the device. */
  #load(buffer: Floats, matrix: Reals, { first, count, width, from }: Panel): void {
    const panel = this.#panel;
    const used = Math.min(H, width - from);
    if (used < H) panel.fill(0, 0, count * H);
    for (let row = 0; row < count; row++) {
      const at = (first + row) * width + from;
      for (let j = 0; j < used; j++) panel[row * H + j] = matrix[at + j];
    }
    this.#device.write(this.#device.view(buffer, 0, count * H), panel.subarray(0, count * H));
  }

  /** Adds the result on the device to a panel of a matrix. */
  #addTo(matrix: Reals, { first, count, width, from }: Panel): void {
    const found = this.#device.read(this.#device.view(this.#buffers.out, 0, count * H));
    const used = Math.min(H, width - from);
    for (let row = 0; row < count; row++) {
      const at = (first + row) * width + from;
      for (let j = 0; j < used; j++) matrix[at + j] += found[row * H + j];
    }
  }

  #loadWeights(w: Reals, { inner, columns }: ProductSize, fromRow: number, fromColumn: number): void {
    const weights = this.#weights.fill(0);
    const used = Math.min(H, columns - fromColumn);
    for (let k = 0; k < Math.min(H, inner - fromRow); k++) {
      const at = (fromRow + k) * columns + fromColumn;
      for (let j = 0; j < used; j++) weights[k * H + j] = w[at + j];
    }
    this.#device.write(this.#square, weights);
  }

  #addWeights(dw: Reals, { inner, columns }: ProductSize, fromRow: number, fromColumn: number): void {
    const found = this.#device.read(this.#square);
    const used = Math.min(H, columns - fromColumn);
    for (let k = 0; k < Math.min(H, inner - fromRow); k++) {
      const at = (fromRow + k) * columns + fromColumn;
      for (let j = 0; j < used; j++) dw[at + j] += found[k * H + j];
    }
  }
}

interface Panel {
  readonly first: number;
  readonly count: number;
  /** Columns of the whole matrix. */
  readonly width: number;
  /** The first column of the panel. */
  readonly from: number;
}

function isSmall({ rows, inner, columns }: ProductSize): boolean {
  return rows * inner * columns < SMALL || inner < 16 || columns < 16;
}
