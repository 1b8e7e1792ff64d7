import { Random } from '../../base/random.js';
import type { Model, StepResult } from '../model.js';
import type { ModelGraph } from '../model-input.js';
import { drawMask, type MaskConfig } from './masking.js';

/** Above this share of masked nodes, too few neighbours are left to learn from (method §3). */
export const MASKED_LIMIT = 0.8;

/** The result of one pass over all graphs. */
export interface EpochReport {
  /** Counted from 1. */
  readonly epoch: number;
  /** L of method §5 over the epoch: the sum of the means per relation. NaN if no node was masked. */
  readonly loss: number;
  /** The mean ℓ of each decoder over the masked nodes of the epoch; NaN without masked nodes. */
  readonly losses: Float64Array;
  /** |M_r| per decoder, summed over graphs. */
  readonly counts: Float64Array;
  /** The share of masked nodes. */
  readonly masked: number;
}

export interface TrainerOptions {
  readonly seed: number;
  readonly mask: MaskConfig;
  /** f_r over all training graphs, from which one table of mask rates is computed. */
  readonly frequencies: Uint32Array;
  /** The state at which an earlier run stopped. */
  readonly from?: TrainerState | undefined;
}

/** The progress of training: the steps so far, and the sums of the current epoch. */
export interface TrainerState {
  readonly steps: number;
  /** For each decoder, the sum of ℓ over masked nodes, and |M_r|. */
  readonly sums: readonly number[];
  readonly counts: readonly number[];
  /** Masked nodes, and all nodes. */
  readonly masked: number;
  readonly nodes: number;
}

/**
 * Runs epochs over graphs: one step of Adam per graph, in a new random order each epoch (method §5). Order and masks
 * depend only on seed, epoch and graph, so a run that continues from a checkpoint equals an uninterrupted run.
 */
export class Trainer {
  readonly #model: Pick<Model, 'step'>;
  readonly #graphs: readonly ModelGraph[];
  readonly #options: TrainerOptions;
  readonly #random: Random;
  #order: readonly number[] = [];
  #tally: EpochTally;
  #steps: number;

  constructor(model: Pick<Model, 'step'>, graphs: readonly ModelGraph[], options: TrainerOptions) {
    this.#model = model;
    this.#graphs = graphs;
    this.#options = options;
    this.#random = new Random(options.seed).stream('training');
    this.#steps = options.from?.steps ?? 0;
    this.#tally = new EpochTally(options.from);
  }

  /** The number of steps so far, including earlier runs. */
  get steps(): number {
    return this.#steps;
  }

  /** The number of complete epochs. */
  get epochs(): number {
    return Math.floor(this.#steps / this.#graphs.length);
  }

  state(): TrainerState {
    return { steps: this.#steps, ...this.#tally.state() };
  }

  /** Runs one step. Returns a report after the last step of an epoch. */
  step(): EpochReport | undefined {
    const epoch = this.epochs;
    const place = this.#steps % this.#graphs.length;
    const draws = this.#random.stream(`epoch ${epoch}`);
    if (place === 0 || this.#order.length === 0) {
      this.#order = draws.stream('order').shuffled(this.#graphs.map((_, index) => index));
    }
    const index = this.#order[place];
    const graph = this.#graphs[index];
    const { frequencies, mask: config } = this.#options;
    const random = draws.stream(`graph ${index}`);
    const mask = drawMask(graph.nodeCount, graph.neighbours, frequencies, random, config);
    this.#tally.add(this.#model.step(graph, mask), mask);
    this.#steps++;
    if (this.#steps % this.#graphs.length !== 0) return undefined;
    const report = this.#tally.report(epoch + 1);
    this.#tally = new EpochTally();
    return report;
  }
}

class EpochTally {
  #sums: Float64Array;
  #counts: Float64Array;
  #masked: number;
  #nodes: number;

  constructor(from?: Omit<TrainerState, 'steps'>) {
    this.#sums = Float64Array.from(from?.sums ?? []);
    this.#counts = Float64Array.from(from?.counts ?? []);
    this.#masked = from?.masked ?? 0;
    this.#nodes = from?.nodes ?? 0;
  }

  state(): Omit<TrainerState, 'steps'> {
    return { sums: [...this.#sums], counts: [...this.#counts], masked: this.#masked, nodes: this.#nodes };
  }

  add({ losses, counts }: StepResult, mask: Uint8Array): void {
    if (this.#sums.length === 0) {
      this.#sums = new Float64Array(losses.length);
      this.#counts = new Float64Array(losses.length);
    }
    for (let r = 0; r < losses.length; r++) {
      if (counts[r] === 0) continue;
      this.#sums[r] += losses[r] * counts[r];
      this.#counts[r] += counts[r];
    }
    for (const byte of mask) this.#masked += byte;
    this.#nodes += mask.length;
  }

  report(epoch: number): EpochReport {
    const losses = this.#sums.map((sum, r) => sum / this.#counts[r]); // NaN (0 / 0) without masked nodes
    const known = losses.filter((each) => !Number.isNaN(each));
    const loss = known.length === 0 ? Number.NaN : known.reduce((total, each) => total + each, 0);
    const masked = this.#nodes === 0 ? 0 : this.#masked / this.#nodes;
    return { epoch, loss, losses, counts: this.#counts, masked };
  }
}
