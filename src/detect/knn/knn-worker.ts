import { serveCrew } from '../../compute/wasm/crew.js';
import { loadKnnKernels, OPERATIONS } from './knn-module.js';
import { ORDERS } from './search-threads.js';

// One thread of a search: takes pieces of each job until none is left.
serveCrew(({ build, memory }) => {
  const kernels = loadKnnKernels(build, memory);
  return (orders, thread) => {
    // Addresses are unsigned.
    const scratch = (orders[ORDERS.scratch] >>> 0) + thread * orders[ORDERS.scratchBytes];
    kernels[OPERATIONS[orders[ORDERS.operation]]](orders[ORDERS.setup], orders[ORDERS.job], scratch);
  };
});
