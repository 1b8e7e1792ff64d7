import { RecalError } from '../../base/errors.js';

/** Distinct nodes that a pair of slots needs for a covariance of its own (method §8). */
const MIN_NODES = 100;
/** The variance of −2 ln p for a uniform p, which bounds the covariance of two. */
const FULL = 4;

// Sums are integers below 2^53, so that they are exact in any order: −2 ln p in steps of 2^-16 up to 1024, products in two
// halves.
const STEP = 2 ** 16;
const LARGEST = 2 ** 26 - 1;
const HALF = 2 ** 26;
const MAX_ROWS = 2 ** 27;

/** Evidence rows, as in fusion. */
export interface CovarianceRows {
  readonly logP: ArrayLike<number>;
  readonly slots: ArrayLike<number>;
  /** The kind of each row, if several kinds have their own slots. */
  readonly kinds?: ArrayLike<number>;
}

/** Numbers the slots of several kinds of evidence consecutively. */
class SlotNumbers {
  readonly slotCounts: readonly number[];
  readonly bases: Uint32Array;
  readonly total: number;

  constructor(slotCounts: readonly number[]) {
    this.slotCounts = slotCounts;
    this.bases = new Uint32Array(slotCounts.length);
    let total = 0;
    slotCounts.forEach((slots, kind) => {
      this.bases[kind] = total;
      total += slots;
    });
    this.total = total;
  }

  of(rows: CovarianceRows, row: number): number {
    const kind = rows.kinds === undefined ? 0 : rows.kinds[row];
    const slot = rows.slots[row];
    if (!(slot < this.slotCounts[kind])) throw new RangeError(`kind ${kind} has no slot ${slot}`);
    return this.bases[kind] + slot;
  }
}

/** The index of a pair of different slots: below the diagonal, row by row. */
function pairPlace(a: number, b: number): number {
  return a > b ? (a * (a - 1)) / 2 + b : (b * (b - 1)) / 2 + a;
}

interface PairSums {
  rows: number;
  x: number;
  y: number;
  high: number;
  low: number;
  /** Distinct nodes, at most MIN_NODES of them. */
  nodes: Set<number>;
}

/** Estimates how −2 ln p of two slots vary together over benign nodes, for Brown's method (method §8). */
export class CovarianceBuilder {
  readonly #numbers: SlotNumbers;
  readonly #pairs = new Map<number, PairSums>();

  /** The number of slots of each kind of evidence. */
  constructor(slotCounts: readonly number[]) {
    this.#numbers = new SlotNumbers(slotCounts);
  }

  /** Adds all evidence about one benign node in one graph, with each slot at most once. */
  add(node: number, rows: CovarianceRows, from: number, to: number): void {
    for (let i = from + 1; i < to; i++) {
      for (let j = from; j < i; j++) {
        const a = this.#numbers.of(rows, i);
        const b = this.#numbers.of(rows, j);
        if (a === b) throw new RangeError(`node ${node} has two rows for slot ${rows.slots[i]}`);
        // x is the value of the higher slot, whatever the order of the rows.
        const x = quantise(rows.logP[a > b ? i : j]);
        const y = quantise(rows.logP[a > b ? j : i]);
        this.#addPair(pairPlace(a, b), node, x, y);
      }
    }
  }

  build(): PairCovariance {
    const { slotCounts, total } = this.#numbers;
    const values = new Float32Array((total * (total - 1)) / 2);
    const known = new Uint8Array(values.length);
    let [weight, weighted] = [0, 0];
    for (let place = 0; place < values.length; place++) {
      const sums = this.#pairs.get(place);
      if (sums === undefined || sums.nodes.size < MIN_NODES) continue;
      const { rows, x, y, high, low } = sums;
      const product = ((high / STEP) * HALF) / STEP + low / STEP / STEP;
      const covariance = (product - ((x / STEP) * (y / STEP)) / rows) / (rows - 1);
      known[place] = 1;
      // A negative covariance would count evidence for more than independent evidence.
      values[place] = Math.min(FULL, Math.max(0, covariance));
      weight += rows;
      weighted += rows * values[place];
    }
    // Rare pairs take the mean covariance, because assuming independence would raise scores.
    const rest = weight === 0 ? 0 : weighted / weight;
    for (let place = 0; place < values.length; place++) if (known[place] === 0) values[place] = rest;
    return PairCovariance.fromArrays({ slotCounts, values, known });
  }

  #addPair(place: number, node: number, x: number, y: number): void {
    let sums = this.#pairs.get(place);
    if (sums === undefined) {
      sums = { rows: 0, x: 0, y: 0, high: 0, low: 0, nodes: new Set() };
      this.#pairs.set(place, sums);
    }
    if (sums.rows >= MAX_ROWS) throw new RangeError(`a pair of slots has more than ${MAX_ROWS} rows`);
    const product = x * y;
    const high = Math.floor(product / HALF);
    sums.rows++;
    sums.x += x;
    sums.y += y;
    sums.high += high;
    sums.low += product - high * HALF;
    if (sums.nodes.size < MIN_NODES) sums.nodes.add(node);
  }
}

function quantise(logP: number): number {
  if (Number.isNaN(logP)) throw new RangeError('ln p is NaN');
  return Math.min(LARGEST, Math.max(0, Math.round(-2 * logP * STEP)));
}

/** Covariances as plain arrays, for a model file. */
export interface CovarianceArrays {
  readonly slotCounts: readonly number[];
  /** One value per pair of different slots, below the diagonal row by row. */
  readonly values: Float32Array;
  /** 1 for a pair with enough nodes for its own covariance. */
  readonly known: Uint8Array;
}

/** The covariances that calibration estimated. */
export class PairCovariance {
  readonly #numbers: SlotNumbers;
  readonly #arrays: CovarianceArrays;

  private constructor(arrays: CovarianceArrays) {
    this.#numbers = new SlotNumbers(arrays.slotCounts);
    this.#arrays = arrays;
  }

  /** The number of pairs with their own covariance, and of all pairs. With none, Brown's method equals Fisher's. */
  get pairs(): { known: number; total: number } {
    const { known } = this.#arrays;
    return { known: known.reduce((sum, one) => sum + one, 0), total: known.length };
  }

  /** The covariance of −2 ln p of two rows of evidence, in [0, 4]. */
  between(rows: CovarianceRows, i: number, j: number): number {
    const a = this.#numbers.of(rows, i);
    const b = this.#numbers.of(rows, j);
    return a === b ? FULL : this.#arrays.values[pairPlace(a, b)];
  }

  toArrays(): CovarianceArrays {
    return this.#arrays;
  }

  /** Throws if the arrays are damaged, because they may come from any file. */
  static fromArrays(arrays: CovarianceArrays): PairCovariance {
    const { slotCounts, values, known } = arrays;
    if (!slotCounts.every((slots) => Number.isInteger(slots) && slots >= 0 && slots < 65_536)) {
      throw damaged('a number of slots is out of range');
    }
    const total = slotCounts.reduce((sum, slots) => sum + slots, 0);
    const pairs = (total * (total - 1)) / 2;
    if (values.length !== pairs || known.length !== pairs) {
      throw damaged(`${values.length} covariances for ${pairs} pairs of slots`);
    }
    if (!values.every((value) => value >= 0 && value <= FULL))
      throw damaged('a covariance is not between 0 and 4');
    if (!known.every((one) => one <= 1)) throw damaged('a flag is neither 0 nor 1');
    return new PairCovariance(arrays);
  }
}

function damaged(why: string): RecalError {
  return new RecalError('model-damaged', `the covariances of the model are damaged: ${why}`, {
    hint: 'run recal calibrate again, or restore the model file from a backup',
  });
}
