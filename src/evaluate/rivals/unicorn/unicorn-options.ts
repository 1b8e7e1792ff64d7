/** The settings of Unicorn (docs/research/rivals/unicorn.md). */
export interface UnicornOptions {
  /** R: how many steps back a label looks. */
  readonly hops: number;
  /** Numbers in a sketch. */
  readonly size: number;
  /** Old labels lose this share of their weight, about, with every `fading` labels. */
  readonly decay: number;
  readonly fading: number;
  /** Edges between two sketches. */
  readonly batch: number;
  /** The most clusters of training sketches. */
  readonly clusters: number;
  /** Random starts of the clustering. */
  readonly trials: number;
  /** Deviations above the mean distance in a cluster that are still normal. */
  readonly deviations: number;
}

export const UNICORN_DEFAULTS: UnicornOptions = {
  hops: 3,
  size: 2000,
  decay: 0.02,
  fading: 500,
  batch: 3000,
  clusters: 6,
  trials: 20,
  deviations: 3,
};
