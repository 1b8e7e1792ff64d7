import type { FeatureBuffers, Floats, Integers, Kernels } from '../device.js';
import { SEGMENT_ENTRIES, type WorkList } from '../work-list.js';
import type { Argument, Operation } from './operations.js';

/** Bytes of a row of H floats: the kernels are written for H = 64 and four heads. */
export const ROW = 256;
const H = 64;
const HEADS = 4;
/** Rows a chunk, where chunks do not add up to one result: a multiple of the kernels' tile of four. */
const CHUNK_ROWS = 480;
/** Chunks at most, where each has a part of the result to itself. */
const MOST_PARTS = 16;
const SUM_FLOATS = 4096;
const FILL_FLOATS = 65_536;
const ADAM_FLOATS = 16_384;

/** What a kernel's translation into operations needs of the device. */
export interface Caller {
  call(operation: Operation, chunks: number, args: readonly Argument[]): void;
  /** Address of room for parts of results; its content lasts until the next kernel asks. */
  parts(bytes: number): number;
  /** Address of a copy of these words, which lasts until the list has run. */
  table(words: ArrayLike<number>): number;
  /** Makes sure that every thread has as much scratch. */
  scratch(bytes: number): void;
  /** Room for two transposed matrices. */
  readonly transposed: number;
}

export interface Placed {
  readonly address: number;
}

export function at(buffer: Floats | Integers | null): number {
  return buffer === null ? 0 : (buffer as (Floats | Integers) & Placed).address;
}

function chunksOf(rows: number): number {
  return Math.ceil(rows / CHUNK_ROWS);
}

/** Rows for each of at most MOST_PARTS chunks. */
function partRows(rows: number): number {
  return Math.max(512, Math.ceil(rows / MOST_PARTS / 64) * 64);
}

/** out = Σ of parts, from float `first` of each, or that added to it. */
function sumParts(
  to: Caller,
  out: Floats,
  length: number,
  parts: [number, number, number],
  first = 0,
  add = false,
): void {
  const [address, count, stride] = parts;
  const args = [length, stride, address, count, first, at(out), add ? 1 : 0];
  to.call('sumParts', Math.ceil(length / SUM_FLOATS), args);
}

/** One room for parts, divided: addresses of pieces, each on cache lines of its own. */
function layOut<K extends string>(to: Caller, bytes: Record<K, number>): Record<K, number> {
  const names = Object.keys(bytes) as K[];
  const sizes = names.map((name) => Math.ceil(bytes[name] / 64) * 64);
  let address = to.parts(sizes.reduce((sum, size) => sum + size, 0));
  const pieces = names.map((name, i) => {
    const piece = [name, address] as const;
    address += sizes[i];
    return piece;
  });
  return Object.fromEntries(pieces) as Record<K, number>;
}

export function describe(x: FeatureBuffers): number[] {
  return [at(x.dense), x.width, at(x.columns), at(x.offsets), at(x.indices), at(x.values)];
}

/** Â at this address, and behind it its transpose (kernels/learn/fold.ts). */
function foldWeights(to: Caller, w: Floats, aSource: Floats, aTarget: Floats, address: number): void {
  to.call('foldWeights', 1, [at(w), at(aSource), at(aTarget), address, address + H * ROW]);
}

type Calls = { [K in Exclude<keyof Kernels, 'cosineLoss'>]: (to: Caller, args: Kernels[K]) => void };

export const CALLS: Calls = {
  fill(to, { target, value }) {
    to.call('fill', Math.ceil(target.length / FILL_FLOATS), [at(target), target.length, { float: value }]);
  },

  addInto(to, { target, source }) {
    const args = [at(target), target.length, at(source)];
    to.call('addInto', Math.ceil(target.length / FILL_FLOATS), args);
  },

  sparseLinear(to, { x, index, masked, token, w, bias, out }) {
    const rows = index?.length ?? x.rows;
    to.scratch(ROW * (1 + x.width));
    const product = to.parts(ROW);
    to.call('tokenLinear', 1, [x.cols, at(token), at(w), at(bias), product]);
    to.call('sparseLinear', chunksOf(rows), [
      rows,
      CHUNK_ROWS,
      ...describe(x),
      at(masked),
      product,
      at(w),
      at(bias),
      at(out),
      at(index),
    ]);
  },

  tokenLinear(to, { token, w, bias, out }) {
    to.call('tokenLinear', 1, [token.length, at(token), at(w), at(bias), at(out)]);
  },

  sparseLinearGrad(to, { x, index, masked, token, w, dOut, dw, dToken, dBias }) {
    const rows = index?.length ?? x.rows;
    to.scratch(ROW * (x.cols + 2 + x.width + 64) + 64 * 4 * x.width);
    const size = partRows(rows);
    const chunks = Math.ceil(rows / size);
    const stride = (x.cols + 2) * H;
    const parts = to.parts((chunks * stride + 2 * H) * 4);
    const totals = parts + chunks * stride * 4;
    to.call('sparseLinearGrad', chunks, [
      rows,
      size,
      ...describe(x),
      at(masked),
      at(dOut),
      parts,
      x.cols,
      at(index),
      dBias === null ? 0 : 1,
    ]);
    sumParts(to, dw, x.cols * H, [parts, chunks, stride]);
    const sum = (target: number, first: number, add: number) =>
      to.call('sumParts', 1, [H, stride, parts, chunks, first, target, add]);
    sum(totals, x.cols * H, 0);
    if (dBias !== null) {
      sum(at(dBias), x.cols * H, 0);
      sum(at(dBias), (x.cols + 1) * H, 1);
    }
    to.call('tokenGrad', 1, [x.cols, at(token), at(w), totals, at(dw), at(dToken)]);
  },

  linear(to, { rows, x, index, w, bias, out, add }) {
    to.scratch(ROW);
    const args = [rows, CHUNK_ROWS, at(x), at(w), at(bias), at(out), at(index), add ? 1 : 0];
    to.call('linear', chunksOf(rows), args);
  },

  linearGradWeights(to, { rows, x, index, dOut, dw, dBias, add }) {
    to.scratch((64 + H + 1) * ROW);
    const size = partRows(rows);
    const chunks = Math.ceil(rows / size);
    const stride = (H + 1) * H;
    const parts = to.parts(chunks * stride * 4);
    to.call('linearGradWeights', chunks, [rows, size, at(x), at(dOut), parts, at(index)]);
    sumParts(to, dw, H * H, [parts, chunks, stride], 0, add);
    if (dBias !== null) sumParts(to, dBias, H, [parts, chunks, stride], H * H);
  },

  sumRows(to, { rows, from, out }) {
    to.scratch(ROW);
    const size = partRows(rows);
    const chunks = Math.ceil(rows / size);
    const parts = to.parts(chunks * ROW);
    to.call('sumRows', chunks, [rows, size, at(from), parts]);
    sumParts(to, out, H, [parts, chunks, H]);
  },

  linearGradInput(to, { rows, dOut, w, second, dx, add }) {
    to.scratch(ROW);
    const other = to.transposed + H * ROW;
    to.call('transpose', 1, [at(w), to.transposed]);
    if (second !== null) to.call('transpose', 1, [at(second.w), other]);
    to.call('linearGradInput', chunksOf(rows), [
      rows,
      CHUNK_ROWS,
      at(dOut),
      to.transposed,
      at(second?.dOut ?? null),
      other,
      at(dx),
      add ? 1 : 0,
    ]);
  },

  scores(to, { rows, z, aSource, aTarget, s, d }) {
    to.call('scores', chunksOf(rows), [rows, CHUNK_ROWS, at(z), at(aSource), at(aTarget), at(s), at(d)]);
  },

  redirect(to, { from, masked, to: row, out }) {
    const args = [from.length, at(from), at(masked), row, at(out)];
    to.call('redirect', Math.ceil(from.length / FILL_FLOATS), args);
  },

  attend(to, { entries, standIn, wanted, z, s, d, b, c, pre, residual, bias, out, slope, trace }) {
    const { work } = entries;
    const partBytes = 48 + ROW;
    to.scratch(partBytes + SEGMENT_ENTRIES * (32 + 32)); // logits, runs
    const [merges, head] = workArguments(work);
    const args = [
      ...head,
      at(entries.neighbours),
      at(entries.relations),
      at(z),
      at(s),
      at(d),
      at(b),
      at(c),
      at(pre),
      at(out),
      at(slope),
      at(trace?.peak ?? null),
      at(trace?.inverse ?? null),
      to.parts(work.partCount * partBytes),
      work.splitCount,
      residual,
      at(standIn?.masked ?? null),
      standIn?.row ?? 0,
      at(wanted),
      at(bias),
    ];
    to.call('attend', work.chunkCount, args);
    to.call('mergeAttention', merges, args);
  },

  attendGrad(to, args) {
    const { sources, rows, trace } = args;
    const incoming = args.entries;
    const outgoing = sources?.entries ?? incoming;
    const { work, half } = outgoing;
    const own = sources === null;
    const [merges, head] = workArguments(work);
    const [innerMerges, innerHead] = workArguments(incoming.work);
    const [wide, scored] = [2 * half * H, 2 * half * 4];
    const scoreBytes = (scored + 2 * H) * 8;
    const scoreTables = work.chunkCount + merges;
    // Some of dc, and of a batch weights and products; or a part of a long row.
    to.scratch(wide * 4 + 16 * (16 + 64));
    const room = layOut(to, {
      weights: incoming.neighbours.length * 64,
      inner: rows * 64,
      records: rows * 64,
      dd: own ? rows * 32 : 0,
      // z is needed to the end, so that its place can take dz last only.
      sums: at(args.dz) === at(args.z) ? args.dz.length * 4 : 0,
      parts: Math.max(work.partCount * ROW, incoming.work.partCount * 128),
      tables: Math.max(work.chunkCount * wide * 4, scoreTables * scoreBytes),
    });
    const dd = sources === null ? room.dd : at(sources.dd);
    const sums = at(args.dz) === at(args.z) ? room.sums : at(args.dz);
    const lists = [at(outgoing.neighbours), at(outgoing.relations)];
    to.call('attendPrepare', chunksOf(rows), [
      rows,
      CHUNK_ROWS,
      at(args.d),
      at(trace.peak),
      at(trace.inverse),
      room.records,
    ]);
    const weighted = [
      ...head,
      ...lists,
      at(args.z),
      at(args.s),
      at(args.b),
      at(args.c),
      at(args.dPre),
      room.records,
      sums,
      room.weights,
      room.parts,
      room.tables,
      half,
      work.splitCount,
      own ? 1 : 0,
    ];
    to.call('attendGrad', work.chunkCount, weighted);
    to.call('mergeAttentionGrad', merges, weighted);
    sumParts(to, args.dc, wide, [room.tables, work.chunkCount, wide]);
    const inner = [
      ...innerHead,
      at(incoming.places),
      room.weights,
      room.inner,
      dd,
      room.parts,
      incoming.work.splitCount,
      own ? 1 : 0,
    ];
    to.call('attendInner', incoming.work.chunkCount, inner);
    to.call('mergeInner', innerMerges, inner);
    const list = [
      ...head,
      ...lists,
      room.weights,
      room.inner,
      at(args.z),
      at(args.aSource),
      at(args.aTarget),
      own ? dd : 0,
      sums,
      at(args.dz),
      room.parts,
      room.tables,
      half,
      work.chunkCount,
      work.splitCount,
      own ? 1 : 0,
    ];
    to.call('attendScores', work.chunkCount, list);
    to.call('mergeScores', merges, list);
    const total = (out: Floats, length: number, first: number) =>
      to.call('sumTables', 1, [length, first, room.tables, scoreTables, scoreBytes, at(out)]);
    total(args.db, scored, 0);
    total(args.daSource, H, scored);
    if (own) total(args.daTarget, H, scored + H);
  },

  foldScores(to, { rows, h, w, aSource, aTarget, s, d }) {
    to.scratch(4 * 32);
    const folded = to.parts(2 * H * ROW);
    foldWeights(to, w, aSource, aTarget, folded);
    to.call('foldScores', chunksOf(rows), [rows, CHUNK_ROWS, at(h), folded, at(s), at(d)]);
  },

  foldAttend(to, { entries, wanted, h, w, s, d, b, c, pre, residual, bias, out, slope, trace, sums }) {
    const work = entries.workOfFolding;
    const partBytes = 48 + ROW + HEADS * ROW;
    to.scratch(partBytes + SEGMENT_ENTRIES * (32 + 32)); // logits, runs
    const [merges, head] = workArguments(work);
    const args = [
      ...head,
      at(entries.neighbours),
      at(entries.relations),
      at(h),
      at(s),
      at(d),
      at(b),
      at(c),
      at(pre),
      at(out),
      at(slope),
      at(trace?.peak ?? null),
      at(trace?.inverse ?? null),
      to.parts(work.partCount * partBytes),
      work.splitCount,
      residual,
      0,
      0,
      at(wanted),
      at(bias),
      at(w),
      at(trace === null ? null : sums),
    ];
    to.call('foldAttend', work.chunkCount, args);
    to.call('mergeFolded', merges, args);
  },

  foldGradient(to, { rows, dPre, w, sums, dw }) {
    const size = partRows(rows);
    const chunks = Math.ceil(rows / size);
    const parts = to.parts(chunks * H * ROW);
    to.call('foldGradWeights', chunks, [rows, size, at(sums), at(dPre), parts]);
    sumParts(to, dw, H * H, [parts, chunks, H * H]);
    to.call('transpose', 1, [at(w), to.transposed]);
    to.call('foldGradient', chunksOf(rows), [rows, CHUNK_ROWS, at(dPre), to.transposed, at(sums)]);
  },

  foldAttendGrad(to, args) {
    const { entries, rows, trace, dw, h, w, dz, dPre } = args;
    const { work, half, folding, multiplied, neighbours, relations } = entries;
    const [merges, head] = workArguments(work);
    const [wide, scored] = [2 * half * H, 2 * half * HEADS];
    const scoreBytes = scored * 8 + H * 64;
    const scoreTables = work.chunkCount + merges;
    const size = partRows(multiplied);
    const chunks = Math.ceil(multiplied / size);
    // Some of dc, and of a batch weights and products; a part of a long row; rows finished together; dÂ; dW of a section.
    to.scratch(Math.max(wide * 4 + 16 * (16 + 64), 32 * (4 + 64) + 32, H * 64, (64 + H + 1) * ROW));
    const room = layOut(to, {
      weights: neighbours.length * 64,
      inner: rows * 64,
      records: rows * 64,
      dd: rows * 32,
      sums: rows * ROW,
      parts: work.partCount * Math.max(2 * ROW, 128),
      tables: Math.max(work.chunkCount * wide * 4, scoreTables * scoreBytes),
      relations: folding * 2 * half * 32,
      folded: 2 * H * ROW,
      products: chunks * (H + 1) * ROW,
    });
    foldWeights(to, w, args.aSource, args.aTarget, room.folded);
    const lists = [at(neighbours), at(relations)];
    to.call('attendPrepare', chunksOf(rows), [
      rows,
      CHUNK_ROWS,
      at(args.d),
      at(trace.peak),
      at(trace.inverse),
      room.records,
    ]);
    const ofRelations = [folding, CHUNK_ROWS, at(dPre), at(args.c), 2 * half, room.relations];
    to.call('foldRelations', chunksOf(folding), ofRelations);
    const weighted = [
      ...head,
      ...lists,
      at(args.z),
      at(args.s),
      at(args.b),
      at(args.c),
      at(dPre),
      room.records,
      at(dz),
      room.weights,
      room.parts,
      room.tables,
      half,
      work.splitCount,
      1,
      at(entries.foldedEnds),
      multiplied,
      at(h),
      at(args.g),
      room.relations,
      room.sums,
    ];
    to.call('foldGrad', work.chunkCount, weighted);
    to.call('mergeFoldGrad', merges, weighted);
    const tables: [number, number, number] = [room.tables, work.chunkCount, wide];
    sumParts(to, args.dc, wide, tables);
    const inner = [
      ...head,
      at(entries.places),
      room.weights,
      room.inner,
      room.dd,
      room.parts,
      work.splitCount,
      1,
      folding,
      at(relations),
      at(dPre),
      room.tables,
      half,
    ];
    to.call('attendInner', work.chunkCount, inner);
    to.call('mergeInner', merges, inner);
    sumParts(to, args.dc, wide, tables, 0, true);
    // h is used up by what comes last.
    to.call('linearGradWeights', chunks, [multiplied, size, at(h), at(dz), room.products, 0]);
    sumParts(to, dw, H * H, [room.products, chunks, (H + 1) * H], 0, true);
    const list = [
      ...head,
      ...lists,
      room.weights,
      room.inner,
      room.dd,
      room.parts,
      room.tables,
      at(h),
      room.sums,
      room.folded + H * ROW,
      0,
      0,
      half,
      work.chunkCount,
      work.splitCount,
      1,
    ];
    to.call('foldScoresGrad', work.chunkCount, list);
    to.call('mergeFoldScores', merges, list);
    to.call('sumTables', 1, [scored, 0, room.tables, scoreTables, scoreBytes, at(args.db)]);
    to.call('foldWeightsGrad', 1, [
      room.tables,
      scoreTables,
      scoreBytes,
      scored * 8,
      at(w),
      at(args.aSource),
      at(args.aTarget),
      at(dw),
      at(args.daSource),
      at(args.daTarget),
    ]);
  },

  scoresGrad(to, { rows, z, a, dd, dz, da }) {
    const size = partRows(rows);
    const chunks = Math.ceil(rows / size);
    const parts = to.parts(chunks * ROW);
    to.call('scoresGrad', chunks, [rows, size, at(z), at(a), at(dd), at(dz), parts]);
    sumParts(to, da, H, [parts, chunks, H]);
  },

  prelu(to, { rows, pre, slope, out }) {
    to.call('prelu', chunksOf(rows), [rows, CHUNK_ROWS, at(pre), at(slope), at(out)]);
  },

  preluGrad(to, { rows, pre, slope, dh, dSlope }) {
    const chunks = chunksOf(rows);
    const parts = to.parts(16 * chunks);
    to.call('preluGrad', chunks, [rows, CHUNK_ROWS, at(dh), at(pre), at(slope), parts]);
    // Two lanes a chunk, each a part of the one sum.
    to.call('sumTables', 1, [1, 0, parts, 2 * chunks, 8, at(dSlope)]);
  },

  segmentSum(to, { work, entries, slots, from, fromScale, scale, out, add }) {
    to.scratch(ROW + 4 * SEGMENT_ENTRIES + 16);
    const [merges, head] = workArguments(work);
    const args = [
      ...head,
      at(entries),
      at(slots),
      at(from),
      at(scale),
      at(out),
      to.parts(work.partCount * ROW),
      work.splitCount,
      at(fromScale),
      add ? 1 : 0,
    ];
    to.call('segmentSum', work.chunkCount, args);
    to.call('mergeSegments', merges, args);
  },

  adam(to, args) {
    const { length } = args.parameters;
    to.call('adam', Math.ceil(length / ADAM_FLOATS), [
      length,
      at(args.parameters),
      at(args.gradient),
      at(args.firstMoment),
      at(args.secondMoment),
      ...[args.learningRate, 0.9, 0.999, 1e-8, args.weightDecay].map((float) => ({ float })),
      ...[1 / (1 - 0.9 ** args.step), 1 / (1 - 0.999 ** args.step), args.scale, 0.1, 0.001].map((float) => ({
        float,
      })),
    ]);
  },
};

/** Chunks of the second pass over long rows, and the first four arguments of both. */
function workArguments(work: WorkList<Integers>): [number, number[]] {
  const perChunk = Math.max(1, Math.ceil(work.splitCount / MOST_PARTS));
  return [
    Math.ceil(work.splitCount / perChunk),
    [at(work.segments), at(work.bounds), at(work.split), perChunk],
  ];
}
