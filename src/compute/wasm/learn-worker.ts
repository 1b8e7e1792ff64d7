import { loadKernels } from './kernel-module.js';
import { serveKernelThread } from './kernel-threads.js';
import { TASK } from './learn-threads.js';

serveKernelThread(({ build, memory }) => {
  const kernels = loadKernels(build, memory);
  return (task, thread) => {
    // Addresses are unsigned.
    const scratch = (task[TASK.scratch] >>> 0) + thread * task[TASK.scratchBytes];
    kernels.execute(task[TASK.list], task[TASK.count], scratch, task[TASK.failedAt]);
  };
});
