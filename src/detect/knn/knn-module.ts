import { type Build, instantiate } from '../../compute/wasm/kernel-module.js';

const FILES: Record<Build, string> = { simd: './knn.wasm', 'relaxed-simd': './knn-relaxed.wasm' };

/** The functions of kernels/knn.ts. Threads name them by index. */
export const OPERATIONS = ['rotate', 'assignCells', 'screen', 'exact'] as const;
export type Operation = (typeof OPERATIONS)[number];

export type KnnKernels = Record<Operation, (setup: number, job: number, scratch: number) => void>;

export function loadKnnKernels(build: Build, memory: WebAssembly.Memory): KnnKernels {
  return instantiate(new URL(FILES[build], import.meta.url), memory) as unknown as KnnKernels;
}
