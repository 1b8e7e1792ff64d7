import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ScanMemory } from '../../scan/json-scan.js';

/** The memory before the blocks holds the rows, then the numbers of texts. */
const ROWS_AT = 4096;
export const ROWS = 1024;
/** The memory that the rows and the numbers of texts need. */
const ROWS_BYTES = 3 * 65_536 - ROWS_AT;
export const AUDIT_SCAN_BYTES = ROWS_BYTES + 4 * 65_536;

/** The words of a row, as in kernels/audit-scan/row.ts. */
export const ROW = {
  /** The type of the record as in TYPE, 0 for a line that the kernel did not read. */
  kind: 0,
  /** The line, and the fields of the record in it. */
  start: 1,
  stop: 2,
  body: 3,
  timeLow: 4,
  timeHigh: 5,
  serial: 6,
  /** The number of the name of the host, 0 if the record has none. */
  node: 7,
  /** The number of the text of the record, -1 if it has none, and its position. A text in quotes starts with the first. */
  text: 8,
  textStart: 9,
  textStop: 10,
  /** Of a call: where its further fields start, and bits of RESULT. */
  rest: 11,
  result: 12,
  /** Of a call. */
  arch: 13,
  call: 14,
  ok: 15,
  exit: 16,
  a0: 17,
  items: 21,
  ppid: 22,
  pid: 23,
  user: 24,
  group: 25,
  session: 26,
  /** Of a call: the texts of the name of the thread and of the effective user, as that of the record. */
  comm: 27,
  userName: 30,
  /** Of a path. */
  item: 13,
  role: 14,
  mode: 15,
  device: 16,
  inodeLow: 17,
  inodeHigh: 18,
} as const;
export const ROW_WORDS = 34;

/** Bits of ROW.result: which optional fields the row has, and whether all that follows the program is translated fields. */
export const RESULT = { success: 1, exit: 2, comm: 4, userName: 8, translated: 16 } as const;

/** The most numbers of texts in a block. */
export const MAX_NUMBERS = 8192;

interface Kernel {
  configure(rows: number, count: number, texts: number, maxLine: number, seed: number, seed2: number): void;
  begin(address: number, length: number): void;
  resume(start: number, stop: number): void;
  next(): number;
}

let compiled: WebAssembly.Module | undefined;

/** Reads the common records of an audit log into rows, with the kernel kernels/audit-scan.ts. */
export class AuditScan {
  /** The rows that `next` has filled. */
  readonly rows: Int32Array;
  readonly #kernel: Kernel;

  /** `at` is where in the memory the rows are, with AUDIT_SCAN_BYTES after it that nothing else uses. */
  constructor({ memory }: ScanMemory, maxLine: number, at = ROWS_AT) {
    compiled ??= new WebAssembly.Module(readFileSync(new URL('./audit-scan.wasm', import.meta.url)));
    this.rows = new Int32Array(memory.buffer, at, ROWS * ROW_WORDS);
    this.#kernel = new WebAssembly.Instance(compiled, { env: { memory } }).exports as unknown as Kernel;
    // Attackers choose texts, so where the kernel keeps them is random. It does not affect the numbers.
    const seeds = [randomInt(2 ** 32), randomInt(2 ** 32)] as const;
    this.#kernel.configure(at, ROWS, at + ROWS_BYTES, maxLine, ...seeds);
  }

  /** Starts with the first `length` bytes of a block of the memory. */
  begin(block: Uint8Array, length: number): void {
    block[length] = 0x0a; // ends every loop of the kernel, so that it needs no bounds checks
    this.#kernel.begin(block.byteOffset, length);
  }

  /** Goes on with lines that were added to the block, from the address `start`. A newline must be before `stop`. */
  resume(start: number, stop: number): void {
    this.#kernel.resume(start, stop);
  }

  /** Reads further lines. Returns the number of rows, 0 at the end of the block. */
  next(): number {
    return this.#kernel.next();
  }
}
