import { readFileSync } from 'node:fs';
import type { Build } from '../../compute/wasm/kernel-module.js';

const FILES: Record<Build, string> = { simd: './knn.wasm', 'relaxed-simd': './knn-relaxed.wasm' };
const compiled = new Map<Build, WebAssembly.Module>();

/** The functions of kernels/knn.ts, by number. */
export const OPERATIONS = ['rotate', 'settle', 'screen', 'exact', 'brute'] as const;
export type Operation = (typeof OPERATIONS)[number];

export type KnnKernels = Record<Operation, (setup: number, job: number, scratch: number) => void>;

export function loadKnnKernels(build: Build, memory: WebAssembly.Memory): KnnKernels {
  let module = compiled.get(build);
  if (module === undefined) {
    module = new WebAssembly.Module(readFileSync(new URL(FILES[build], import.meta.url)));
    compiled.set(build, module);
  }
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as KnnKernels;
}
