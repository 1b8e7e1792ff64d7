import { parentPort, workerData } from 'node:worker_threads';
import { loadKernels } from './kernel-module.js';
import { CLOSED, CONTROL, controlWords, type ThreadSetup } from './thread-pool.js';

// One thread of the pool: waits for a list, runs through it together with the others, and says that it is done.
const { memory, build, control: address, thread } = workerData as ThreadSetup;
const kernels = loadKernels(build, memory);
const control = controlWords(memory, address);
let round = Atomics.load(control, CONTROL.round);
parentPort?.postMessage('ready');

for (;;) {
  Atomics.wait(control, CONTROL.round, round);
  round = Atomics.load(control, CONTROL.round);
  const count = control[CONTROL.count];
  if (count === CLOSED) break;
  // Addresses are unsigned.
  const scratch = (control[CONTROL.scratch] >>> 0) + thread * control[CONTROL.scratchBytes];
  try {
    kernels.execute(control[CONTROL.list], count, scratch, address + 4 * CONTROL.failed);
  } catch {
    Atomics.store(control, CONTROL.failed, 1);
  }
  Atomics.add(control, CONTROL.parked, 1);
  Atomics.notify(control, CONTROL.parked);
}
