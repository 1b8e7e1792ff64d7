import { Random } from '../../base/random.js';
import type { Model, StepResult } from '../model.js';
import type { ModelGraph } from '../model-input.js';
import { drawMask, type MaskConfig } from './masking.js';

/** Above this share of masked nodes there is little left to read from (method §3). */
export const MASKED_LIMIT = 0.8;

/** What one pass over all graphs gave. */
export interface EpochReport {
  /** From 1. */
  readonly epoch: number;
  /** L of method §5 over the whole epoch: the sum of the relations' means; NaN where no node was masked. */
  readonly loss: number;
  /** Mean ℓ per decoder over the epoch's masked nodes; NaN where there was none. */
  readonly losses: Float64Array;
  /** |M_r| per decoder, summed over graphs. */
  readonly counts: Float64Array;
  /** Realised mask ratio. */
  readonly masked: number;
}

export interface TrainerOptions {
  readonly seed: number;
  readonly mask: MaskConfig;
  /** f_r over all training graphs: one table of mask rates for all of them. */
  readonly frequencies: Uint32Array;
  /** Where an earlier run stopped. */
  readonly from?: TrainerState | undefined;
}

/** How far training has come: steps since the first epoch's start, and what the epoch at hand has added up. */
export interface TrainerState {
  readonly steps: number;
  /** Per decoder, ℓ summed over masked nodes, and |M_r|. */
  readonly sums: readonly number[];
  readonly counts: readonly number[];
  /** Masked nodes, of all. */
  readonly masked: number;
  readonly nodes: number;
}

/**
 * Epochs over graphs: one step of Adam a graph, in an order that is new in every epoch (method §5). Order and masks
 * are functions of seed, epoch and graph, never of what was drawn before: a run that goes on from a checkpoint after
 * any step does what the uninterrupted run would have done.
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

  /** Steps taken since the first epoch's start, those of earlier runs included. */
  get steps(): number {
    return this.#steps;
  }

  /** Whole epochs. */
  get epochs(): number {
    return Math.floor(this.#steps / this.#graphs.length);
  }

  state(): TrainerState {
    return { steps: this.#steps, ...this.#tally.state() };
  }

  /** One step; a report where it was the last of an epoch. */
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
    const losses = this.#sums.map((sum, r) => sum / this.#counts[r]); // 0 / 0 is NaN: no masked node
    const known = losses.filter((each) => !Number.isNaN(each));
    const loss = known.length === 0 ? Number.NaN : known.reduce((total, each) => total + each, 0);
    const masked = this.#nodes === 0 ? 0 : this.#masked / this.#nodes;
    return { epoch, loss, losses, counts: this.#counts, masked };
  }
}
