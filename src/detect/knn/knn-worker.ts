import { serveKernelThread } from '../../compute/wasm/kernel-threads.js';
import { loadKnnKernels, OPERATIONS } from './knn-module.js';
import { TASK } from './search-threads.js';

// A thread of a search. It takes pieces of each job until none is left.
serveKernelThread(({ build, memory }) => {
  const kernels = loadKnnKernels(build, memory);
  return (task, thread) => {
    // Addresses are unsigned.
    const scratch = (task[TASK.scratch] >>> 0) + thread * task[TASK.scratchBytes];
    kernels[OPERATIONS[task[TASK.operation]]](task[TASK.setup], task[TASK.job], scratch);
  };
});
