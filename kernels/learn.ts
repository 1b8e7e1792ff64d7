// The learning kernels in AssemblyScript; src/compute/wasm/ calls them. Every thread runs the same list of commands over
// one shared memory. It takes chunks of a command until none is left, waits until all chunks are done, and continues with
// the next command. The work of a chunk and its place in memory do not depend on the threads, so results are the same
// bytes every time.

import { attend, mergeAttention, prelu, redirect, scores } from './learn/attention';
import { attendGrad, attendPrepare, mergeAttentionGrad, preluGrad } from './learn/attention-grad';
import { attendInner, attendScores, mergeInner, mergeScores, scoresGrad, sumTables } from './learn/attention-scores';
import { adam } from './learn/adam';
import { cosineLoss, decoderGrad, gram } from './learn/cosine';
import {
  foldGrad, foldGradWeights, foldRelations, foldScoresGrad, foldWeightsGrad, mergeFoldGrad, mergeFoldScores,
} from './learn/fold-grad';
import { foldAttend, foldGradient, foldScores, foldWeights, mergeFolded } from './learn/fold';
import { addInto, fill, linear, linearGradInput, linearGradWeights, sumParts, sumRows, transpose } from './learn/gemm';
import {
  headGradInput, headLinear, headLinearGrad, sparseHeads, sparseHeadsGrad, tokenHeads, tokenHeadsGrad,
} from './learn/heads';
import { mergeRelationScores, relationScores } from './learn/relation-scores';
import { mergeSegments, segmentSum } from './learn/segments';
import { sparseLinear, sparseLinearGrad, tokenGrad, tokenLinear } from './learn/sparse';

// A command: operation, chunks, chunks taken, chunks done, arguments.
const COMMAND: usize = 128;
const CHUNKS: usize = 4;
const TAKEN: usize = 8;
const DONE: usize = 12;
const ARGS: usize = 16;
const SPINS: i32 = 20000;
const WAIT_NANOSECONDS: i64 = 50_000_000;

/** `failed` is the address of an integer that a thread sets when it fails. */
export function execute(list: usize, count: i32, scratch: usize, failed: usize): void {
  for (let i = 0; i < count; i++) {
    const command = list + <usize>i * COMMAND;
    const chunks = load<i32>(command, CHUNKS);
    while (true) {
      const chunk = atomic.add<i32>(command + TAKEN, 1);
      if (chunk >= chunks) break;
      perform(load<i32>(command), command + ARGS, <usize>chunk, scratch);
      if (atomic.add<i32>(command + DONE, 1) == chunks - 1) atomic.notify(command + DONE, -1);
    }
    let spins = 0;
    while (true) {
      const done = atomic.load<i32>(command + DONE);
      if (done >= chunks) break;
      if (atomic.load<i32>(failed) != 0) return;
      if (++spins > SPINS) atomic.wait<i32>(command + DONE, done, WAIT_NANOSECONDS);
    }
  }
}

/** The operations have the order of OPERATIONS in src/compute/wasm/operations.ts. */
function perform(operation: i32, args: usize, chunk: usize, scratch: usize): void {
  switch (operation) {
    case 0: fill(args, chunk); break;
    case 1: sumParts(args, chunk); break;
    case 2: transpose(args); break;
    case 3: linear(args, chunk, scratch); break;
    case 4: linearGradInput(args, chunk, scratch); break;
    case 5: linearGradWeights(args, chunk, scratch); break;
    case 6: tokenLinear(args); break;
    case 7: sparseLinear(args, chunk, scratch); break;
    case 8: sparseLinearGrad(args, chunk, scratch); break;
    case 9: tokenGrad(args); break;
    case 10: scores(args, chunk); break;
    case 11: attend(args, chunk, scratch); break;
    case 12: mergeAttention(args, chunk, scratch); break;
    case 13: attendPrepare(args, chunk); break;
    case 14: attendGrad(args, chunk, scratch); break;
    case 15: mergeAttentionGrad(args, chunk); break;
    case 16: preluGrad(args, chunk); break;
    case 17: segmentSum(args, chunk, scratch); break;
    case 18: mergeSegments(args, chunk, scratch); break;
    case 19: gram(args, chunk); break;
    case 20: cosineLoss(args, chunk, scratch); break;
    case 21: decoderGrad(args, chunk, scratch); break;
    case 22: adam(args, chunk); break;
    case 23: scoresGrad(args, chunk, scratch); break;
    case 24: prelu(args, chunk); break;
    case 25: addInto(args, chunk); break;
    case 26: attendInner(args, chunk, scratch); break;
    case 27: mergeInner(args, chunk, scratch); break;
    case 28: attendScores(args, chunk, scratch); break;
    case 29: mergeScores(args, chunk, scratch); break;
    case 30: sumTables(args); break;
    case 31: redirect(args, chunk); break;
    case 32: sumRows(args, chunk, scratch); break;
    case 33: foldWeights(args); break;
    case 34: foldScores(args, chunk, scratch); break;
    case 35: foldAttend(args, chunk, scratch); break;
    case 36: mergeFolded(args, chunk, scratch); break;
    case 37: foldGradient(args, chunk); break;
    case 38: foldRelations(args, chunk); break;
    case 39: foldGrad(args, chunk, scratch); break;
    case 40: mergeFoldGrad(args, chunk, scratch); break;
    case 41: foldScoresGrad(args, chunk, scratch); break;
    case 42: mergeFoldScores(args, chunk, scratch); break;
    case 43: foldGradWeights(args, chunk); break;
    case 44: foldWeightsGrad(args, chunk, scratch); break;
    case 45: relationScores(args, chunk, scratch); break;
    case 46: mergeRelationScores(args, chunk, scratch); break;
    case 47: headLinear(args, chunk); break;
    case 48: headLinearGrad(args, chunk, scratch); break;
    case 49: headGradInput(args, chunk, scratch); break;
    case 50: tokenHeads(args); break;
    case 51: sparseHeads(args, chunk, scratch); break;
    case 52: sparseHeadsGrad(args, chunk, scratch); break;
    case 53: tokenHeadsGrad(args); break;
    default: unreachable();
  }
}
