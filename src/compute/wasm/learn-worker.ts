import { serveCrew } from './crew.js';
import { loadKernels } from './kernel-module.js';
import { ORDERS } from './thread-pool.js';

// One thread of the pool: runs through each list together with the others.
serveCrew(({ build, memory }) => {
  const kernels = loadKernels(build, memory);
  return (orders, thread) => {
    // Addresses are unsigned.
    const scratch = (orders[ORDERS.scratch] >>> 0) + thread * orders[ORDERS.scratchBytes];
    kernels.execute(orders[ORDERS.list], orders[ORDERS.count], scratch, orders[ORDERS.failedAt]);
  };
});
