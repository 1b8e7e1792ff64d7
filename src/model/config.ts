/** What the learning core needs to know; the settings of features, epochs and graphs belong to the trainer. */
export interface ModelConfig {
  /** R, without `<new>`. */
  relations: number;
  /** D, the width of x_v. */
  features: number;
  /** H and its heads. The WASM device has kernels for 64 and 4 only; the reference device takes any. */
  hidden: number;
  heads: number;
  layers: number;
  /** `additive` shares W between relations, `rgat` has a W_ρ for each (method §4). */
  encoder: 'additive' | 'rgat';
  /** False is the ablation `w/o BL`: one decoder, on the mean of all neighbours (method §10). */
  balanced: boolean;
  /** α of the loss (method §5). */
  exponent: number;
  learningRate: number;
  /** L2, added to the gradient and not decoupled. */
  weightDecay: number;
  /** Largest L2 norm of the whole gradient, or 0 for no limit. */
  clip: number;
}

export const MODEL_DEFAULTS: Omit<ModelConfig, 'relations' | 'features'> = {
  hidden: 64,
  heads: 4,
  layers: 2,
  encoder: 'additive',
  balanced: true,
  exponent: 3,
  learningRate: 1e-3,
  weightDecay: 5e-4,
  clip: 0,
};
