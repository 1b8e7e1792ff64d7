/**
 * Every WebAssembly module: its AssemblyScript source and the file it compiles to, relative to src/ and dist/. A module
 * with a relaxed build is compiled a second time with relaxed SIMD, to `NAME-relaxed.wasm`.
 */
export const KERNELS = [
  { source: 'kernels/json-scan.ts', wasm: 'ingest/scan/json-scan.wasm', relaxed: false },
  { source: 'kernels/audit-scan.ts', wasm: 'ingest/formats/auditd/audit-scan.wasm', relaxed: false },
  { source: 'kernels/word2vec.ts', wasm: 'features/word2vec.wasm', relaxed: false },
  { source: 'kernels/learn.ts', wasm: 'compute/wasm/learn.wasm', relaxed: true },
  { source: 'kernels/knn.ts', wasm: 'detect/knn/knn.wasm', relaxed: true },
];

/** One entry a compiled file. */
export const WASM_FILES = KERNELS.flatMap(({ source, wasm, relaxed }) => [
  { source, wasm, flags: [] },
  ...(relaxed
    ? [{ source, wasm: wasm.replace('.wasm', '-relaxed.wasm'), flags: ['--enable', 'relaxed-simd'] }]
    : []),
]);
