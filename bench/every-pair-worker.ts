import { serveKernelThread } from '../dist/compute/wasm/kernel-threads.js';
import { loadEveryPair } from './every-pair.js';

// One thread of `EveryPair`.
serveKernelThread(({ build, memory }) => {
  const kernel = loadEveryPair(build, memory);
  return ([job, scratch, scratchBytes], thread) => kernel(job, (scratch >>> 0) + thread * scratchBytes);
});
