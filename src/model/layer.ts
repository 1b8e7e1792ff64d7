import type { AttentionTrace, Device, FeatureBuffers, Floats, Words } from '../compute/device.js';
import type { ModelConfig } from './config.js';
import type { BufferPool, PlacedGraph } from './placed-graph.js';

/** What a layer reads: sparse features, some of them masked, or the layer before. */
export type LayerInput =
  | {
      readonly x: FeatureBuffers;
      readonly masked: Words | null;
      readonly token: Floats;
      readonly dToken: Floats;
      /** Whether `share` has done what does not depend on which rows are masked. */
      readonly shared: boolean;
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

/** How a layer is to be passed. */
export interface LayerPass {
  /** The first so many rows: all nodes, or only the connected ones. */
  readonly rows: number;
  readonly training: boolean;
  /** False where W_res h + bias comes in elsewhere (residual-means.ts). */
  readonly residual: boolean;
  /** One word a node, 0 where nobody will read the result; null where all are wanted. */
  readonly wanted: Words | null;
}

/** One layer of an encoder over one graph. `out` holds its result after `forward`. */
export interface Layer {
  readonly out: Floats;
  forward(input: LayerInput, pass: LayerPass): void;
  /** Does what later calls of `forward` without training can share, whichever rows they mask; false where it cannot. */
  share?(input: LayerInput): boolean;
  /**
   * After a pass over connected nodes: dOut becomes the gradient before PReLU. Gives the gradient of h, if there is one, in
   * h's place.
   */
  backward(input: LayerInput, dOut: Floats, residual: boolean): Floats | null;
}

export function makeTrace(pool: BufferPool, rows: number, config: ModelConfig): AttentionTrace {
  const narrow = () => pool.floats(rows * config.heads);
  return { peak: narrow(), inverse: narrow() };
}

/** Rows beyond the connected ones have no entries to attend to: what is before PReLU there is the residual. */
export function finishAlone(
  device: Device,
  { connected }: PlacedGraph,
  rows: number,
  { config: { hidden }, isLast, weights }: LayerSetup,
  pre: Floats,
  out: Floats,
): void {
  if (rows === connected || isLast) return; // what the last layer has before PReLU is its result
  const alone = (buffer: Floats) => device.view(buffer, connected * hidden, (rows - connected) * hidden);
  device.enqueue('prelu', {
    ...{ hidden, rows: rows - connected, pre: alone(pre), slope: weights('slope'), out: alone(out) },
  });
}
