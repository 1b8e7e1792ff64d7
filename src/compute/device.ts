import type { WorkList } from './work-list.js';

/** Floating-point numbers on a device: float32 or float64, as the device chooses. */
export interface Floats {
  readonly kind: 'floats';
  readonly length: number;
}

/** Unsigned 32-bit integers on a device. */
export interface Integers {
  readonly kind: 'integers';
  readonly length: number;
}

/** A sparse matrix on a device. Columns that most rows fill form a separate dense matrix (see feature-layout.ts). */
export interface FeatureBuffers {
  readonly rows: number;
  readonly cols: number;
  /** Number of dense columns, padded with zero columns to a multiple of four. */
  readonly width: number;
  readonly dense: Floats;
  readonly columns: Integers;
  readonly offsets: Integers;
  readonly indices: Integers;
  readonly values: Floats;
}

/** The edges in both directions: one entry u → v with ρ for each direction, listed by destination or by source. */
export interface EntryBuffers {
  readonly work: WorkList<Integers>;
  /** The other end of each entry: a row of z, or a node. */
  readonly neighbours: Integers;
  /** ρ: r, or r + half for r⁻¹. */
  readonly relations: Integers;
  /** The number of relations, including `<new>`. */
  readonly half: number;
}

/** Entries by destination, with the position of each in the list by source. */
export interface IncomingBuffers extends EntryBuffers {
  readonly places: Integers;
}

/**
 * The entries of the encoder `rgat`. Each (node, ρ) with an entry out of the node under ρ is a row, with z and with two
 * scores: s, which these entries read, and d, which the entries into the node under the reverse of ρ read.
 */
export interface RelationEntries {
  /** By destination, with rows as neighbours. */
  readonly incoming: IncomingBuffers;
  /** For each entry by destination, the row whose d it reads. */
  readonly targets: Integers;
  /** The node of each row. */
  readonly nodes: Integers;
  /** By row. */
  readonly outgoing: {
    readonly work: WorkList<Integers>;
    /** The destination of each entry. */
    readonly neighbours: Integers;
    /** The row whose d each entry reads. */
    readonly targets: Integers;
    /** The position of the reverse of each entry. */
    readonly reverses: Integers;
  };
}

/** Entries for folded attention: the first rows sum h per head, then multiply the sums by W (kernels/learn/fold.ts). */
export interface FoldedBuffers extends IncomingBuffers {
  /** The first `foldedCount` rows fold. */
  readonly foldedCount: number;
  readonly foldedWork: WorkList<Integers>;
  /** The work of all other rows. */
  readonly unfoldedWork: WorkList<Integers>;
  /** For each row, where its entries to and from folded rows end. They come first. */
  readonly foldedEnds: Integers;
  /** The first `projectedCount` rows have a z: at least those that an unfolded row attends to. */
  readonly projectedCount: number;
}

/** Values that the forward pass of attention keeps for its gradient. */
export interface AttentionTrace {
  /** The peak and the inverse sum of the softmax, rows × heads. */
  readonly peak: Floats;
  readonly inverse: Floats;
}

interface Width {
  /** H */
  readonly hidden: number;
}

interface Headed extends Width {
  readonly heads: number;
}

/** The kernels and their arguments. Names that begin with `d` are gradients. Kernels overwrite outputs unless noted. */
export interface Kernels {
  fill: { target: Floats; value: number };
  /** target += source. */
  addInto: { target: Floats; source: Floats };
  /** out = x·w + bias; a masked row of x is the token x_[M]. With an index, row i of out comes from row index[i] of x. */
  sparseLinear: Width & {
    x: FeatureBuffers;
    index: Integers | null;
    masked: Integers | null;
    token: Floats;
    w: Floats;
    bias: Floats | null;
    out: Floats;
  };
  /** One row: out = x_[M]·w + bias. */
  tokenLinear: Width & { token: Floats; w: Floats; bias: Floats | null; out: Floats };
  /** Adds to dToken. */
  sparseLinearGrad: Width & {
    x: FeatureBuffers;
    index: Integers | null;
    masked: Integers | null;
    token: Floats;
    w: Floats;
    dOut: Floats;
    dw: Floats;
    dToken: Floats;
    dBias: Floats | null;
  };
  /** out = x·w + bias; with `add`, out += x·w + bias. */
  linear: Width & {
    rows: number;
    x: Floats;
    index: Integers | null;
    w: Floats;
    bias: Floats | null;
    out: Floats;
    add: boolean;
  };
  linearGradWeights: Width & {
    rows: number;
    x: Floats;
    index: Integers | null;
    dOut: Floats;
    dw: Floats;
    dBias: Floats | null;
    /** Add to dw. dBias is always overwritten. */
    add: boolean;
  };
  /** out = the sum of the first `rows` rows. */
  sumRows: Width & { rows: number; from: Floats; out: Floats };
  /** dx = dOut·wᵀ + dOut2·w2ᵀ; with `add`, dx += the same. */
  linearGradInput: Width & {
    rows: number;
    dOut: Floats;
    w: Floats;
    second: { dOut: Floats; w: Floats } | null;
    dx: Floats;
    add: boolean;
  };
  /** s = a_s·z and d = a_d·z per head. */
  scores: Headed & { rows: number; z: Floats; aSource: Floats; aTarget: Floats; s: Floats; d: Floats };
  /** Copies row numbers; the number of a masked row becomes `to`. */
  redirect: { from: Integers; masked: Integers; to: number; out: Integers };
  /**
   * out = PReLU(attention + residual), or without PReLU if `slope` is null (method §4). The first `residual` rows of pre
   * hold W_res h + bias; other rows use the bias alone. With a trace, pre receives the value before PReLU.
   */
  attend: Headed & {
    entries: EntryBuffers;
    /** Masked destinations read d and pre from this row instead of their own. */
    standIn: { masked: Integers; row: number } | null;
    /** One integer per row. Rows with 0 are not needed, and their result is undefined. */
    wanted: Integers | null;
    z: Floats;
    s: Floats;
    d: Floats;
    b: Floats;
    c: Floats;
    pre: Floats;
    residual: number;
    bias: Floats | null;
    out: Floats;
    slope: Floats | null;
    trace: AttentionTrace | null;
  };
  attendGrad: Headed & {
    entries: IncomingBuffers;
    /** The number of destinations. */
    rows: number;
    z: Floats;
    s: Floats;
    d: Floats;
    b: Floats;
    c: Floats;
    aSource: Floats;
    aTarget: Floats;
    trace: AttentionTrace;
    dPre: Floats;
    /** May be z itself, because the gradient of a row needs no other row of z. */
    dz: Floats;
    db: Floats;
    dc: Floats;
    daSource: Floats;
    daTarget: Floats;
  };
  /** The same scores, computed from h: s = a_s·(h·w) and d = a_d·(h·w) per head. */
  foldScores: Headed & {
    rows: number;
    h: Floats;
    w: Floats;
    aSource: Floats;
    aTarget: Floats;
    s: Floats;
    d: Floats;
  };
  /** `attend` for the folded rows, with z = h·w. With a trace, `sums` receives Σ α h, rows × heads × H. */
  foldAttend: Headed &
    Omit<Kernels['attend'], 'entries' | 'standIn' | 'z'> & {
      entries: FoldedBuffers;
      h: Floats;
      w: Floats;
      sums: Floats | null;
    };
  /** For each folded row and head: dw = Σ sums ⊗ dPre, then sums = g = w·dPre. */
  foldGradient: Headed & { rows: number; dPre: Floats; w: Floats; sums: Floats; dw: Floats };
  /**
   * The gradient of `foldScores`, of `foldAttend` (after `foldGradient`), and of `attend` for the unfolded rows. Replaces
   * h by dh without the part that flows through dz; dz excludes the scores. Adds to dw.
   */
  foldAttendGrad: Headed &
    Pick<
      Kernels['attendGrad'],
      'rows' | 'z' | 's' | 'd' | 'b' | 'c' | 'aSource' | 'aTarget' | 'trace' | 'dPre'
    > &
    Pick<Kernels['attendGrad'], 'db' | 'dc' | 'daSource' | 'daTarget'> & {
      entries: FoldedBuffers;
      h: Floats;
      w: Floats;
      /** The result of `foldGradient`. */
      g: Floats;
      /** Must not be z itself. */
      dz: Floats;
      dw: Floats;
    };
  /**
   * `attend` over the rows of `RelationEntries`: the logit of an entry is LeakyReLU(s + d), and out = Σ α z (method §4,
   * `rgat`).
   */
  relationAttend: Omit<Kernels['attend'], 'entries' | 'standIn' | 'b' | 'c'> & { entries: RelationEntries };
  /** dz = Σ α dPre without the part that flows through s. dz must not be z itself. */
  relationAttendGrad: Headed &
    Pick<Kernels['attendGrad'], 'rows' | 'z' | 's' | 'd' | 'trace' | 'dPre' | 'dz'> & {
      entries: RelationEntries;
      ds: Floats;
      dd: Floats;
    };
  /** out = a·z per head. */
  headScores: Headed & { rows: number; z: Floats; a: Floats; out: Floats };
  /** out = x·v, where v has one column per head. */
  headLinear: Headed & { rows: number; x: Floats; index: Integers | null; v: Floats; out: Floats };
  headLinearGrad: Headed & { rows: number; x: Floats; index: Integers | null; dOut: Floats; dv: Floats };
  /** dx += dOut·vᵀ. */
  headGradInput: Headed & { rows: number; dOut: Floats; v: Floats; dx: Floats };
  /** `headLinear` of sparse rows; a masked row of x is the token x_[M]. */
  sparseHeads: Headed & {
    x: FeatureBuffers;
    index: Integers | null;
    masked: Integers | null;
    token: Floats;
    v: Floats;
    out: Floats;
  };
  /** Adds to dToken. */
  sparseHeadsGrad: Omit<Kernels['sparseHeads'], 'out'> & { dOut: Floats; dv: Floats; dToken: Floats };
  /** dz += dd ⊗ a, and da = Σ dd ⊗ z per head. */
  scoresGrad: Headed & { rows: number; z: Floats; a: Floats; dd: Floats; dz: Floats; da: Floats };
  /** out = PReLU(pre). */
  prelu: Width & { rows: number; pre: Floats; slope: Floats; out: Floats };
  /** Replaces dh by dPre. */
  preluGrad: Width & { rows: number; pre: Floats; slope: Floats; dh: Floats; dSlope: Floats };
  /**
   * out[row] = scale[row] · Σ fromScale[i] · from[i]; with `add`, out[row] += the same. The sum is over the entries of the
   * row: i is the entry itself, or sourceRows[entry]. NO_ROW skips an entry.
   */
  segmentSum: Width & {
    work: WorkList<Integers>;
    entries: Integers;
    sourceRows: Integers | null;
    from: Floats;
    fromScale: Floats | null;
    scale: Floats | null;
    out: Floats;
    add: boolean;
  };
  cosineLoss: Width & CosineLoss;
  adam: {
    parameters: Floats;
    gradient: Floats;
    firstMoment: Floats;
    secondMoment: Floats;
    learningRate: number;
    weightDecay: number;
    /** Counted from 1. */
    step: number;
    /** Factor of the gradient, for clipping. */
    scale: number;
  };
}

/** ℓ and its gradients for all relations (method §5). A pair is a masked node under one relation. */
export interface CosineLoss {
  readonly target: FeatureBuffers;
  /** ‖x‖ per node. */
  readonly norms: Floats;
  /** The pairs of relation r are offsets[r] to offsets[r + 1]. In host memory, because the device plans its work by it. */
  readonly offsets: Uint32Array;
  /** |M_r|. The gradient of a pair has the weight 1/|M_r|. */
  readonly counts: Uint32Array;
  readonly nodes: Integers;
  readonly means: Floats;
  /** R × D × H and R × D. */
  readonly w: Floats;
  readonly bias: Floats;
  readonly exponent: number;
  readonly errors: Floats;
  /** dMeans may be `means` itself. Only relations with pairs overwrite their rows of dw and dBias. */
  readonly gradient: { dMeans: Floats; dw: Floats; dBias: Floats } | null;
}

/** In `sourceRows` of `segmentSum`: the entry has no row. */
export const NO_ROW = 0xffffffff;

/** With fewer pairs, the Gram matrix costs more than it saves (method §5). */
const DENSE_BELOW = 48;

/** True if the loss of a relation is computed with x̂ written out: for few pairs, and where the Gram form saves nothing. */
export function takesDenseForm(
  pairs: number,
  { features, hidden }: { features: number; hidden: number },
): boolean {
  return pairs < DENSE_BELOW || features <= hidden;
}

export interface KernelTime {
  calls: number;
  milliseconds: number;
}

/**
 * Buffers and kernels. `enqueue` puts a kernel on a list and `run` executes the list in order, so a device needs no round
 * trip per kernel. Results come back with `read`.
 */
export interface Device {
  readonly kind: 'wasm' | 'reference';
  /** Recorded in the model: `relaxed-simd` differs from `simd` in the last bits. */
  readonly build: 'float64' | 'simd' | 'relaxed-simd';
  readonly threads: number;
  /** Bytes that buffers hold now. */
  readonly used: number;
  /** The content of a new buffer is undefined. */
  floats(length: number): Floats;
  integers(length: number): Integers;
  /** A part of a buffer. The buffer must outlive it. */
  view<B extends Floats | Integers>(buffer: B, start: number, length: number): B;
  write(buffer: Floats, data: ArrayLike<number>): void;
  writeIntegers(buffer: Integers, data: ArrayLike<number>): void;
  /** Runs the list, then copies. */
  read(buffer: Floats): Float32Array | Float64Array;
  free(buffer: Floats | Integers): void;
  enqueue<K extends keyof Kernels>(kernel: K, args: Kernels[K]): void;
  run(): void;
  /** Frees the memory that kernels keep between runs, so that the next graph can use it. */
  release(): void;
  /** Starts or stops timing each kernel. Returns the times measured so far. */
  profile(on: boolean): Map<string, KernelTime>;
  /** Stops the threads and frees the memory. */
  close(): Promise<void>;
}
