/** The settings of MAGIC, as its code has them for DARPA TC (docs/research/rivals/magic.md). */
export interface MagicOptions {
  /** Width of the embeddings, over all heads. */
  readonly hidden: number;
  readonly heads: number;
  readonly layers: number;
  /** Share of the nodes that a step masks. */
  readonly masked: number;
  /** Dropout of the inputs of every layer. */
  readonly dropout: number;
  /** Exponent of the scaled cosine error. */
  readonly exponent: number;
  /** The most pairs of either kind in a step. */
  readonly pairs: number;
  readonly epochs: number;
  readonly rate: number;
  readonly decay: number;
  /** k of the nearest neighbours. */
  readonly neighbours: number;
  /** The most training nodes to compare with. MAGIC takes all. */
  readonly reference: number;
}

export const MAGIC_DEFAULTS: MagicOptions = {
  hidden: 64,
  heads: 4,
  layers: 3,
  masked: 0.5,
  dropout: 0.1,
  exponent: 3,
  pairs: 10_000,
  epochs: 50,
  rate: 1e-3,
  decay: 5e-4,
  neighbours: 10,
  reference: 1_000_000,
};
