import { readFileSync, writeFileSync } from 'node:fs';

/** Flips one bit of a file, as a failing disk or memory does. */
export function flipBit(path: string, bit: number): void {
  const bytes = readFileSync(path);
  bytes[bit >> 3] ^= 1 << (bit & 7);
  writeFileSync(path, bytes);
}
