import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

export type Build = 'simd' | 'relaxed-simd';

const FILES: Record<Build, string> = { simd: './learn.wasm', 'relaxed-simd': './learn-relaxed.wasm' };
const compiled = new Map<Build, WebAssembly.Module>();

function readBuild(build: Build): Uint8Array {
  return readFileSync(new URL(FILES[build], import.meta.url));
}

/** Relaxed SIMD where the engine has it: its fused multiply-add is worth up to half again, and rounds once. */
export function chooseBuild(portable: boolean): Build {
  if (portable) return 'simd';
  const bytes = readBuild('relaxed-simd');
  if (!WebAssembly.validate(bytes) && process.versions.v8.startsWith('11.')) {
    // Node 20 has it behind a flag; engines without the flag would complain about it on stderr.
    setFlagsFromString('--experimental-wasm-relaxed-simd');
  }
  return WebAssembly.validate(bytes) ? 'relaxed-simd' : 'simd';
}

export interface LearnKernels {
  execute(list: number, count: number, scratch: number, failed: number): void;
}

export function loadKernels(build: Build, memory: WebAssembly.Memory): LearnKernels {
  let module = compiled.get(build);
  if (module === undefined) {
    module = new WebAssembly.Module(readBuild(build));
    compiled.set(build, module);
  }
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as LearnKernels;
}
