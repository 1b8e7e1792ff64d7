// Beside what src/ingest/webassembly.d.ts declares.
declare namespace WebAssembly {
  interface Memory {
    grow(pages: number): number;
  }
  function validate(bytes: Uint8Array): boolean;
}
