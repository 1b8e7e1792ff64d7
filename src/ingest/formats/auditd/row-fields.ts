import { ACT, NONE, SEEN } from '../../kernel/act.js';
import type { ActBuilder } from '../../kernel/act-builder.js';
import { callByNumber } from '../../kernel/calls.js';
import { MAX_NUMBERS, RESULT, ROW } from './audit-scan.js';
import { MAX_LIST, type RecordFields } from './record-fields.js';
import { TYPE } from './record-types.js';

const UNKNOWN = -1;

/** Copies rows of the kernel to acts. RecordFields does the same with lines. */
export class RowFields {
  readonly #fields: RecordFields;
  /** By the kernel's number: the text of the act, or the address and its family. */
  readonly #texts = new Int32Array(MAX_NUMBERS);
  readonly #addresses = new Int32Array(MAX_NUMBERS);
  readonly #families = new Int32Array(MAX_NUMBERS);

  constructor(fields: RecordFields) {
    this.#fields = fields;
  }

  begin(): void {
    this.#texts.fill(UNKNOWN);
    this.#families.fill(UNKNOWN);
  }

  /** Adds the fields of the record in the row at `at` to its act. */
  read(rows: Int32Array, at: number, bytes: Uint8Array, act: ActBuilder): void {
    switch (rows[at + ROW.kind]) {
      case TYPE.SYSCALL:
        this.#readCall(rows, at, bytes, act);
        break;
      case TYPE.PATH:
        this.#readPath(rows, at, bytes, act);
        break;
      case TYPE.CWD:
        act.set(ACT.cwd, this.#text(rows, at + ROW.text, bytes));
        break;
      case TYPE.SOCKADDR:
        this.#readAddress(rows, at, bytes, act);
        break;
      default:
        this.#fields.read(TYPE.PROCTITLE, bytes, rows[at + ROW.body], rows[at + ROW.stop], act);
    }
  }

  #readCall(rows: Int32Array, at: number, bytes: Uint8Array, act: ActBuilder): void {
    const { words } = act;
    words[ACT.seen] |= SEEN.call | SEEN.full;
    const result = rows[at + ROW.result];
    if ((result & RESULT.success) !== 0) words[ACT.ok] = rows[at + ROW.ok];
    if ((result & RESULT.exit) !== 0) words[ACT.exit] = rows[at + ROW.exit];
    words[ACT.call] = callByNumber(rows[at + ROW.arch] >>> 0, rows[at + ROW.call]);
    words[ACT.a0] = rows[at + ROW.a0];
    words[ACT.a1] = rows[at + ROW.a0 + 1];
    words[ACT.a2] = rows[at + ROW.a0 + 2];
    words[ACT.a3] = rows[at + ROW.a0 + 3];
    words[ACT.items] = Math.min(Math.max(rows[at + ROW.items], 0), MAX_LIST);
    words[ACT.ppid] = rows[at + ROW.ppid];
    words[ACT.pid] = rows[at + ROW.pid];
    words[ACT.user] = rows[at + ROW.user];
    words[ACT.group] = rows[at + ROW.group];
    words[ACT.session] = rows[at + ROW.session];
    if ((result & RESULT.comm) !== 0) words[ACT.comm] = this.#text(rows, at + ROW.comm, bytes);
    words[ACT.exe] = this.#text(rows, at + ROW.text, bytes);
    // The translated name of a call matters only if its number is unknown.
    if ((result & RESULT.translated) !== 0 && words[ACT.call] !== NONE) {
      if ((result & RESULT.userName) !== 0) words[ACT.userName] = this.#text(rows, at + ROW.userName, bytes);
      return;
    }
    const rest = rows[at + ROW.rest];
    const stop = rows[at + ROW.stop];
    if (rest < stop) this.#fields.readFurther(bytes, rest, stop, act);
  }

  #readPath(rows: Int32Array, at: number, bytes: Uint8Array, act: ActBuilder): void {
    const name = this.#text(rows, at + ROW.text, bytes);
    if (act.paths.length >= MAX_LIST) return;
    act.addPath(
      rows[at + ROW.item],
      rows[at + ROW.role],
      rows[at + ROW.mode],
      rows[at + ROW.device],
      rows[at + ROW.inodeLow],
      rows[at + ROW.inodeHigh],
      name,
    );
  }

  #readAddress(rows: Int32Array, at: number, bytes: Uint8Array, act: ActBuilder): void {
    const number = rows[at + ROW.text];
    if (number < 0 || this.#families[number] === UNKNOWN) {
      this.#fields.read(TYPE.SOCKADDR, bytes, rows[at + ROW.body], rows[at + ROW.stop], act);
      if (number < 0) return;
      this.#families[number] = act.words[ACT.family];
      this.#addresses[number] = act.words[ACT.address];
      return;
    }
    act.set(ACT.family, this.#families[number]);
    act.set(ACT.address, this.#addresses[number]);
  }

  /** The text whose number and position are in the row at `at`. Each is decoded once. */
  #text(rows: Int32Array, at: number, bytes: Uint8Array): number {
    const number = rows[at];
    if (number >= 0 && this.#texts[number] !== UNKNOWN) return this.#texts[number];
    const text = this.#fields.text(bytes, rows[at + 1], rows[at + 2]);
    if (number >= 0) this.#texts[number] = text;
    return text;
  }
}
