import { parentPort, workerData } from 'node:worker_threads';
import { Batch } from '../batch.js';
import type { Format } from '../formats/reader.js';
import { kernelModule, type ScanMemory } from '../scan/json-scan.js';
import { BlockParser } from './block-parser.js';
import {
  type FormatPlace,
  type ParseJob,
  type ParseSetup,
  packBatch,
  reviveMemory,
} from './parse-message.js';

// A thread of the parse pool. It parses one block at a time and sends the batch back. It loads the code of a format when it
// first needs it, because loading all formats takes longer than parsing some blocks.
const setup = workerData as ParseSetup;
kernelModule(setup.kernel);
const memory: ScanMemory = reviveMemory(setup);
const parser = new BlockParser(memory, setup.options);
const batch = new Batch();
const formats = new Map<string, Promise<Format>>();

function load({ name, module }: FormatPlace): Promise<Format> {
  let format = formats.get(name);
  if (format === undefined) {
    format = import(module).then((exports: Record<string, Format>) => exports[name]);
    formats.set(name, format);
  }
  return format;
}

async function parse(job: ParseJob): Promise<void> {
  const format = await load(job.format);
  batch.clear();
  parser.parse(format, job.block, job.length, batch);
  const result = packBatch(job.block, batch, job.memory);
  parentPort?.postMessage(result, [result.columns]);
}

if (setup.format !== undefined) void load(setup.format);
// A rejection ends the thread, as any other error does.
parentPort?.on('message', (job: ParseJob) => void parse(job));
