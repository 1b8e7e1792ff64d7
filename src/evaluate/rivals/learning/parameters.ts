import type { Random } from '../../../base/random.js';
import type { Reals, RealsType } from './products.js';

const BETA1 = 0.9;
const BETA2 = 0.999;
const EPSILON = 1e-8;

/** One matrix of weights with its gradient. */
export interface Parameter {
  readonly rows: number;
  readonly columns: number;
  readonly w: Reals;
  readonly d: Reals;
}

export interface AdamOptions {
  readonly rate: number;
  /** L2 penalty, added to the gradient as in the original Adam of the rivals' framework. */
  readonly decay?: number | undefined;
}

/** The weights of one network. Adam keeps its moments here. */
export class Parameters {
  readonly list: Parameter[] = [];
  readonly #type: RealsType;
  readonly #random: Random;
  #moments: { first: Float64Array; second: Float64Array }[] = [];
  #steps = 0;

  constructor(type: RealsType, random: Random) {
    this.#type = type;
    this.#random = random;
  }

  /** Updates of the weights so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Uniform in ±limit. */
  uniform(rows: number, columns: number, limit: number): Parameter {
    return this.#add(rows, columns, () => (2 * this.#random.float() - 1) * limit);
  }

  /** Normal with this deviation. */
  normal(rows: number, columns: number, deviation: number): Parameter {
    return this.#add(rows, columns, () => deviation * gaussian(this.#random));
  }

  constant(rows: number, columns: number, value: number): Parameter {
    return this.#add(rows, columns, () => value);
  }

  /** Glorot-uniform, the usual start of a linear layer. */
  glorot(rows: number, columns: number): Parameter {
    return this.uniform(rows, columns, Math.sqrt(6 / (rows + columns)));
  }

  clearGradients(): void {
    for (const { d } of this.list) d.fill(0);
  }

  /** One step of Adam with the gradients. */
  step({ rate, decay = 0 }: AdamOptions): void {
    this.#steps++;
    const factor = (rate * Math.sqrt(1 - BETA2 ** this.#steps)) / (1 - BETA1 ** this.#steps);
    const epsilon = EPSILON * Math.sqrt(1 - BETA2 ** this.#steps);
    for (const [i, { w, d }] of this.list.entries()) {
      this.#moments[i] ??= { first: new Float64Array(w.length), second: new Float64Array(w.length) };
      const { first, second } = this.#moments[i];
      for (let k = 0; k < w.length; k++) {
        const gradient = d[k] + decay * w[k];
        first[k] = BETA1 * first[k] + (1 - BETA1) * gradient;
        second[k] = BETA2 * second[k] + (1 - BETA2) * gradient * gradient;
        w[k] -= (factor * first[k]) / (Math.sqrt(second[k]) + epsilon);
      }
    }
  }

  /** A copy of the weights, for a cascade that freezes its models. */
  copy(): Reals[] {
    return this.list.map(({ w }) => w.slice());
  }

  restore(weights: readonly Reals[]): void {
    for (const [i, { w }] of this.list.entries()) w.set(weights[i]);
  }

  #add(rows: number, columns: number, start: () => number): Parameter {
    const w = new this.#type(rows * columns);
    for (let i = 0; i < w.length; i++) w[i] = start();
    const parameter = { rows, columns, w, d: new this.#type(w.length) };
    this.list.push(parameter);
    return parameter;
  }
}

/** A normal number by the method of Box and Muller. */
function gaussian(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.float()));
  return radius * Math.cos(2 * Math.PI * random.float());
}
