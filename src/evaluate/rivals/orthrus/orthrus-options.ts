/** The settings of Orthrus (docs/research/rivals/orthrus.md). */
export interface OrthrusOptions {
  /** Length of a word vector. */
  readonly text: number;
  readonly textEpochs: number;
  /** How much less each word of a name weighs than the word before, as a share of the mean weight. */
  readonly decline: number;
  /** Width of the input of the encoder. */
  readonly projected: number;
  /** Width of a head of the first layer. */
  readonly hidden: number;
  readonly heads: number;
  /** Width of the embeddings. */
  readonly out: number;
  readonly dropout: number;
  /** The latest edges of a node that the encoder sees. */
  readonly neighbours: number;
  /** Edges in a step. */
  readonly batch: number;
  readonly epochs: number;
  readonly rate: number;
  readonly decay: number;
  /** The highest scores that the own rule divides into two clusters. */
  readonly clustered: number;
}

export const ORTHRUS_DEFAULTS: OrthrusOptions = {
  text: 128,
  textEpochs: 50,
  decline: 0.3,
  projected: 100,
  hidden: 128,
  heads: 8,
  out: 64,
  dropout: 0.1,
  neighbours: 20,
  batch: 1024,
  epochs: 6,
  rate: 1e-4,
  decay: 1e-5,
  clustered: 20,
};
