/** The configuration of the network. Settings of features, epochs and graphs are in training-config.ts. */
export interface ModelConfig {
  /** R, the number of relations without `<new>`. */
  relations: number;
  /** D, the width of x_v. */
  features: number;
  /** H and the number of heads. The WASM kernels need 64 and 4; the reference device accepts any. */
  hidden: number;
  heads: number;
  layers: number;
  /** `additive` shares W and a between relations; `rgat` has W_ρ and a_ρ per relation (method §4). */
  encoder: 'additive' | 'rgat';
  /** False for the ablation `w/o BL`: one decoder, on the mean of all neighbours (method §10). */
  balanced: boolean;
  /** α of the loss (method §5). The WASM kernels need an integer. */
  exponent: number;
  learningRate: number;
  /** L2 penalty, added to the gradient (not decoupled). */
  weightDecay: number;
  /** The largest L2 norm of the gradient; 0 for no limit. */
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
