import { NONE } from '../../kernel/act.js';
import type { ActBuilder } from '../../kernel/act-builder.js';
import type { BlockTexts } from '../../kernel/block-texts.js';
import { type FieldScan, hexDigit } from './field-scan.js';
import { isHex, MAX_TEXT } from './text-values.js';

const SPACE = 0x20;
const NAME_A = 0x61;
const BRACKET = 0x5b;
/** A command line may come in this many records. A longer one is cut. */
const MAX_PARTS = 1024 * 6;

/**
 * Reads EXECVE records. Arguments are `a0`, `a1`, …; a long one comes in pieces `a1[0]`, `a1[1]`, … that may go on in the next
 * record. A record gives one part of the command line, with the position of its first argument.
 */
export class ExecArguments {
  readonly #texts: BlockTexts;
  readonly #line = new Uint8Array(MAX_TEXT);
  #length = 0;
  #index = 0;
  #piece = 0;

  constructor(texts: BlockTexts) {
    this.#texts = texts;
  }

  read(scan: FieldScan, act: ActBuilder): void {
    this.#length = 0;
    let first = -1;
    let firstPiece = 0;
    let previous = -1;
    const alone = [NONE, NONE, NONE];
    while (scan.next()) {
      if (!this.#readName(scan)) continue;
      if (first < 0) {
        first = this.#index;
        firstPiece = this.#piece;
      } else if (this.#index !== previous) this.#append(SPACE);
      previous = this.#index;
      const start = this.#length;
      this.#appendValue(scan);
      if (this.#index < 3) alone[this.#index] = this.#texts.number(this.#line, start, this.#length);
    }
    if (first < 0 || act.args.length >= MAX_PARTS) return;
    const text = this.#texts.number(this.#line, 0, this.#length);
    act.addArgs(first, firstPiece, text, alone[0], alone[1], alone[2]);
  }

  /** Reads `a12` or `a12[3]`. Returns false for other names, such as `argc` and `a12_len`. */
  #readName({ bytes, nameStart, nameStop }: FieldScan): boolean {
    if (bytes[nameStart] !== NAME_A) return false;
    let at = nameStart + 1;
    let value = 0;
    for (; at < nameStop && bytes[at] >= 0x30 && bytes[at] <= 0x39 && value < 1e8; at++)
      value = value * 10 + bytes[at] - 0x30;
    if (at === nameStart + 1) return false;
    this.#index = value;
    this.#piece = 0;
    if (at === nameStop) return true;
    if (bytes[at] !== BRACKET) return false;
    for (at++; at < nameStop && bytes[at] >= 0x30 && bytes[at] <= 0x39 && this.#piece < 1e8; at++)
      this.#piece = this.#piece * 10 + bytes[at] - 0x30;
    return true;
  }

  #appendValue({ bytes, start, stop, quoted }: FieldScan): void {
    if (quoted || !isHex(bytes, start, stop)) {
      for (let at = start; at < stop; at++) this.#append(bytes[at]);
      return;
    }
    for (let at = start; at < stop; at += 2)
      this.#append((hexDigit(bytes[at]) << 4) | hexDigit(bytes[at + 1]));
  }

  #append(byte: number): void {
    if (this.#length < MAX_TEXT) this.#line[this.#length++] = byte;
  }
}
