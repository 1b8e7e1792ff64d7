import { parentPort, workerData } from 'node:worker_threads';
import { loadKnnKernels, OPERATIONS } from './knn-module.js';
import { CLOSED, CONTROL, controlWords, type ThreadSetup } from './search-threads.js';

// One thread of a search: waits for a job, takes pieces of it until none is left, and says so.
const { memory, build, control: address, thread } = workerData as ThreadSetup;
const kernels = loadKnnKernels(build, memory);
const control = controlWords(memory, address);
let round = Atomics.load(control, CONTROL.round);
parentPort?.postMessage('ready');

for (;;) {
  Atomics.wait(control, CONTROL.round, round);
  round = Atomics.load(control, CONTROL.round);
  const operation = control[CONTROL.operation];
  if (operation === CLOSED) break;
  // Addresses are unsigned.
  const scratch = (control[CONTROL.scratch] >>> 0) + thread * control[CONTROL.scratchBytes];
  try {
    kernels[OPERATIONS[operation]](control[CONTROL.setup], control[CONTROL.job], scratch);
  } catch {
    Atomics.store(control, CONTROL.failed, 1);
  }
  Atomics.add(control, CONTROL.parked, 1);
  Atomics.notify(control, CONTROL.parked);
}
