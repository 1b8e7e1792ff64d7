import { ACT, NONE } from '../../kernel/act.js';
import { callByNumber } from '../../kernel/calls.js';
import { hexDigit } from './field-scan.js';

const SPACE = 0x20;
const QUOTE = 0x22;
const MINUS = 0x2d;
const MAX_INT = 0x7fffffff;

/** How a value is read. */
const KIND = { skip: 0, hex: 1, integer: 2, natural: 3, identity: 4, success: 5, quoted: 6 } as const;

/** The fields of a SYSCALL record in the order in which the kernel writes them. A call that never returns has no result. */
const FIELDS: readonly (readonly [name: string, kind: number, word: number])[] = [
  ['arch', KIND.hex, ACT.ok],
  ['syscall', KIND.natural, ACT.call],
  ['success', KIND.success, ACT.ok],
  ['exit', KIND.integer, ACT.exit],
  ['a0', KIND.hex, ACT.a0],
  ['a1', KIND.hex, ACT.a1],
  ['a2', KIND.hex, ACT.a2],
  ['a3', KIND.hex, ACT.a3],
  ['items', KIND.natural, ACT.items],
  ['ppid', KIND.natural, ACT.ppid],
  ['pid', KIND.natural, ACT.pid],
  ['auid', KIND.skip, 0],
  ['uid', KIND.skip, 0],
  ['gid', KIND.skip, 0],
  ['euid', KIND.identity, ACT.user],
  ['suid', KIND.skip, 0],
  ['fsuid', KIND.skip, 0],
  ['egid', KIND.identity, ACT.group],
  ['sgid', KIND.skip, 0],
  ['fsgid', KIND.skip, 0],
  ['tty', KIND.skip, 0],
  ['ses', KIND.identity, ACT.session],
  ['comm', KIND.quoted, 0],
  ['exe', KIND.quoted, 0],
];
const NAMES = FIELDS.map(([name]) => Buffer.from(`${name}=`));
const KINDS = Uint8Array.from(FIELDS, ([, kind]) => kind);
const WORDS = Uint8Array.from(FIELDS, ([, , word]) => word);
const [SUCCESS, EXIT] = [2, 3];

/**
 * Reads SYSCALL records whose fields are as the kernel writes them, which is three times as fast as looking at the name of
 * each field. `read` returns false for any other record; FieldScan reads those.
 */
export class CallRecord {
  /** The program, without quotes. */
  exeStart = 0;
  exeStop = 0;
  /** Where the fields after the program begin. */
  rest = 0;

  /** Sets the words of an act. `bytes[stop]` must not be part of the record. */
  read(bytes: Uint8Array, start: number, stop: number, words: Int32Array): boolean {
    let at = bytes[start] === SPACE ? start + 1 : start;
    let arch = 0;
    for (let field = 0; field < KINDS.length; field++) {
      const name = NAMES[field];
      if (!startsWith(bytes, at, name)) {
        if (field === SUCCESS || field === EXIT) continue;
        return false;
      }
      at += name.length;
      const first = at;
      const kind = KINDS[field];
      let value = 0;
      if (kind === KIND.quoted) {
        if (bytes[at++] !== QUOTE) return false;
        while (at < stop && bytes[at] !== QUOTE) at++;
        this.exeStart = first + 1;
        this.exeStop = at++;
      } else if (kind === KIND.hex) {
        for (let digit = hexDigit(bytes[at]); digit >= 0 && at < stop; digit = hexDigit(bytes[++at]))
          value = (value << 4) | digit;
        if (field === 0) arch = value >>> 0;
        else words[WORDS[field]] = value;
      } else if (kind === KIND.skip || kind === KIND.success) {
        while (at < stop && bytes[at] !== SPACE) at++;
        if (kind === KIND.success) words[ACT.ok] = bytes[first] === 0x79 ? 2 : 1;
      } else {
        const negative = bytes[at] === MINUS;
        if (negative) at++;
        const digits = at;
        for (let byte = bytes[at]; byte >= 0x30 && byte <= 0x39 && at < stop; byte = bytes[++at])
          value = value * 10 + byte - 0x30;
        if (at === digits || at - digits > 19) return false;
        words[WORDS[field]] = integerOf(kind, negative ? -value : value);
      }
      if (at > stop || at === first || (at < stop && bytes[at] !== SPACE)) {
        // Only the last field may end with the record or with the byte before translated fields.
        if (field !== KINDS.length - 1 || at > stop) return false;
      } else at++;
    }
    words[ACT.call] = callByNumber(arch, words[ACT.call]);
    this.rest = Math.min(at, stop);
    return true;
  }
}

/** Numbers that do not fit 32 bits become what RecordFields makes of them. */
function integerOf(kind: number, value: number): number {
  if (kind === KIND.natural) return value >= 0 && value <= MAX_INT ? value : NONE;
  if (kind === KIND.integer) return value >= -MAX_INT && value <= MAX_INT ? value : MAX_INT;
  const word = value | 0;
  return value >= -1 && value <= 0xffffffff && word !== -1 ? word : NONE;
}

function startsWith(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}
