import { ACT, FAMILY, NONE, ROLE, SEEN } from '../../kernel/act.js';
import type { ActBuilder } from '../../kernel/act-builder.js';
import type { BlockTexts } from '../../kernel/block-texts.js';
import { callByName, callByNumber } from '../../kernel/calls.js';
import { CallRecord } from './call-record.js';
import { ExecArguments } from './exec-arguments.js';
import { FIELD, FieldScan } from './field-scan.js';
import { TYPE } from './record-types.js';
import { parseSocketAddress, type SocketAddress } from './sockaddr.js';
import { TextValues } from './text-values.js';

/** More paths or targets than a system call can have. */
export const MAX_LIST = 1024 * 8;
const MAX_INT = 0x7fffffff;
const QUOTE = 0x22;

/** Copies the fields of records to acts. */
export class RecordFields {
  readonly #texts: BlockTexts;
  readonly #scan = new FieldScan();
  readonly #values: TextValues;
  readonly #execArguments: ExecArguments;
  readonly #call = new CallRecord();
  /** The program of each process whose title the block has. */
  readonly #titled = new Map<number, number>();
  readonly #addresses = new Map<number, { family: number; text: number }>();

  constructor(texts: BlockTexts) {
    this.#texts = texts;
    this.#values = new TextValues(texts);
    this.#execArguments = new ExecArguments(texts);
  }

  begin(): void {
    this.#addresses.clear();
    this.#titled.clear();
  }

  /** Adds the fields of a record of this type to its act. */
  read(type: number, bytes: Uint8Array, start: number, stop: number, act: ActBuilder): void {
    const scan = this.#scan;
    scan.begin(bytes, start, stop);
    if (type === TYPE.SYSCALL) this.#readCall(act, bytes, start, stop);
    else if (type === TYPE.PATH) this.#readPath(act);
    else if (type === TYPE.EXECVE) this.#execArguments.read(scan, act);
    else if (type === TYPE.SOCKETCALL) this.#readSocketCall(act);
    else if (type === TYPE.USER_LOGIN) this.#readLogin(act);
    else if (type === TYPE.OBJ_PID) this.#readTarget(act);
    else if (type === TYPE.PROCTITLE) this.#readTitle(act);
    else while (scan.next()) this.#readOther(type, act);
  }

  #readCall(act: ActBuilder, bytes: Uint8Array, start: number, stop: number): void {
    const scan = this.#scan;
    const { words } = act;
    words[ACT.seen] |= SEEN.call | SEEN.full;
    const call = this.#call;
    if (call.read(bytes, start, stop, words)) {
      words[ACT.exe] = this.#values.bytes(bytes, call.exeStart, call.exeStop);
      words[ACT.items] = Math.min(Math.max(words[ACT.items], 0), MAX_LIST);
      scan.begin(bytes, call.rest, stop);
    } else {
      act.clearCall();
      scan.begin(bytes, start, stop);
    }
    this.#readCallFields(act);
  }

  /** Adds the fields of a SYSCALL record that come after the program. */
  readFurther(bytes: Uint8Array, start: number, stop: number, act: ActBuilder): void {
    this.#scan.begin(bytes, start, stop);
    this.#readCallFields(act);
  }

  /** The number of a text that starts with its quote, if it has quotes, and ends before the second one. */
  text(bytes: Uint8Array, start: number, stop: number): number {
    const scan = this.#scan;
    scan.begin(bytes, start, stop);
    scan.quoted = bytes[start] === QUOTE;
    scan.start = scan.quoted ? start + 1 : start;
    scan.stop = stop;
    return this.#values.text(scan);
  }

  #readCallFields({ words }: ActBuilder): void {
    const scan = this.#scan;
    let arch = 0;
    let number = -1;
    while (scan.next()) {
      switch (scan.field) {
        case FIELD.arch:
          arch = scan.hexWord() >>> 0;
          break;
        case FIELD.syscall:
          number = scan.decimal();
          break;
        case FIELD.SYSCALL:
          if (words[ACT.call] === NONE) words[ACT.call] = this.#namedCall();
          break;
        case FIELD.success:
          words[ACT.ok] = scan.is('yes') ? 2 : scan.is('no') ? 1 : 0;
          break;
        case FIELD.exit:
          words[ACT.exit] = integer(scan.decimal());
          break;
        case FIELD.a0:
        case FIELD.a1:
        case FIELD.a2:
        case FIELD.a3:
          words[ACT.a0 + scan.field - FIELD.a0] = scan.hexWord();
          break;
        case FIELD.items:
          words[ACT.items] = Math.min(natural(scan.decimal(), 0), MAX_LIST);
          break;
        case FIELD.ppid:
          words[ACT.ppid] = natural(scan.decimal(), NONE);
          break;
        case FIELD.pid:
          words[ACT.pid] = natural(scan.decimal(), NONE);
          break;
        case FIELD.euid:
          words[ACT.user] = identity(scan.decimal());
          break;
        case FIELD.egid:
          words[ACT.group] = identity(scan.decimal());
          break;
        case FIELD.ses:
          words[ACT.session] = identity(scan.decimal());
          break;
        case FIELD.comm:
          words[ACT.comm] = this.#values.text(scan);
          break;
        case FIELD.exe:
          words[ACT.exe] = this.#values.text(scan);
          break;
        case FIELD.EUID:
          words[ACT.userName] = this.#values.text(scan);
          break;
      }
      if (scan.field === FIELD.syscall && number >= 0) words[ACT.call] = callByNumber(arch, number);
    }
  }

  /** The call of an architecture without a table, from its translated name. */
  #namedCall(): number {
    const { bytes, start, stop } = this.#scan;
    return callByName(Buffer.from(bytes.subarray(start, Math.min(stop, start + 64))).toString('latin1'));
  }

  #readPath(act: ActBuilder): void {
    const scan = this.#scan;
    let [item, role, mode, device, inode, name] = [0, ROLE.normal as number, 0, 0, 0, NONE];
    while (scan.next()) {
      switch (scan.field) {
        case FIELD.item:
          item = natural(scan.decimal(), 0);
          break;
        case FIELD.name:
          name = this.#values.text(scan);
          break;
        case FIELD.inode:
          inode = scan.decimal();
          break;
        case FIELD.dev:
          device = deviceNumber(scan);
          break;
        case FIELD.mode:
          mode = scan.octal();
          break;
        case FIELD.nametype:
        case FIELD.objtype:
          role = roleOf(scan);
          break;
      }
      // The fields after it are not needed.
      if (scan.field === FIELD.nametype || scan.field === FIELD.objtype) break;
    }
    if (act.paths.length >= MAX_LIST) return;
    const known = inode >= 0 && inode <= Number.MAX_SAFE_INTEGER ? inode : 0;
    act.addPath(item, role, mode, device, known | 0, Math.floor(known / 2 ** 32), name);
  }

  #readOther(type: number, act: ActBuilder): void {
    const scan = this.#scan;
    switch (scan.field) {
      case FIELD.cwd:
        if (type === TYPE.CWD) act.set(ACT.cwd, this.#values.text(scan));
        break;
      case FIELD.saddr: {
        const { family, text } = this.#address();
        act.set(ACT.family, family);
        act.set(ACT.address, text);
        break;
      }
      case FIELD.oflag:
        act.set(ACT.flags, scan.octal());
        break;
      case FIELD.fd0:
      case FIELD.fd:
        act.set(ACT.fd0, integer(scan.decimal()));
        break;
      case FIELD.fd1:
        act.set(ACT.fd1, integer(scan.decimal()));
        break;
      case FIELD.name:
        if (type === TYPE.KERN_MODULE) act.set(ACT.module, this.#values.text(scan));
        break;
    }
  }

  /** A title is for processes that are older than the log. Their first act in the block is enough. */
  #readTitle(act: ActBuilder): void {
    const pid = act.words[ACT.pid];
    const exe = act.words[ACT.exe];
    if (pid !== NONE && this.#titled.get(pid) === exe) return;
    if (pid !== NONE) this.#titled.set(pid, exe);
    while (this.#scan.next()) {
      if (this.#scan.field === FIELD.proctitle) act.set(ACT.title, this.#values.title(this.#scan));
    }
  }

  #readTarget(act: ActBuilder): void {
    let [pid, name] = [NONE, NONE];
    while (this.#scan.next()) {
      if (this.#scan.field === FIELD.opid) pid = natural(this.#scan.decimal(), NONE);
      else if (this.#scan.field === FIELD.ocomm) name = this.#values.text(this.#scan);
    }
    if (pid !== NONE && act.targets.length < MAX_LIST) act.addTarget(pid, name);
  }

  /** The arguments of `socketcall` are behind a pointer. The record has them, and the number of the real call. */
  #readSocketCall(act: ActBuilder): void {
    while (this.#scan.next()) {
      const { field } = this.#scan;
      if (field >= FIELD.a0 && field <= FIELD.a3) act.set(ACT.a0 + field - FIELD.a0, this.#scan.hexWord());
    }
  }

  /** `pid=1 uid=0 auid=5 ses=3 msg='op=login acct="bob" exe="/usr/sbin/sshd" addr=10.0.0.1 res=success'` */
  #readLogin(act: ActBuilder): void {
    const scan = this.#scan;
    act.words[ACT.seen] |= SEEN.login | SEEN.full;
    while (scan.next()) {
      switch (scan.field) {
        case FIELD.pid:
          if (act.words[ACT.pid] === NONE) act.words[ACT.pid] = natural(scan.decimal(), NONE);
          break;
        case FIELD.uid:
          if (act.words[ACT.user] === NONE) act.words[ACT.user] = identity(scan.decimal());
          break;
        case FIELD.ses:
          act.words[ACT.session] = identity(scan.decimal());
          break;
        case FIELD.exe:
          act.words[ACT.exe] = this.#values.text(scan);
          break;
        case FIELD.id:
          act.words[ACT.group] = identity(scan.decimal());
          break;
        case FIELD.acct:
          act.words[ACT.account] = this.#values.text(scan);
          break;
        case FIELD.addr:
          act.words[ACT.address] = this.#values.text(scan);
          break;
        case FIELD.res:
          act.words[ACT.ok] = scan.is('success') || scan.is('yes') || scan.is('1') ? 2 : 1;
          break;
      }
    }
  }

  /** Each distinct address of the block is formatted once. */
  #address(): { family: number; text: number } {
    const { bytes, start, stop } = this.#scan;
    const raw = this.#texts.number(bytes, start, Math.min(stop, start + 256));
    const known = this.#addresses.get(raw);
    if (known !== undefined) return known;
    const address: SocketAddress = parseSocketAddress(bytes, start, stop);
    const isKey = address.family === FAMILY.inet || address.family === FAMILY.inet6;
    const text = address.text === undefined ? NONE : this.#texts.numberOf(address.text);
    const entry = { family: address.family, text: isKey && text !== NONE ? this.#texts.keyed(text) : text };
    this.#addresses.set(raw, entry);
    return entry;
  }
}

/** Process numbers and counts: from 0, 31 bits. */
function natural(value: number, fallback: number): number {
  return value >= 0 && value <= MAX_INT ? value : fallback;
}

/** The result of a call. Pointers do not fit, and are not needed. */
function integer(value: number): number {
  return value >= -MAX_INT && value <= MAX_INT ? value : MAX_INT;
}

/** Users, groups and sessions have 32 bits. 4294967295 (-1) is unset. */
function identity(value: number): number {
  const word = value | 0;
  return value >= -1 && value <= 0xffffffff && word !== -1 ? word : NONE;
}

/** `fd:01` as one number. */
function deviceNumber({ bytes, start, stop }: FieldScan): number {
  let value = 0;
  for (let at = start; at < stop && at < start + 16; at++) value = (Math.imul(value, 31) + bytes[at]) | 0;
  return value;
}

function roleOf(scan: FieldScan): number {
  switch (scan.bytes[scan.start]) {
    case 0x4e:
      return ROLE.normal;
    case 0x50:
      return ROLE.parent;
    case 0x43:
      return ROLE.create;
    case 0x44:
      return ROLE.delete;
    default:
      return ROLE.unknown;
  }
}
