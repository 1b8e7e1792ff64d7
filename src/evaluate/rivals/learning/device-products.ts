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
 * width, so that every matrix is cut into panels and padded with zeros. Each panel is copied once per product.
 */
export class DeviceProducts implements Products {
  readonly Reals = Float32Array;
  readonly #device: Device;
  readonly #plain = new PlainProducts();
  /** The panels of one matrix, and one panel of another. */
  #held: Floats;
  readonly #streamed: Floats;
  /** Square matrices. */
  #squares: Floats;
  readonly #panel = new Float32Array(MOST_ROWS * H);
  readonly #square = new Float32Array(H * H);

  private constructor(device: Device) {
    this.#device = device;
    this.#held = device.floats(MOST_ROWS * H);
    this.#streamed = device.floats(MOST_ROWS * H);
    this.#squares = device.floats(H * H);
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
    const weights = this.#loadWeights(w, size);
    for (const { first, count } of chunks(rows, inner)) {
      const panels = this.#loadAll(x, { first, count, width: inner });
      const result = this.#device.view(this.#streamed, 0, count * H);
      for (let j = 0; j < columns; j += H) {
        for (let k = 0; k < inner; k += H) {
          this.#device.enqueue('linear', {
            hidden: H,
            rows: count,
            x: panels(k),
            index: null,
            w: weights(k, j),
            bias: null,
            out: result,
            add: k > 0,
          });
        }
        this.#addTo(out, result, { first, count, width: columns, from: j });
      }
    }
  }

  weightGradient(size: ProductSize, x: Reals, dOut: Reals, dw: Reals): void {
    if (isSmall(size)) {
      this.#plain.weightGradient(size, x, dOut, dw);
      return;
    }
    const { rows, inner, columns } = size;
    const squares = this.#squaresOf(size);
    // The narrower matrix stays on the device while the panels of the other pass.
    const holdsX = inner <= columns;
    const [held, streamed] = holdsX ? [x, dOut] : [dOut, x];
    const [heldWidth, streamedWidth] = holdsX ? [inner, columns] : [columns, inner];
    for (let first = 0; first < rows; first += MOST_ROWS) {
      const count = Math.min(MOST_ROWS, rows - first);
      const panels = this.#loadAll(held, { first, count, width: heldWidth });
      const other = this.#device.view(this.#streamed, 0, count * H);
      for (let from = 0; from < streamedWidth; from += H) {
        this.#load(other, streamed, { first, count, width: streamedWidth, from });
        for (let at = 0; at < heldWidth; at += H) {
          this.#device.enqueue('linearGradWeights', {
            hidden: H,
            rows: count,
            x: holdsX ? panels(at) : other,
            index: null,
            dOut: holdsX ? other : panels(at),
            dw: holdsX ? squares(at, from) : squares(from, at),
            dBias: null,
            add: false,
          });
        }
      }
      this.#addWeights(dw, size, squares);
    }
  }

  inputGradient(size: ProductSize, dOut: Reals, w: Reals, dx: Reals): void {
    if (isSmall(size)) {
      this.#plain.inputGradient(size, dOut, w, dx);
      return;
    }
    const { rows, inner, columns } = size;
    const weights = this.#loadWeights(w, size);
    for (const { first, count } of chunks(rows, columns)) {
      const panels = this.#loadAll(dOut, { first, count, width: columns });
      const result = this.#device.view(this.#streamed, 0, count * H);
      for (let k = 0; k < inner; k += H) {
        for (let j = 0; j < columns; j += H) {
          this.#device.enqueue('linearGradInput', {
            hidden: H,
            rows: count,
            dOut: panels(j),
            w: weights(k, j),
            second: null,
            dx: result,
            add: j > 0,
          });
        }
        this.#addTo(dx, result, { first, count, width: inner, from: k });
      }
    }
  }

  /** Copies some rows of a matrix to the device. Returns the panel that begins at a column. */
  #loadAll(matrix: Reals, rows: Rows): (from: number) => Floats {
    const length = rows.count * H;
    const needed = Math.ceil(rows.width / H) * length;
    if (needed > this.#held.length) {
      this.#device.free(this.#held);
      this.#held = this.#device.floats(needed);
    }
    const panel = (from: number) => this.#device.view(this.#held, (from / H) * length, length);
    for (let from = 0; from < rows.width; from += H) this.#load(panel(from), matrix, { ...rows, from });
    return panel;
  }

  /** Copies a panel of a matrix to the device. */
  #load(buffer: Floats, matrix: Reals, { first, count, width, from }: Panel): void {
    if (width === H) {
      this.#device.write(buffer, matrix.subarray(first * H, (first + count) * H));
      return;
    }
    const panel = this.#panel;
    const used = Math.min(H, width - from);
    if (used < H) panel.fill(0, 0, count * H);
    for (let row = 0; row < count; row++) {
      const at = (first + row) * width + from;
      for (let j = 0; j < used; j++) panel[row * H + j] = matrix[at + j];
    }
    this.#device.write(buffer, panel.subarray(0, count * H));
  }

  /** Adds the result on the device to a panel of a matrix. */
  #addTo(matrix: Reals, result: Floats, { first, count, width, from }: Panel): void {
    const found = this.#device.read(result);
    const used = Math.min(H, width - from);
    for (let row = 0; row < count; row++) {
      const at = (first + row) * width + from;
      for (let j = 0; j < used; j++) matrix[at + j] += found[row * H + j];
    }
  }

  /** Room for the squares of a matrix of weights. Returns the square that begins at a row and a column. */
  #squaresOf({ inner, columns }: ProductSize): (row: number, column: number) => Floats {
    const across = Math.ceil(columns / H);
    const needed = Math.ceil(inner / H) * across * H * H;
    if (needed > this.#squares.length) {
      this.#device.free(this.#squares);
      this.#squares = this.#device.floats(needed);
    }
    return (row, column) =>
      this.#device.view(this.#squares, ((row / H) * across + column / H) * H * H, H * H);
  }

  #loadWeights(w: Reals, size: ProductSize): (row: number, column: number) => Floats {
    const { inner, columns } = size;
    const squares = this.#squaresOf(size);
    for (let row = 0; row < inner; row += H) {
      for (let column = 0; column < columns; column += H) {
        const square = this.#square.fill(0);
        const used = Math.min(H, columns - column);
        for (let k = 0; k < Math.min(H, inner - row); k++) {
          const at = (row + k) * columns + column;
          for (let j = 0; j < used; j++) square[k * H + j] = w[at + j];
        }
        this.#device.write(squares(row, column), square);
      }
    }
    return squares;
  }

  #addWeights(
    dw: Reals,
    { inner, columns }: ProductSize,
    squares: (row: number, column: number) => Floats,
  ): void {
    for (let row = 0; row < inner; row += H) {
      for (let column = 0; column < columns; column += H) {
        const found = this.#device.read(squares(row, column));
        const used = Math.min(H, columns - column);
        for (let k = 0; k < Math.min(H, inner - row); k++) {
          const at = (row + k) * columns + column;
          for (let j = 0; j < used; j++) dw[at + j] += found[k * H + j];
        }
      }
    }
  }
}

/** Some rows of a matrix. */
interface Rows {
  readonly first: number;
  readonly count: number;
  /** Columns of the whole matrix. */
  readonly width: number;
}

interface Panel extends Rows {
  /** The first column of the panel. */
  readonly from: number;
}

/** As many rows at a time as fit on the device with all their panels. Each row is computed by itself. */
function* chunks(rows: number, width: number): Generator<{ first: number; count: number }> {
  const most = Math.max(H, Math.floor(MOST_ROWS / Math.ceil(width / H) / H) * H);
  for (let first = 0; first < rows; first += most) yield { first, count: Math.min(most, rows - first) };
}

function isSmall({ rows, inner, columns }: ProductSize): boolean {
  return rows * inner * columns < SMALL || inner < 16 || columns < 16;
}
