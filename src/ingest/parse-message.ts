import { Batch } from './batch.js';
import { ScanMemory } from './json-scan.js';
import type { ReaderOptions } from './reader.js';

/** What a parse thread is started with: its memory is shared with the thread that fills the blocks. */
export interface ParseSetup {
  memory: WebAssembly.Memory;
  blockBytes: number;
  blocks: number;
  options: ReaderOptions;
}

export interface ParseJob {
  format: string;
  block: number;
  length: number;
}

export interface ParseResult {
  block: number;
  batch: Record<string, unknown>;
}

export function reviveMemory(setup: ParseSetup): ScanMemory {
  return new ScanMemory(setup.blockBytes, setup.blocks, setup.memory);
}

/** A batch as a message: its columns are handed over, not copied. */
export function packBatch(block: number, batch: Batch): { message: ParseResult; transfer: ArrayBuffer[] } {
  const fields: Record<string, unknown> = {};
  const buffers = new Set<ArrayBuffer>();
  for (const [name, value] of Object.entries(batch)) {
    fields[name] = value;
    if (ArrayBuffer.isView(value) && value.byteLength > 0) buffers.add(value.buffer as ArrayBuffer);
  }
  return { message: { block, batch: fields }, transfer: [...buffers] };
}

export function unpackBatch(fields: Record<string, unknown>): Batch {
  return Object.assign(new Batch(), fields);
}
