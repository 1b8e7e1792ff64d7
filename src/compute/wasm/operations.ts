import type { Floats, Integers } from '../device.js';
import { addressOf } from './device-buffer.js';

/** The operations of kernels/learn.ts, by number. A kernel of the device consists of one or more operations. */
export const OPERATIONS = [
  'fill',
  'sumParts',
  'transpose',
  'linear',
  'linearGradInput',
  'linearGradWeights',
  'tokenLinear',
  'sparseLinear',
  'sparseLinearGrad',
  'tokenGrad',
  'scores',
  'attend',
  'mergeAttention',
  'attendPrepare',
  'attendGrad',
  'mergeAttentionGrad',
  'preluGrad',
  'segmentSum',
  'mergeSegments',
  'gram',
  'cosineLoss',
  'decoderGrad',
  'adam',
  'scoresGrad',
  'prelu',
  'addInto',
  'attendInner',
  'mergeInner',
  'attendScores',
  'mergeScores',
  'sumTables',
  'redirect',
  'sumRows',
  'foldWeights',
  'foldScores',
  'foldAttend',
  'mergeFolded',
  'foldGradient',
  'foldRelations',
  'foldGrad',
  'mergeFoldGrad',
  'foldScoresGrad',
  'mergeFoldScores',
  'foldGradWeights',
  'foldWeightsGrad',
  'relationScores',
  'mergeRelationScores',
  'headLinear',
  'headLinearGrad',
  'headGradInput',
  'tokenHeads',
  'sparseHeads',
  'sparseHeadsGrad',
  'tokenHeadsGrad',
] as const;

export type Operation = (typeof OPERATIONS)[number];

/** An argument: an integer, a float, a flag, or a buffer, which is passed by address. Null is the address 0. */
export type Argument = number | boolean | null | Floats | Integers | { readonly float: number };

/** One entry of the list that all threads run through. */
export interface Command {
  readonly operation: Operation;
  readonly chunks: number;
  readonly args: readonly Argument[];
}

/** In units of 32 bits: operation, chunks, chunks taken, chunks done, then the arguments. */
const COMMAND_LENGTH = 32;
const FIRST_ARGUMENT = 4;
export const COMMAND_BYTES = 4 * COMMAND_LENGTH;

export function writeCommands(memory: ArrayBufferLike, address: number, commands: readonly Command[]): void {
  const integers = new Uint32Array(memory, address, commands.length * COMMAND_LENGTH);
  const floats = new Float32Array(memory, address, commands.length * COMMAND_LENGTH);
  commands.forEach(({ operation, chunks, args }, i) => {
    const start = i * COMMAND_LENGTH;
    integers.fill(0, start, start + COMMAND_LENGTH);
    integers[start] = OPERATIONS.indexOf(operation);
    integers[start + 1] = chunks;
    args.forEach((value, k) => {
      const at = start + FIRST_ARGUMENT + k;
      if (typeof value === 'object' && value !== null && 'float' in value) floats[at] = value.float;
      else integers[at] = typeof value === 'object' ? addressOf(value) : Number(value);
    });
  });
}
