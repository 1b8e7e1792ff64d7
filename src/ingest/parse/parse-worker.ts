import { parentPort, workerData } from 'node:worker_threads';
import { Batch } from '../batch.js';
import { kernelModule, type ScanMemory } from '../scan/json-scan.js';
import { BlockParser } from './block-parser.js';
import { type ParseJob, type ParseSetup, packBatch, reviveMemory } from './parse-message.js';

// A thread of the parse pool. It parses one block at a time and sends the batch back.
const setup = workerData as ParseSetup;
kernelModule(setup.kernel);
const memory: ScanMemory = reviveMemory(setup);
const parser = new BlockParser(memory, setup.options);
const batch = new Batch();

parentPort?.on('message', (job: ParseJob) => {
  batch.clear();
  parser.parse(job.format, job.block, job.length, batch);
  const result = packBatch(job.block, batch);
  parentPort?.postMessage(result, [result.columns]);
});
