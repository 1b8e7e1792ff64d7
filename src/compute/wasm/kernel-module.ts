import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

export type Build = 'simd' | 'relaxed-simd';

const FILES: Record<Build, string> = { simd: './learn.wasm', 'relaxed-simd': './learn-relaxed.wasm' };
const compiled = new Map<string, WebAssembly.Module>();

/** Chooses relaxed SIMD if the engine supports it: fused multiply-add is up to 1.5 times as fast. */
export function chooseBuild(portable: boolean): Build {
  if (portable) return 'simd';
  const bytes = readFileSync(new URL(FILES['relaxed-simd'], import.meta.url));
  if (!WebAssembly.validate(bytes) && process.versions.v8.startsWith('11.')) {
    // Node 20 needs a flag. Other engines would warn about it on stderr.
    setFlagsFromString('--experimental-wasm-relaxed-simd');
  }
  return WebAssembly.validate(bytes) ? 'relaxed-simd' : 'simd';
}

export interface LearnKernels {
  execute(list: number, count: number, scratch: number, failed: number): void;
}

export function loadKernels(build: Build, memory: WebAssembly.Memory): LearnKernels {
  return instantiate(new URL(FILES[build], import.meta.url), memory) as unknown as LearnKernels;
}

/** Instantiates a WebAssembly file with this memory. Each file is compiled only once. */
export function instantiate(file: URL, memory: WebAssembly.Memory): Record<string, unknown> {
  let module = compiled.get(file.href);
  if (module === undefined) {
    module = new WebAssembly.Module(readFileSync(file));
    compiled.set(file.href, module);
  }
  return new WebAssembly.Instance(module, { env: { memory } }).exports;
}
