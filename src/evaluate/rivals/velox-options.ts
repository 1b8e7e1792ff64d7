/** How the network of Velox is trained. */
export interface VeloxNetworkOptions {
  readonly steps: number;
  /** Learning rate of Adam. */
  readonly rate: number;
  /** Units of a hidden layer with ReLU; 0 for one linear layer. */
  readonly hidden: number;
  /** Share of the inputs that a step sets to 0. Each distinct row draws its own, once per role. */
  readonly dropout: number;
  readonly seed: number;
}

/** What defines the variant `velox`, besides the training settings. */
export interface VeloxOptions extends Omit<VeloxNetworkOptions, 'seed'> {
  /** Splits that the network learns from before it scores the test. */
  readonly learn: 'train' | 'both';
}

/** Chosen over four traces: docs/research/decisions.md. */
export const VELOX_DEFAULTS: VeloxOptions = {
  steps: 300,
  rate: 0.01,
  hidden: 0,
  dropout: 0,
  learn: 'both',
};

/** The defaults, changed by what defines the variant, and by the number of steps that the user asks for. */
export function veloxSettings(
  own: Readonly<Partial<VeloxOptions>> | undefined,
  { steps }: { readonly steps?: number | undefined },
): VeloxOptions {
  const settings = { ...VELOX_DEFAULTS, ...own };
  return steps === undefined ? settings : { ...settings, steps };
}
