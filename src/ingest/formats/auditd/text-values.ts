import { NONE } from '../../kernel/act.js';
import type { BlockTexts } from '../../kernel/block-texts.js';
import { type FieldScan, hexDigit } from './field-scan.js';

/** Longer texts are cut. The kernel writes at most PATH_MAX (4096) bytes of a path and 7,500 of arguments. */
export const MAX_TEXT = 8192;

const SPACE = 0x20;

/**
 * Reads the values of fields that are texts. A text is in quotes or, if it has bytes that are not printable, in
 * hexadecimal. `(null)`, `(none)` and `?` stand for no text.
 */
export class TextValues {
  readonly #texts: BlockTexts;
  readonly #decoded = new Uint8Array(MAX_TEXT);
  #length = 0;

  constructor(texts: BlockTexts) {
    this.#texts = texts;
  }

  /** The number of the text of a field, or NONE. */
  text(scan: FieldScan): number {
    const { bytes, start } = scan;
    const stop = Math.min(scan.stop, start + MAX_TEXT);
    if (scan.quoted) return this.#texts.number(bytes, start, stop);
    if (start === stop || scan.is('(null)') || scan.is('(none)') || scan.is('?')) return NONE;
    if (!isHex(bytes, start, scan.stop)) return this.#texts.number(bytes, start, stop);
    this.#decode(bytes, start, scan.stop);
    return this.#texts.number(this.#decoded, 0, this.#length);
  }

  /** The number of a text that is in quotes. */
  bytes(bytes: Uint8Array, start: number, stop: number): number {
    return this.#texts.number(bytes, start, Math.min(stop, start + MAX_TEXT));
  }

  /** The title of a process: its arguments, with NUL bytes in between that become spaces. */
  title(scan: FieldScan): number {
    if (scan.quoted || !isHex(scan.bytes, scan.start, scan.stop)) return this.text(scan);
    this.#decode(scan.bytes, scan.start, scan.stop);
    while (this.#length > 0 && this.#decoded[this.#length - 1] === 0) this.#length--;
    for (let i = 0; i < this.#length; i++) if (this.#decoded[i] === 0) this.#decoded[i] = SPACE;
    return this.#texts.number(this.#decoded, 0, this.#length);
  }

  #decode(bytes: Uint8Array, start: number, stop: number): void {
    const length = Math.min((stop - start) >> 1, MAX_TEXT);
    for (let i = 0, at = start; i < length; i++, at += 2) {
      this.#decoded[i] = (hexDigit(bytes[at]) << 4) | hexDigit(bytes[at + 1]);
    }
    this.#length = length;
  }
}

/** Tells whether a value is hexadecimal as the kernel writes texts: pairs of digits and capitals. */
export function isHex(bytes: Uint8Array, start: number, stop: number): boolean {
  if ((stop - start) % 2 !== 0 || start === stop) return false;
  for (let at = start; at < stop; at++) {
    const byte = bytes[at];
    if (!((byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46))) return false;
  }
  return true;
}
