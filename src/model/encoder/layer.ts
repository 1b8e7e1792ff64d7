import type { AttentionTrace, Device, FeatureBuffers, Floats, Integers } from '../../compute/device.js';
import type { ModelConfig } from '../config.js';
import type { BufferPool, PlacedGraph } from '../layout/placed-graph.js';

/** What a layer reads: sparse features, some of them masked, or the layer before. */
export type LayerInput =
  | {
      readonly x: FeatureBuffers;
      readonly masked: Integers | null;
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
  /** The first so many have W_res h + bias; of the others W_res h comes in elsewhere (residual-means.ts). */
  readonly residual: number;
  /** One word a node, 0 where nobody will read the result; null where all are wanted. */
  readonly wanted: Integers | null;
}

/** One layer of an encoder over one graph. `out` holds its result after `forward`. */
export interface Layer {
  readonly out: Floats;
  forward(input: LayerInput, pass: LayerPass): void;
  /** Does what later calls of `forward` without training can share, whichever rows they mask; false where it cannot. */
  share?(input: LayerInput): boolean;
  /**
   * After a pass over connected nodes with the residual of the first `residual` of them: dOut becomes the gradient before
   * PReLU. Sets the gradient of W_res if there were any, and that of the bias if they were all. Gives the gradient of h, if
   * there is one, in h's place.
   */
  backward(input: LayerInput, dOut: Floats, residual: number): Floats | null;
}

export function makeTrace(pool: BufferPool, rows: number, config: ModelConfig): AttentionTrace {
  const narrow = () => pool.floats(rows * config.heads);
  return { peak: narrow(), inverse: narrow() };
}

/** dh = dOut·Wᵀ, or that added to it, + dOut·W_resᵀ of the residual's rows, in the place of h, which is used up. */
export function gradientOfInput(
  device: Device,
  { config: { hidden }, weights }: LayerSetup,
  h: Floats,
  own: { dOut: Floats; rows: number; add: boolean },
  residual: { dOut: Floats; rows: number },
): Floats {
  const other = { dOut: residual.dOut, w: weights('wRes') };
  const isOfAll = residual.rows === own.rows;
  device.enqueue('linearGradInput', {
    hidden,
    ...own,
    w: weights('w'),
    second: isOfAll ? other : null,
    dx: h,
  });
  if (!isOfAll) {
    device.enqueue('linearGradInput', {
      hidden,
      ...other,
      rows: residual.rows,
      second: null,
      dx: h,
      add: true,
    });
  }
  return h;
}

/** dOut of connected nodes becomes the gradient before PReLU, which the last layer does not have. */
export function passPrelu(
  device: Device,
  { connected: rows }: PlacedGraph,
  { config: { hidden }, isLast, weights, gradients }: LayerSetup,
  pre: Floats,
  dOut: Floats,
): void {
  if (isLast) return;
  const [slope, dSlope] = [weights('slope'), gradients('slope')];
  device.enqueue('preluGrad', { hidden, rows, pre, slope, dh: dOut, dSlope });
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
    hidden,
    rows: rows - connected,
    pre: alone(pre),
    slope: weights('slope'),
    out: alone(out),
  });
}
