/** The operations of kernels/learn.ts, by number. A kernel of the device is one or several of them. */
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
] as const;

export type Operation = (typeof OPERATIONS)[number];

/** An argument is a word, or a float written as one. */
export type Argument = number | { float: number };

/** One entry of the list that all threads run through. */
export interface Command {
  readonly operation: Operation;
  readonly chunks: number;
  readonly args: readonly Argument[];
}

/** In 32-bit words: operation, chunks, taken, done, then the arguments. */
const COMMAND_WORDS = 32;
export const COMMAND_BYTES = 4 * COMMAND_WORDS;

export function writeCommands(memory: ArrayBufferLike, address: number, commands: readonly Command[]): void {
  const words = new Uint32Array(memory, address, commands.length * COMMAND_WORDS);
  const floats = new Float32Array(memory, address, commands.length * COMMAND_WORDS);
  commands.forEach(({ operation, chunks, args }, i) => {
    const at = i * COMMAND_WORDS;
    words.fill(0, at, at + COMMAND_WORDS);
    words[at] = OPERATIONS.indexOf(operation);
    words[at + 1] = chunks;
    args.forEach((value, k) => {
      if (typeof value === 'number') words[at + 4 + k] = value;
      else floats[at + 4 + k] = value.float;
    });
  });
}
