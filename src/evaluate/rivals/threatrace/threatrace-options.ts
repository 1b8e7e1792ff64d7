/** The settings of THREATRACE, as its code has them for DARPA TC (docs/research/rivals/threatrace.md). */
export interface ThreatraceOptions {
  readonly hidden: number;
  readonly dropout: number;
  /** Nodes in a step. */
  readonly batch: number;
  /** Epochs of the first sub-model. */
  readonly epochs: number;
  /** The most epochs of every later sub-model. It ends earlier when the loss falls below `enough`. */
  readonly laterEpochs: number;
  readonly enough: number;
  /** Ends after so many rounds in a row without a node that is newly right. */
  readonly patience: number;
  /** The most sub-models. */
  readonly models: number;
  readonly rate: number;
  readonly decay: number;
  /** A class counts as right only if it is so many times as likely as the next. */
  readonly ratio: number;
}

export const THREATRACE_DEFAULTS: ThreatraceOptions = {
  hidden: 32,
  dropout: 0.5,
  batch: 5000,
  epochs: 29,
  laterEpochs: 149,
  enough: 1,
  patience: 3,
  models: 100,
  rate: 0.01,
  decay: 5e-4,
  ratio: 1.5,
};
