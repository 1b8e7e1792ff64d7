import type { AttentionTrace, FeatureBuffers, Floats, Words } from '../compute/device.js';
import type { ModelConfig } from './config.js';
import type { BufferPool } from './placed-graph.js';

/** What a layer reads: sparse features, some of them masked, or the layer before. */
export type LayerInput =
  | {
      readonly x: FeatureBuffers;
      readonly masked: Words | null;
      readonly token: Floats;
      readonly dToken: Floats;
      /** The products with W and W_res without masked rows, where several rounds share them. */
      readonly base: readonly [Floats, Floats] | null;
    }
  | { readonly h: Floats };

/** Parameters, or their gradients, by name. */
export type Named = (name: string) => Floats;

/** What a layer is made with. */
export interface LayerSetup {
  readonly config: ModelConfig;
  readonly weights: Named;
  readonly gradients: Named;
  /** The last layer has no PReLU. */
  readonly isLast: boolean;
}

/** One layer of an encoder over one graph. `out` holds its result after `forward`. */
export interface Layer {
  readonly out: Floats;
  forward(input: LayerInput, training: boolean): void;
  /** Computes `base` of an input for later calls of `forward`, where the layer can make use of it. */
  shareProducts?(input: LayerInput, base: readonly [Floats, Floats]): void;
  /** dOut becomes the gradient before PReLU; dInput gets the gradient of the layer before, if there is one. */
  backward(input: LayerInput, dOut: Floats, dInput: Floats | null): void;
}

export function makeTrace(pool: BufferPool, rows: number, config: ModelConfig): AttentionTrace {
  const wide = () => pool.floats(rows * config.hidden);
  const narrow = () => pool.floats(rows * config.heads);
  return { att: wide(), attScaled: wide(), peak: narrow(), inverse: narrow() };
}
