import type { Floats } from '../device.js';
import { SEGMENT_ENTRIES } from '../work-list.js';
import { addressOf } from './device-buffer.js';
import {
  type Calls,
  CHUNK_ROWS,
  COPY_LENGTH,
  chunksOf,
  divideParts,
  H,
  HEADS,
  ROW,
  sumParts,
  workArguments,
} from './kernel-call.js';

type Name = 'scores' | 'redirect' | 'attend' | 'attendGrad';

export const ATTENTION_CALLS: Pick<Calls, Name> = {
  scores(queue, { rows, z, aSource, aTarget, s, d }) {
    queue.add('scores', chunksOf(rows), [rows, CHUNK_ROWS, z, aSource, aTarget, s, d]);
  },

  redirect(queue, { from, masked, to: row, out }) {
    queue.add('redirect', Math.ceil(from.length / COPY_LENGTH), [from.length, from, masked, row, out]);
  },

  attend(queue, { entries, standIn, wanted, z, s, d, b, c, pre, residual, bias, out, slope, trace }) {
    const { work } = entries;
    const partBytes = 48 + ROW;
    queue.reserveScratch(partBytes + SEGMENT_ENTRIES * (32 + 32)); // logits and runs of relations
    const { mergeChunks, workArgs } = workArguments(work);
    const args = [
      ...workArgs,
      entries.neighbours,
      entries.relations,
      z,
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
      standIn?.masked ?? null,
      standIn?.row ?? 0,
      wanted,
      bias,
      null,
      null,
      entries.relations,
    ];
    queue.add('attend', work.chunkCount, args);
    queue.add('mergeAttention', mergeChunks, args);
  },

  attendGrad(queue, args) {
    const { rows, trace, entries } = args;
    const { work, half } = entries;
    const { mergeChunks, workArgs } = workArguments(work);
    const tableLength = 2 * half * H;
    const scoreLength = 2 * half * HEADS;
    const scoreBytes = (scoreLength + 2 * H) * 8;
    const scoreTables = work.chunkCount + mergeChunks;
    // For a section of dc and the weights and products of a batch, or for a part of a split row.
    queue.reserveScratch(tableLength * 4 + 16 * (16 + 64));
    // z is read until the end, so a dz in its place needs sums elsewhere first.
    const isInPlace = addressOf(args.dz) === addressOf(args.z);
    const memory = divideParts(queue, {
      weights: entries.neighbours.length * 64,
      inner: rows * 64,
      records: rows * 64,
      dd: rows * 32,
      sums: isInPlace ? args.dz.length * 4 : 0,
      parts: work.partCount * Math.max(ROW, 128),
      tables: Math.max(work.chunkCount * tableLength * 4, scoreTables * scoreBytes),
    });
    const sums = isInPlace ? memory.sums : args.dz;
    queue.add('attendPrepare', chunksOf(rows), [
      rows,
      CHUNK_ROWS,
      args.d,
      trace.peak,
      trace.inverse,
      memory.records,
      null,
    ]);
    const sumArgs = [
      ...workArgs,
      entries.neighbours,
      entries.relations,
      args.z,
      args.s,
      args.b,
      args.c,
      args.dPre,
      memory.records,
      sums,
      memory.weights,
      memory.parts,
      memory.tables,
      half,
      work.splitCount,
      null,
    ];
    queue.add('attendGrad', work.chunkCount, sumArgs);
    queue.add('mergeAttentionGrad', mergeChunks, sumArgs);
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
    ];
    queue.add('attendInner', work.chunkCount, innerArgs);
    queue.add('mergeInner', mergeChunks, innerArgs);
    const scoreArgs = [
      ...workArgs,
      entries.neighbours,
      entries.relations,
      memory.weights,
      memory.inner,
      args.z,
      args.aSource,
      args.aTarget,
      memory.dd,
      sums,
      args.dz,
      memory.parts,
      memory.tables,
      half,
      work.chunkCount,
      work.splitCount,
    ];
    queue.add('attendScores', work.chunkCount, scoreArgs);
    queue.add('mergeScores', mergeChunks, scoreArgs);
    const sumTables = (out: Floats, length: number, first: number) =>
      queue.add('sumTables', 1, [length, first, memory.tables, scoreTables, scoreBytes, out]);
    sumTables(args.db, scoreLength, 0);
    sumTables(args.daSource, H, scoreLength);
    sumTables(args.daTarget, H, scoreLength + H);
  },
};
