import type { Floats, Integers } from '../device.js';

/** Where a buffer of the WASM device starts in the shared memory. */
export interface Addressed {
  readonly address: number;
}

/** The address of a buffer; 0 for null. */
export function addressOf(buffer: Floats | Integers | null): number {
  return buffer === null ? 0 : (buffer as (Floats | Integers) & Addressed).address;
}
