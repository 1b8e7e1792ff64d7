import type { WorkList } from './work-list.js';

/** Numbers on a device. What they are made of is the device's own business: float64 or float32. */
export interface Floats {
  readonly kind: 'floats';
  readonly length: number;
}

/** Unsigned 32-bit integers on a device. */
export interface Integers {
  readonly kind: 'integers';
  readonly length: number;
}

/** A sparse matrix on a device: columns that most rows fill stand apart as a dense one (see feature-layout.ts). */
export interface FeatureBuffers {
  readonly rows: number;
  readonly cols: number;
  /** Dense columns, padded with zero columns to a multiple of four. */
  readonly width: number;
  readonly dense: Floats;
  readonly columns: Integers;
  readonly offsets: Integers;
  readonly indices: Integers;
  readonly values: Floats;
}

/** Who is joined to whom: one entry u → v with ρ for each direction of each edge, listed by destination or by source. */
export interface EntryBuffers {
  readonly work: WorkList<Integers>;
  /** The other end: a row of z, or a node. */
  readonly neighbours: Integers;
  /** ρ: r, or r + half for r⁻¹. */
  readonly relations: Integers;
  /** Relations, `<new>` included. */
  readonly half: number;
}

/** Entries by destination, and where each stands in the list by source. */
export interface IncomingBuffers extends EntryBuffers {
  readonly places: Integers;
}

/** Where the first rows fold: they add up h by head and multiply the sums with W (kernels/learn/fold.ts). */
export interface FoldedBuffers extends IncomingBuffers {
  /** How many do. */
  readonly folding: number;
  /** Of those, and of all other rows. */
  readonly workOfFolding: WorkList<Integers>;
  readonly workOfOthers: WorkList<Integers>;
  /** Of each row, where its entries to and from those end, which come first. */
  readonly foldedEnds: Integers;
  /** The first so many rows have a z: all that anyone attends to who does not fold, and maybe more. */
  readonly multiplied: number;
}

/** What attention keeps for its gradient. */
export interface AttentionTrace {
  /** The softmax's peak and inverse sum, rows × heads. */
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

/** The kernels and their arguments. Names that begin with `d` are gradients; outputs are set, not added to, unless said. */
export interface Kernels {
  fill: { target: Floats; value: number };
  /** target += source. */
  addInto: { target: Floats; source: Floats };
  /** out = x·w + bias; a masked row of x is the token x_[M]. With an index, row i of out is made of row index[i] of x. */
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
  /** dToken is added to. */
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
  /** out = x·w + bias, or that added to out. */
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
    /** To dw; dBias is set. */
    add: boolean;
  };
  /** out = Σ of so many rows. */
  sumRows: Width & { rows: number; from: Floats; out: Floats };
  /** dx = dOut·wᵀ + dOut2·w2ᵀ, or that added to dx. */
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
  /** out = `to` where `from` names a masked row, else what it names. */
  redirect: { from: Integers; masked: Integers; to: number; out: Integers };
  /**
   * pre holds W_res h + bias of the first `residual` rows; all others have the bias only, if there is one. out is PReLU of
   * the whole, or the whole where there is no slope (method §4). With a trace pre gets the whole too.
   */
  attend: Headed & {
    entries: EntryBuffers;
    /** Masked destinations take d and pre from this row in place of their own. */
    standIn: { masked: Integers; row: number } | null;
    /** One word a row, 0 where nobody will read the result: it may then be anything. */
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
    /**
     * Where the rows of z are not the nodes: the entries by row of z, neighbours being destinations; and where to put the
     * gradient of d, which then belongs to no row of z.
     */
    sources: { entries: EntryBuffers; dd: Floats } | null;
    /** Destinations. */
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
    /** May be z itself: a row's gradient needs no other row of z. */
    dz: Floats;
    db: Floats;
    dc: Floats;
    daSource: Floats;
    daTarget: Floats;
  };
  /** The same scores from h: s = a_s·(h·w) and d = a_t·(h·w) per head. */
  foldScores: Headed & {
    rows: number;
    h: Floats;
    w: Floats;
    aSource: Floats;
    aTarget: Floats;
    s: Floats;
    d: Floats;
  };
  /** `attend` of the rows that fold, with z = h·w; with a trace `sums` gets Σ α h, rows × heads × H. */
  foldAttend: Headed &
    Omit<Kernels['attend'], 'entries' | 'standIn' | 'z'> & {
      entries: FoldedBuffers;
      h: Floats;
      w: Floats;
      sums: Floats | null;
    };
  /** Per head of each row that folds: dw = Σ sums ⊗ dPre, then sums become g = w·dPre. */
  foldGradient: Headed & { rows: number; dPre: Floats; w: Floats; sums: Floats; dw: Floats };
  /**
   * The gradient of `foldScores`, of `foldAttend` behind `foldGradient`, and of `attend` of all other rows. h becomes dh
   * without what comes by dz, which leaves scores out. dw is added to.
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
      /** What `foldGradient` made. */
      g: Floats;
      /** Not z itself. */
      dz: Floats;
      dw: Floats;
    };
  /** dz = dd ⊗ a and da = Σ dd ⊗ z per head. */
  scoresGrad: Headed & { rows: number; z: Floats; a: Floats; dd: Floats; dz: Floats; da: Floats };
  /** out = PReLU(pre). */
  prelu: Width & { rows: number; pre: Floats; slope: Floats; out: Floats };
  /** dh becomes dPre in place. */
  preluGrad: Width & { rows: number; pre: Floats; slope: Floats; dh: Floats; dSlope: Floats };
  /**
   * out[row] = scale[row] · Σ fromScale[slot] · from[slot] over the slots of the row's entries, or that added to out;
   * without slots an entry is its own slot, and NO_SLOT counts for nothing.
   */
  segmentSum: Width & {
    work: WorkList<Integers>;
    entries: Integers;
    slots: Integers | null;
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
    /** Multiplies the gradient: for clipping. */
    scale: number;
  };
}

/** ℓ and its gradients for all relations at once (method §5). A slot is a masked node under one relation. */
export interface CosineLoss {
  readonly target: FeatureBuffers;
  /** ‖x‖ per node. */
  readonly norms: Floats;
  /** The slots of relation r are offsets[r] to offsets[r + 1]. On the host: the device plans its work by it. */
  readonly offsets: Uint32Array;
  /** |M_r|: the gradient of a slot is weighted with 1/|M_r|. */
  readonly counts: Uint32Array;
  readonly nodes: Integers;
  readonly means: Floats;
  /** R × D × H and R × D. */
  readonly w: Floats;
  readonly bias: Floats;
  readonly exponent: number;
  readonly errors: Floats;
  /** dMeans may be `means` itself. Rows of dw and dBias are set for relations that have slots. */
  readonly gradient: { dMeans: Floats; dw: Floats; dBias: Floats } | null;
}

export const NO_SLOT = 0xffffffff;

/** Below this many slots a relation's loss takes the dense form: the Gram matrix would cost more (method §5). */
export const DENSE_BELOW = 48;

/** Likewise where x̂ is no longer than what the Gram form has in its place, which is less exact. */
export function takesDenseForm(
  slots: number,
  { features, hidden }: { features: number; hidden: number },
): boolean {
  return slots < DENSE_BELOW || features <= hidden;
}

export interface KernelTime {
  calls: number;
  milliseconds: number;
}

/**
 * Buffers and kernels. Kernels are put on a list and run by `run`, in order, each seeing what those before it wrote;
 * nothing comes back before `read`. That way a device needs no round trip per kernel.
 */
export interface Device {
  readonly kind: 'wasm' | 'reference';
  /** Recorded in the model: `relaxed-simd` differs from `simd` in the last bits. */
  readonly build: 'float64' | 'simd' | 'relaxed-simd';
  readonly threads: number;
  /** Bytes held by buffers now. */
  readonly used: number;
  /** What is in a new buffer is not said. */
  floats(length: number): Floats;
  integers(length: number): Integers;
  /** A part of a buffer, which must outlive it. */
  view<B extends Floats | Integers>(buffer: B, start: number, length: number): B;
  write(buffer: Floats, data: ArrayLike<number>): void;
  writeIntegers(buffer: Integers, data: ArrayLike<number>): void;
  /** Runs what is on the list, then copies. */
  read(buffer: Floats): Float32Array | Float64Array;
  free(buffer: Floats | Integers): void;
  enqueue<K extends keyof Kernels>(kernel: K, args: Kernels[K]): void;
  run(): void;
  /** Gives back what kernels keep for themselves between runs: the next graph may need it elsewhere. */
  release(): void;
  /** Times each kernel by itself from now on, or stops doing so. Gives what was measured so far. */
  profile(on: boolean): Map<string, KernelTime>;
  /** Ends the threads and gives the memory back. */
  close(): Promise<void>;
}
