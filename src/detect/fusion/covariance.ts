import { RecalError } from '../../base/errors.js';

/** A pair of slots met on fewer nodes does not show its covariance (method §8). */
const MIN_NODES = 100;
/** The variance of −2 ln p for a uniform p, and so the most that two of them can share. */
const FULL = 4;

// Sums are whole numbers below 2^53, so that they are exact and no order of adding changes a bit of them: −2 ln p in
// steps of 2^-16 and at most 1024, products in two halves.
const STEP = 2 ** 16;
const LARGEST = 2 ** 26 - 1;
const HALF = 2 ** 26;
const MAX_ROWS = 2 ** 27;

/** Evidence rows from `from` up to `to`, as fusion takes them. */
export interface CovarianceRows {
  readonly logP: ArrayLike<number>;
  readonly slots: ArrayLike<number>;
  /** The kind of each row where several kinds have slots of their own. */
  readonly kinds?: ArrayLike<number>;
}

/** Numbers the slots of several kinds of evidence one after the other. */
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

/** Where the pair (a, b) of two different slots has its place: below the diagonal, row by row. */
function pairPlace(a: number, b: number): number {
  return a > b ? (a * (a - 1)) / 2 + b : (b * (b - 1)) / 2 + a;
}

interface PairSums {
  rows: number;
  x: number;
  y: number;
  high: number;
  low: number;
  /** The nodes met, until there are enough. */
  nodes: Set<number>;
}

/** How −2 ln p of two slots vary together over benign nodes: what Brown's method corrects for (method §8). */
export class CovarianceBuilder {
  readonly #numbers: SlotNumbers;
  readonly #pairs = new Map<number, PairSums>();

  /** One count of slots a kind of evidence. */
  constructor(slotCounts: readonly number[]) {
    this.#numbers = new SlotNumbers(slotCounts);
  }

  /** All evidence about one benign node in one graph; each slot at most once. */
  add(node: number, rows: CovarianceRows, from: number, to: number): void {
    for (let i = from + 1; i < to; i++) {
      for (let j = from; j < i; j++) {
        const a = this.#numbers.of(rows, i);
        const b = this.#numbers.of(rows, j);
        if (a === b) throw new RangeError(`node ${node} has two rows for slot ${rows.slots[i]}`);
        // x is the value of the higher slot, in whatever order the rows come.
        const x = quantise(rows.logP[a > b ? i : j]);
        const y = quantise(rows.logP[a > b ? j : i]);
        this.#addPair(pairPlace(a, b), node, x, y);
      }
    }
  }

  /** Takes over what another builder, for the same slots, has gathered. */
  merge(other: CovarianceBuilder): void {
    for (const [place, from] of other.#pairs) {
      const sums = this.#sumsOf(place);
      for (const key of ['rows', 'x', 'y', 'high', 'low'] as const) sums[key] += from[key];
      for (const node of from.nodes) if (sums.nodes.size < MIN_NODES) sums.nodes.add(node);
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
      // Evidence that seems to exclude other evidence must not count for more than independent evidence does.
      values[place] = Math.min(FULL, Math.max(0, covariance));
      weight += rows;
      weighted += rows * values[place];
    }
    // Rare pairs back off to what pairs share on the whole, as rare tables do: independence would flatter them.
    const rest = weight === 0 ? 0 : weighted / weight;
    for (let place = 0; place < values.length; place++) if (known[place] === 0) values[place] = rest;
    return PairCovariance.fromArrays({ slotCounts, values, known });
  }

  #addPair(place: number, node: number, x: number, y: number): void {
    const sums = this.#sumsOf(place);
    if (sums.rows >= MAX_ROWS) throw new RangeError(`more than ${MAX_ROWS} rows of one pair`);
    const product = x * y;
    const high = Math.floor(product / HALF);
    sums.rows++;
    sums.x += x;
    sums.y += y;
    sums.high += high;
    sums.low += product - high * HALF;
    if (sums.nodes.size < MIN_NODES) sums.nodes.add(node);
  }

  #sumsOf(place: number): PairSums {
    let sums = this.#pairs.get(place);
    if (sums === undefined) {
      sums = { rows: 0, x: 0, y: 0, high: 0, low: 0, nodes: new Set() };
      this.#pairs.set(place, sums);
    }
    return sums;
  }
}

function quantise(logP: number): number {
  if (Number.isNaN(logP)) throw new RangeError('NaN has no covariance');
  return Math.min(LARGEST, Math.max(0, Math.round(-2 * logP * STEP)));
}

/** Covariances as plain arrays, for a model file. */
export interface CovarianceArrays {
  readonly slotCounts: readonly number[];
  /** One for each pair of different slots, below the diagonal row by row. */
  readonly values: Float32Array;
  /** 1 where the pair had nodes enough of its own. */
  readonly known: Uint8Array;
}

export class PairCovariance {
  readonly #numbers: SlotNumbers;
  readonly #arrays: CovarianceArrays;

  private constructor(arrays: CovarianceArrays) {
    this.#numbers = new SlotNumbers(arrays.slotCounts);
    this.#arrays = arrays;
  }

  /** Pairs with enough nodes of their own, and all pairs. */
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

  /** Checks everything: the arrays may come from a file that anyone has written. */
  static fromArrays(arrays: CovarianceArrays): PairCovariance {
    const { slotCounts, values, known } = arrays;
    if (!slotCounts.every((slots) => Number.isInteger(slots) && slots >= 0 && slots < 65_536)) {
      throw refused('the numbers of slots are wrong');
    }
    const total = slotCounts.reduce((sum, slots) => sum + slots, 0);
    const pairs = (total * (total - 1)) / 2;
    if (values.length !== pairs || known.length !== pairs) {
      throw refused(`they are ${values.length} for ${pairs} pairs of slots`);
    }
    if (!values.every((value) => value >= 0 && value <= FULL)) throw refused('one is outside of 0 to 4');
    if (!known.every((one) => one <= 1)) throw refused('a mark is neither 0 nor 1');
    return new PairCovariance(arrays);
  }
}

function refused(why: string): RecalError {
  return new RecalError('model-damaged', `the covariances cannot be used: ${why}`, {
    hint: 'the model file is damaged or was changed: calibrate again',
  });
}
