import type { Integers } from '../device.js';
import { SEGMENT_ENTRIES } from '../work-list.js';
import {
  type Calls,
  CHUNK_ROWS,
  chunksOf,
  divideParts,
  divideRows,
  featureArguments,
  H,
  HEADS,
  ROW,
  sumParts,
  workArguments,
} from './kernel-call.js';

type Name =
  | 'relationAttend'
  | 'relationAttendGrad'
  | 'headScores'
  | 'headLinear'
  | 'headLinearGrad'
  | 'headGradInput'
  | 'sparseHeads'
  | 'sparseHeadsGrad'
  | 'scoresGrad';

/** Bytes of the four numbers of a row, one per head. */
const FOUR = 4 * HEADS;

/** The kernels of the encoder `rgat`. */
export const RELATION_CALLS: Pick<Calls, Name> = {
  relationAttend(queue, { entries, wanted, z, s, d, pre, residual, bias, out, slope, trace }) {
    const { work, neighbours, relations } = entries.incoming;
    const partBytes = 48 + ROW;
    queue.reserveScratch(partBytes + SEGMENT_ENTRIES * (32 + 32)); // logits and runs of relations
    const { mergeChunks, workArgs } = workArguments(work);
    const args = [
      ...workArgs,
      neighbours,
      relations,
      z,
      s,
      null,
      d,
      null,
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
      null,
      null,
      entries.targets,
    ];
    queue.add('attend', work.chunkCount, args);
    queue.add('mergeAttention', mergeChunks, args);
  },

  relationAttendGrad(queue, { entries, rows, z, s, d, trace, dPre, dz, ds, dd }) {
    const { incoming, outgoing, nodes } = entries;
    const { work } = outgoing;
    const { mergeChunks, workArgs } = workArguments(work);
    const inner = workArguments(incoming.work);
    // The tables b, c and dc have one row, which b and c share.
    const tableLength = 2 * H;
    queue.reserveScratch(tableLength * 4 + 16 * (16 + 64));
    const memory = divideParts(queue, {
      weights: incoming.neighbours.length * 64,
      inner: rows * 64,
      records: nodes.length * 64,
      parts: Math.max(work.partCount * ROW, incoming.work.partCount * 128),
      tables: work.chunkCount * tableLength * 4,
      zero: ROW,
    });
    queue.add('fill', 1, [memory.zero, H, { float: 0 }]);
    queue.add('attendPrepare', chunksOf(nodes.length), [
      nodes.length,
      CHUNK_ROWS,
      d,
      trace.peak,
      trace.inverse,
      memory.records,
      nodes,
    ]);
    const sumArgs = [
      ...workArgs,
      outgoing.neighbours,
      null,
      z,
      s,
      memory.zero,
      memory.zero,
      dPre,
      memory.records,
      dz,
      memory.weights,
      memory.parts,
      memory.tables,
      1,
      work.splitCount,
      outgoing.targets,
    ];
    queue.add('attendGrad', work.chunkCount, sumArgs);
    queue.add('mergeAttentionGrad', mergeChunks, sumArgs);
    const innerArgs = [
      ...inner.workArgs,
      incoming.places,
      memory.weights,
      memory.inner,
      null,
      memory.parts,
      incoming.work.splitCount,
      false,
    ];
    queue.add('attendInner', incoming.work.chunkCount, innerArgs);
    queue.add('mergeInner', inner.mergeChunks, innerArgs);
    const scoreArgs = [
      ...workArgs,
      outgoing.neighbours,
      outgoing.reverses,
      nodes,
      memory.weights,
      memory.inner,
      ds,
      dd,
      memory.parts,
      work.splitCount,
    ];
    queue.add('relationScores', work.chunkCount, scoreArgs);
    queue.add('mergeRelationScores', mergeChunks, scoreArgs);
  },

  headScores(queue, { rows, z, a, out }) {
    queue.add('scores', chunksOf(rows), [rows, CHUNK_ROWS, z, a, null, out, null]);
  },

  headLinear(queue, { rows, x, index, v, out }) {
    queue.add('headLinear', chunksOf(rows), [rows, CHUNK_ROWS, x, v, out, index]);
  },

  headLinearGrad(queue, { rows, x, index, dOut, dv }) {
    queue.reserveScratch(H * FOUR);
    const { size, chunks } = divideRows(rows);
    const address = queue.reserveParts(chunks * H * FOUR);
    queue.add('headLinearGrad', chunks, [rows, size, x, dOut, address, index]);
    sumParts(queue, { address, chunks, stride: H * HEADS }, { out: dv, length: H * HEADS });
  },

  headGradInput(queue, { rows, dOut, v, dx }) {
    queue.reserveScratch(HEADS * ROW);
    queue.add('headGradInput', chunksOf(rows), [rows, CHUNK_ROWS, dOut, v, dx]);
  },

  sparseHeads(queue, { x, index, masked, token, v, out }) {
    const rows = rowsOf(index, x.rows);
    queue.reserveScratch(FOUR * x.width);
    const product = queue.reserveParts(FOUR);
    queue.add('tokenHeads', 1, [x.cols, token, v, product]);
    queue.add('sparseHeads', chunksOf(rows), [
      rows,
      CHUNK_ROWS,
      ...featureArguments(x),
      masked,
      product,
      v,
      out,
      index,
    ]);
  },

  sparseHeadsGrad(queue, { x, index, masked, token, v, dOut, dv, dToken }) {
    const rows = rowsOf(index, x.rows);
    queue.reserveScratch(FOUR * (x.cols + 1 + x.width));
    const { size, chunks } = divideRows(rows);
    const stride = (x.cols + 1) * HEADS;
    const address = queue.reserveParts((chunks * stride + HEADS) * 4);
    const total = address + chunks * stride * 4;
    queue.add('sparseHeadsGrad', chunks, [
      rows,
      size,
      ...featureArguments(x),
      masked,
      dOut,
      address,
      x.cols,
      index,
    ]);
    const parts = { address, chunks, stride };
    sumParts(queue, parts, { out: dv, length: x.cols * HEADS });
    sumParts(queue, parts, { out: total, length: HEADS, first: x.cols * HEADS });
    queue.add('tokenHeadsGrad', 1, [x.cols, token, v, total, dv, dToken]);
  },

  scoresGrad(queue, { rows, z, a, dd, dz, da }) {
    queue.reserveScratch(ROW);
    const { size, chunks } = divideRows(rows);
    const address = queue.reserveParts(chunks * ROW);
    queue.add('scoresGrad', chunks, [rows, size, z, a, dd, dz, address]);
    sumParts(queue, { address, chunks, stride: H }, { out: da, length: H });
  },
};

function rowsOf(index: Integers | null, all: number): number {
  return index?.length ?? all;
}
