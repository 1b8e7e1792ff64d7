import { BOOSTING_DEFAULTS, type BoostingOptions } from '../boosting/boosted-trees.js';

/** The settings of FLASH (docs/research/rivals/flash.md). */
export interface FlashOptions {
  /** Length of a word vector. */
  readonly text: number;
  readonly textEpochs: number;
  readonly hidden: number;
  readonly dropout: number;
  /** Nodes in a step. */
  readonly batch: number;
  readonly epochs: number;
  readonly rate: number;
  readonly decay: number;
  readonly boosting: BoostingOptions;
}

export const FLASH_DEFAULTS: FlashOptions = {
  text: 30,
  textEpochs: 10,
  hidden: 32,
  dropout: 0.5,
  batch: 5000,
  epochs: 20,
  rate: 0.01,
  decay: 5e-4,
  boosting: BOOSTING_DEFAULTS,
};
