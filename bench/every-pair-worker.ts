import { serveCrew } from '../dist/compute/wasm/crew.js';
import { loadEveryPair } from './every-pair.js';

// One thread of `EveryPair`: takes pieces of each job until none is left.
serveCrew(({ build, memory }) => {
  const kernel = loadEveryPair(build, memory);
  return ([job, scratch, scratchBytes], thread) => kernel(job, (scratch >>> 0) + thread * scratchBytes);
});
