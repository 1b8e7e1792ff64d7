import type { AttentionTrace, Device, FeatureBuffers, Floats, Integers } from '../../compute/device.js';
import type { ModelConfig } from '../config.js';
import type { BufferPool, PlacedGraph } from '../layout/placed-graph.js';

/** The input of a layer: sparse features, some of them masked, or the output of the previous layer. */
export type LayerInput =
  | {
      readonly x: FeatureBuffers;
      readonly masked: Integers | null;
      readonly token: Floats;
      readonly dToken: Floats;
      /** True if `share` has computed what does not depend on the mask. */
      readonly shared: boolean;
    }
  | { readonly h: Floats };

/** Finds parameters, or their gradients, by name. */
export type ParameterLookup = (name: string) => Floats;

/** The parameters of a layer. */
export interface LayerSetup {
  readonly config: ModelConfig;
  readonly weights: ParameterLookup;
  readonly gradients: ParameterLookup;
  /** The last layer has no PReLU. */
  readonly isLast: boolean;
}

/** Options of one forward pass through a layer. */
export interface LayerPass {
  /** The number of rows: all nodes, or only the connected ones. */
  readonly rows: number;
  readonly training: boolean;
  /** The first `residual` rows add W_res h + bias. The others add only the bias here (see residual-means.ts). */
  readonly residual: number;
  /** One integer per node, 0 if the result is not needed. Null: all results are needed. */
  readonly wanted: Integers | null;
}

/** One layer of an encoder for one graph. `out` holds the result of `forward`. */
export interface Layer {
  readonly out: Floats;
  forward(input: LayerInput, pass: LayerPass): void;
  /** Computes what later inference passes share, whatever they mask. Returns false if there is nothing to share. */
  share?(input: LayerInput): boolean;
  /**
   * Runs after a forward pass over the connected nodes, with the same `residual`. Replaces dOut by the gradient before
   * PReLU, and h by its gradient, which it returns; the first layer returns null. Sets the gradient of the bias only if
   * `residual` covers all rows.
   */
  backward(input: LayerInput, dOut: Floats, residual: number): Floats | null;
}

export function makeTrace(pool: BufferPool, rows: number, config: ModelConfig): AttentionTrace {
  const narrow = () => pool.floats(rows * config.heads);
  return { peak: narrow(), inverse: narrow() };
}

/** dh = dOut·Wᵀ + dOut·W_resᵀ for the rows of the residual. dh replaces h. */
export function inputGradient(
  device: Device,
  { config: { hidden }, weights }: LayerSetup,
  h: Floats,
  own: { dOut: Floats; rows: number },
  residual: { dOut: Floats; rows: number },
): Floats {
  const other = { dOut: residual.dOut, w: weights('wRes') };
  const coversAll = residual.rows === own.rows;
  device.enqueue('linearGradInput', {
    hidden,
    ...own,
    w: weights('w'),
    second: coversAll ? other : null,
    dx: h,
    add: false,
  });
  if (!coversAll) {
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

/** Replaces dOut of the connected nodes by the gradient before PReLU. The last layer has no PReLU. */
export function preluBackward(
  device: Device,
  { connectedCount: rows }: PlacedGraph,
  { config: { hidden }, isLast, weights, gradients }: LayerSetup,
  pre: Floats,
  dOut: Floats,
): void {
  if (isLast) return;
  const [slope, dSlope] = [weights('slope'), gradients('slope')];
  device.enqueue('preluGrad', { hidden, rows, pre, slope, dh: dOut, dSlope });
}

/** Applies PReLU to isolated nodes, whose value before PReLU is the residual. */
export function finishIsolated(
  device: Device,
  { connectedCount }: PlacedGraph,
  rows: number,
  { config: { hidden }, isLast, weights }: LayerSetup,
  pre: Floats,
  out: Floats,
): void {
  if (rows === connectedCount || isLast) return;
  const isolatedCount = rows - connectedCount;
  const isolated = (buffer: Floats) => device.view(buffer, connectedCount * hidden, isolatedCount * hidden);
  device.enqueue('prelu', {
    hidden,
    rows: isolatedCount,
    pre: isolated(pre),
    slope: weights('slope'),
    out: isolated(out),
  });
}
