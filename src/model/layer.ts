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
  | {
      readonly h: Floats;
      /** Puts the layer before's output into `h` again: training takes its room for something else. */
      readonly restore: () => void;
    };

/** Parameters, or their gradients, by name. */
export type Named = (name: string) => Floats;

/** What a layer is made with. */
export interface LayerSetup {
  readonly config: ModelConfig;
  readonly weights: Named;
  readonly gradients: Named;
  /** The last layer has no PReLU. */
  readonly isLast: boolean;
  /** Where the result goes: the next layer's `room`. The last layer has its own. */
  readonly out: Floats | null;
}

/** One layer of an encoder over one graph. `out` holds its result after `forward`. */
export interface Layer {
  readonly out: Floats;
  /** Holds the layer before's output while `forward` reads it; training then keeps attention's there. Null in the first. */
  readonly room: Floats | null;
  forward(input: LayerInput, training: boolean): void;
  /** Computes `out` again from what was kept. Not in the last layer. */
  restore(): void;
  /** Computes `base` of an input for later calls of `forward`, where the layer can make use of it. */
  shareProducts?(input: LayerInput, base: readonly [Floats, Floats]): void;
  /** dOut becomes the gradient before PReLU. Gives the gradient of the layer before, if there is one, in room of its own. */
  backward(input: LayerInput, dOut: Floats): Floats | null;
}

export function makeTrace(pool: BufferPool, rows: number, config: ModelConfig): AttentionTrace {
  const narrow = () => pool.floats(rows * config.heads);
  return { peak: narrow(), inverse: narrow() };
}
