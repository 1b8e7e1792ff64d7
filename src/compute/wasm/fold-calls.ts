import { SEGMENT_ENTRIES } from '../work-list.js';
import {
  type Calls,
  CHUNK_ROWS,
  chunksOf,
  divideParts,
  divideRows,
  H,
  HEADS,
  ROW,
  sumParts,
  workArguments,
} from './kernel-call.js';

type Name = 'foldScores' | 'foldAttend' | 'foldGradient' | 'foldAttendGrad';

export const FOLD_CALLS: Pick<Calls, Name> = {
  foldScores(queue, { rows, h, w, aSource, aTarget, s, d }) {
    queue.reserveScratch(4 * 32);
    const aHat = queue.reserveParts(2 * H * ROW);
    queue.add('foldWeights', 1, [w, aSource, aTarget, aHat, aHat + H * ROW]);
    queue.add('foldScores', chunksOf(rows), [rows, CHUNK_ROWS, h, aHat, s, d]);
  },

  foldAttend(queue, { entries, wanted, h, w, s, d, b, c, pre, residual, bias, out, slope, trace, sums }) {
    const work = entries.foldedWork;
    const partBytes = 48 + ROW + HEADS * ROW;
    queue.reserveScratch(partBytes + SEGMENT_ENTRIES * (32 + 32)); // logits and runs of relations
    const { mergeChunks, workArgs } = workArguments(work);
    const args = [
      ...workArgs,
      entries.neighbours,
      entries.relations,
      h,
      s,
      d,
      b,
      c,
      pre,
      out,
      slope,
      trace?.peak ?? null,
      trace?.inverse ?? null,
      queue.reserveParts(work.partCount * partBytes),
      work.splitCount,
      residual,
      null,
      0,
      wanted,
      bias,
      w,
      trace === null ? null : sums,
      entries.relations,
    ];
    queue.add('foldAttend', work.chunkCount, args);
    queue.add('mergeFolded', mergeChunks, args);
  },

  foldGradient(queue, { rows, dPre, w, sums, dw }) {
    const { size, chunks } = divideRows(rows);
    const address = queue.reserveParts(chunks * H * ROW);
    queue.add('foldGradWeights', chunks, [rows, size, sums, dPre, address]);
    sumParts(queue, { address, chunks, stride: H * H }, { out: dw, length: H * H });
    queue.add('transpose', 1, [w, queue.transposed]);
    queue.add('foldGradient', chunksOf(rows), [rows, CHUNK_ROWS, dPre, queue.transposed, sums]);
  },

  foldAttendGrad(queue, args) {
    const { entries, rows, trace, dw, h, w, dz, dPre } = args;
    const { work, half, foldedCount, projectedCount, neighbours, relations } = entries;
    const { mergeChunks, workArgs } = workArguments(work);
    const tableLength = 2 * half * H;
    const scoreLength = 2 * half * HEADS;
    const scoreBytes = scoreLength * 8 + H * 64;
    const scoreTables = work.chunkCount + mergeChunks;
    const { size, chunks } = divideRows(projectedCount);
    queue.reserveScratch(
      Math.max(
        tableLength * 4 + 16 * (16 + 64), // a section of dc, the weights and products of a batch
        32 * (4 + 64) + 32, // rows that are finished together
        H * 64, // dÂ
        (64 + H + 1) * ROW, // a section of dW
      ),
    );
    const memory = divideParts(queue, {
      weights: neighbours.length * 64,
      inner: rows * 64,
      records: rows * 64,
      dd: rows * 32,
      sums: rows * ROW,
      parts: work.partCount * Math.max(2 * ROW, 128),
      tables: Math.max(work.chunkCount * tableLength * 4, scoreTables * scoreBytes),
      relations: foldedCount * 2 * half * 32,
      aHat: 2 * H * ROW,
      products: chunks * (H + 1) * ROW,
    });
    const aHatTransposed = memory.aHat + H * ROW;
    queue.add('foldWeights', 1, [w, args.aSource, args.aTarget, memory.aHat, aHatTransposed]);
    queue.add('attendPrepare', chunksOf(rows), [
      rows,
      CHUNK_ROWS,
      args.d,
      trace.peak,
      trace.inverse,
      memory.records,
      null,
    ]);
    queue.add('foldRelations', chunksOf(foldedCount), [
      foldedCount,
      CHUNK_ROWS,
      dPre,
      args.c,
      2 * half,
      memory.relations,
    ]);
    const sumArgs = [
      ...workArgs,
      neighbours,
      relations,
      args.z,
      args.s,
      args.b,
      args.c,
      dPre,
      memory.records,
      dz,
      memory.weights,
      memory.parts,
      memory.tables,
      half,
      work.splitCount,
      null,
      entries.foldedEnds,
      projectedCount,
      h,
      args.g,
      memory.relations,
      memory.sums,
    ];
    queue.add('foldGrad', work.chunkCount, sumArgs);
    queue.add('mergeFoldGrad', mergeChunks, sumArgs);
    const tables = { address: memory.tables, chunks: work.chunkCount, stride: tableLength };
    sumParts(queue, tables, { out: args.dc, length: tableLength });
    const innerArgs = [
      ...workArgs,
      entries.places,
      memory.weights,
      memory.inner,
      memory.dd,
      memory.parts,
      work.splitCount,
      true,
      foldedCount,
      relations,
      dPre,
      memory.tables,
      half,
    ];
    queue.add('attendInner', work.chunkCount, innerArgs);
    queue.add('mergeInner', mergeChunks, innerArgs);
    sumParts(queue, tables, { out: args.dc, length: tableLength, add: true });
    // Before the score gradients, which overwrite h.
    queue.add('linearGradWeights', chunks, [projectedCount, size, h, dz, memory.products, null]);
    const products = { address: memory.products, chunks, stride: (H + 1) * H };
    sumParts(queue, products, { out: dw, length: H * H, add: true });
    const scoreArgs = [
      ...workArgs,
      neighbours,
      relations,
      memory.weights,
      memory.inner,
      memory.dd,
      memory.parts,
      memory.tables,
      h,
      memory.sums,
      aHatTransposed,
      0,
      0,
      half,
      work.chunkCount,
      work.splitCount,
    ];
    queue.add('foldScoresGrad', work.chunkCount, scoreArgs);
    queue.add('mergeFoldScores', mergeChunks, scoreArgs);
    queue.add('sumTables', 1, [scoreLength, 0, memory.tables, scoreTables, scoreBytes, args.db]);
    queue.add('foldWeightsGrad', 1, [
      memory.tables,
      scoreTables,
      scoreBytes,
      scoreLength * 8,
      w,
      args.aSource,
      args.aTarget,
      dw,
      args.daSource,
      args.daTarget,
    ]);
  },
};
