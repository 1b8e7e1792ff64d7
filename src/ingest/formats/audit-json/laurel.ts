import type { Batch } from '../../batch.js';
import { ACT, FAMILY, NONE, SEEN } from '../../kernel/act.js';
import { callByName, callByNumber } from '../../kernel/calls.js';
import { KernelAssembler } from '../../kernel/kernel-assembler.js';
import type { ScanMemory } from '../../scan/json-scan.js';
import { Shape, type Slot } from '../../scan/shape.js';
import { parseSocketAddress } from '../auditd/sockaddr.js';
import type { Format, ReaderOptions } from '../reader.js';
import { ActsReader } from './acts-reader.js';
import { EventId } from './event-id.js';
import { KnownText } from './known-text.js';
import { percentDecoded } from './percent-text.js';
import { type Fields, fieldText, isFields, lowWord, objectsIn, wordOf } from './record-values.js';
import { socketText } from './socket-text.js';

const ID_TEXT = /^(\d{1,10})\.(\d{1,9}):(\d{1,10})$/;

/** Linux audit events as laurel writes them, one per line: `{"ID":"1626611363.720:348501","SYSCALL":{…},"PATH":[…]}`. */
export const laurel: Format = {
  name: 'laurel',
  module: import.meta.url,
  title: 'laurel JSON of Linux audit',
  exactTime: true,
  assemblerLoad: 0.5,
  recognises(record: unknown): boolean {
    return isFields(record) && typeof record.ID === 'string' && ID_TEXT.test(record.ID);
  },
  open: (memory: ScanMemory, options: ReaderOptions) => new LaurelReader(memory, options),
  assembler: (state: unknown) => new KernelAssembler(state),
};

const shape = new Shape();
const ID = shape.scalar('ID');
const NODE = shape.scalar('NODE');
const SYSCALL = shape.raw('SYSCALL');
const call = (name: string): Slot => shape.scalar(`SYSCALL.${name}`);
const ARCH = call('arch');
const NUMBER = call('syscall');
const CALL_NAME = call('SYSCALL');
const SUCCESS = call('success');
const EXIT = call('exit');
const A0_TO_A3 = ['a0', 'a1', 'a2', 'a3'].map(call);
const CALL_ARGV = shape.raw('SYSCALL.ARGV');
const ITEMS = call('items');
const PPID = call('ppid');
const PID = call('pid');
const EUID = call('euid');
const EGID = call('egid');
const SESSION = call('ses');
const COMM = call('comm');
const EXE = call('exe');
const EUID_NAME = call('EUID');
const CONTAINER = call('PID.container.id');
const UNITS = shape.raw('SYSCALL.PID.systemd_service');
const EXEC_ARGV = shape.raw('EXECVE.ARGV');
const EXEC_LINE = shape.scalar('EXECVE.ARGV_STR');
const CWD = shape.scalar('CWD.cwd');
const TITLE = shape.scalar('PROCTITLE.proctitle');
const TITLE_ARGV = shape.raw('PROCTITLE.ARGV');
const PATH = shape.raw('PATH');
const SOCKADDR = shape.raw('SOCKADDR');
const OBJ_PID = shape.raw('OBJ_PID');
const FD_PAIR = shape.raw('FD_PAIR');
const MMAP = shape.raw('MMAP');
const OPENAT2 = shape.raw('OPENAT2');
const KERN_MODULE = shape.raw('KERN_MODULE');
const SOCKETCALL = shape.raw('SOCKETCALL');
const LOGIN = shape.raw('USER_LOGIN');
const BOOT = shape.raw('SYSTEM_BOOT');

const MAX_INT = 0x7fffffff;
const FAMILIES: Readonly<Record<string, number>> = {
  ipv4: FAMILY.inet,
  inet: FAMILY.inet,
  ipv6: FAMILY.inet6,
  inet6: FAMILY.inet6,
  local: FAMILY.unix,
  unix: FAMILY.unix,
};

/** The most texts with escapes that are kept. A full memo starts anew. */
const MAX_DECODED = 4096;

/** An address of a block, by the number of its text. */
interface KnownAddress {
  readonly family: number;
  readonly number: number;
}

class LaurelReader extends ActsReader {
  /** The addresses of parsed records. Logs repeat them, and `parsed` returns the same object. */
  readonly #addresses = new Map<object, KnownAddress>();
  readonly #id = new EventId();

  constructor(memory: ScanMemory, options: ReaderOptions) {
    super(shape, memory, options);
  }

  override read(block: Uint8Array, length: number, batch: Batch): void {
    this.#addresses.clear();
    super.read(block, length, batch);
  }

  protected override fill(batch: Batch): string | undefined {
    const { scan } = this;
    if (!this.#fillId()) return 'not a laurel event: `ID` must be SECONDS.MILLISECONDS:SERIAL';
    this.setHost(this.optional(NODE));
    const { words } = this.act;
    if (scan.isRaw(BOOT)) words[ACT.seen] |= SEEN.boot;
    if (scan.isRaw(LOGIN)) this.#fillLogin();
    batch.count(scan.isRaw(SYSCALL) ? 'SYSCALL' : scan.isRaw(LOGIN) ? 'USER_LOGIN' : 'other');
    if (scan.isRaw(SYSCALL)) this.#fillCall();
    else if (!scan.isRaw(LOGIN)) words[ACT.seen] |= SEEN.alone;
    return undefined;
  }

  /** Reads `1626611363.720:348501`. Returns false if the identifier is another. */
  #fillId(): boolean {
    const { scan } = this;
    const id = this.#id;
    if (!scan.has(ID)) return false;
    const text = scan.isPlain(ID) ? undefined : Buffer.from(scan.freshText(ID));
    const isId =
      text === undefined ? id.read(scan.bytes, scan.start(ID), scan.stop(ID)) : id.read(text, 0, text.length);
    if (!isId) return false;
    const { words } = this.act;
    words[ACT.timeLow] = id.timeLow;
    words[ACT.timeHigh] = id.timeHigh;
    words[ACT.serial] = id.serial | 0;
    return true;
  }

  #fillCall(): void {
    const { scan, act } = this;
    const { words } = act;
    words[ACT.seen] |= SEEN.call | SEEN.full;
    words[ACT.call] = callByNumber((this.hexWord(ARCH) ?? NONE) >>> 0, this.word(NUMBER));
    if (words[ACT.call] === NONE) words[ACT.call] = callByName(scan.text(CALL_NAME) || scan.text(NUMBER));
    words[ACT.ok] = scan.is(SUCCESS, 'yes') ? 2 : scan.is(SUCCESS, 'no') ? 1 : 0;
    words[ACT.exit] = resultOf(this.optional(EXIT));
    const listed = this.parsed(CALL_ARGV);
    for (let i = 0; i < A0_TO_A3.length; i++) {
      const word = this.hexWord(A0_TO_A3[i]);
      const text = word === undefined && Array.isArray(listed) ? fieldText(listed[i]) : undefined;
      if (word !== undefined) words[ACT.a0 + i] = word;
      else if (text !== undefined) words[ACT.a0 + i] = lowWord(text);
    }
    words[ACT.items] = Math.max(0, Math.min(1024, this.word(ITEMS)));
    words[ACT.ppid] = this.word(PPID);
    words[ACT.pid] = this.word(PID);
    words[ACT.user] = this.word(EUID);
    words[ACT.group] = this.word(EGID);
    words[ACT.session] = this.word(SESSION);
    words[ACT.comm] = this.slotNumber(COMM);
    words[ACT.exe] = this.slotNumber(EXE);
    words[ACT.userName] = this.slotNumber(EUID_NAME);
    words[ACT.cwd] = this.slotNumber(CWD);
    words[ACT.container] = this.textNumber(this.optional(CONTAINER));
    const units = this.parsed(UNITS);
    if (Array.isArray(units)) words[ACT.unit] = this.textNumber(fieldText(units.at(-1)));
    this.#fillTitle();
    this.#fillArguments();
    this.addPaths(PATH);
    this.#fillRest();
  }

  #fillTitle(): void {
    const title = this.made(TITLE_ARGV, (list) =>
      Array.isArray(list)
        ? new KnownText(decodedText(list.map((each) => fieldText(each) ?? '').join(' ')))
        : undefined,
    );
    this.act.words[ACT.title] = title === undefined ? this.slotNumber(TITLE) : this.knownNumber(title);
  }

  protected override decode(text: string): string {
    return decodedText(text);
  }

  #fillArguments(): void {
    const list = this.parsed(EXEC_ARGV);
    if (Array.isArray(list)) this.setArguments(list.map((each) => decodedText(fieldText(each) ?? '')));
    else if (this.scan.has(EXEC_LINE)) this.setArguments([decodedText(this.scan.text(EXEC_LINE))]);
  }

  /** The records that few calls have. */
  #fillRest(): void {
    const { scan, act } = this;
    if (scan.isRaw(SOCKADDR)) this.#fillAddress(objectsIn(this.parsed(SOCKADDR))[0]);
    if (scan.isRaw(OBJ_PID))
      for (const target of objectsIn(this.parsed(OBJ_PID))) {
        const pid = wordOf(fieldText(target.opid));
        if (pid !== NONE) act.addTarget(pid, this.#decoded(fieldText(target.ocomm)));
      }
    this.#fillWord(FD_PAIR, 'fd0', ACT.fd0, wordOf);
    this.#fillWord(FD_PAIR, 'fd1', ACT.fd1, wordOf);
    this.#fillWord(MMAP, 'fd', ACT.fd0, wordOf);
    this.#fillWord(OPENAT2, 'oflag', ACT.flags, octalOf);
    this.#fillWord(KERN_MODULE, 'name', ACT.module, (text) => this.#decoded(text));
    if (!scan.isRaw(SOCKETCALL)) return;
    const [socketCall] = objectsIn(this.parsed(SOCKETCALL));
    if (socketCall === undefined) return;
    const given = ['a0', 'a1', 'a2', 'a3'].map((name, i) =>
      fieldText(socketCall[name] ?? (Array.isArray(socketCall.ARGV) ? socketCall.ARGV[i] : undefined)),
    );
    for (const [i, text] of given.entries()) if (text !== undefined) act.set(ACT.a0 + i, lowWord(text));
  }

  #fillWord(slot: Slot, name: string, word: number, read: (text: string) => number): void {
    if (!this.scan.isRaw(slot)) return;
    const text = fieldText(objectsIn(this.parsed(slot))[0]?.[name]);
    if (text !== undefined) this.act.set(word, read(text));
  }

  #fillAddress(record: Fields | undefined): void {
    if (record === undefined) return;
    const { act } = this;
    const known = this.#addresses.get(record);
    if (known !== undefined) {
      act.set(ACT.family, known.family);
      act.set(ACT.address, known.number);
      return;
    }
    const { SADDR } = record;
    const raw = fieldText(record.saddr);
    const family = isFields(SADDR) ? FAMILIES[fieldText(SADDR.family) ?? ''] : undefined;
    if (isFields(SADDR) && family !== undefined) {
      const address = decodedText(fieldText(SADDR.addr) ?? fieldText(SADDR.path) ?? '');
      this.#setAddress(record, family, socketText(family, address, fieldText(SADDR.port)));
    } else if (raw !== undefined) {
      const hex = /^(?:[0-9A-Fa-f]{2})+$/.test(raw) ? raw : Buffer.from(percentDecoded(raw)).toString('hex');
      const parsed = parseSocketAddress(Buffer.from(hex, 'latin1'), 0, hex.length);
      this.#setAddress(record, parsed.family, parsed.text);
    } else act.set(ACT.family, FAMILY.other);
  }

  #setAddress(record: Fields, family: number, text: string | undefined): void {
    const { texts } = this.writer;
    this.act.set(ACT.family, family);
    const number = text === undefined ? NONE : texts.numberOf(text);
    const isKey = (family === FAMILY.inet || family === FAMILY.inet6) && number !== NONE;
    this.act.set(ACT.address, isKey ? texts.keyed(number) : number);
    // Invalid texts are counted each time.
    if (text === undefined || (text.isWellFormed() && !text.includes('\ufffd')))
      this.#addresses.set(record, { family, number });
  }

  #fillLogin(): void {
    const [record] = objectsIn(this.parsed(LOGIN));
    if (record === undefined) return;
    const { words } = this.act;
    words[ACT.seen] |= SEEN.login | SEEN.full | SEEN.alone;
    const nested = isFields(record.msg) ? { ...record, ...record.msg } : record;
    words[ACT.pid] = wordOf(fieldText(nested.pid));
    words[ACT.user] = wordOf(fieldText(nested.uid));
    words[ACT.session] = wordOf(fieldText(nested.ses));
    words[ACT.group] = wordOf(fieldText(nested.id));
    words[ACT.exe] = this.#decoded(fieldText(nested.exe));
    words[ACT.account] = this.#decoded(fieldText(nested.acct));
    words[ACT.address] = this.#decoded(fieldText(nested.addr));
    words[ACT.ok] = /^(?:success|yes|1)$/.test(fieldText(nested.res) ?? '') ? 2 : 1;
  }

  #decoded(text: string | undefined): number {
    return this.textNumber(text === undefined ? undefined : decodedText(text));
  }
}

const DECODED = new Map<string, string>();

function decodedText(text: string): string {
  if (!text.includes('%')) return text;
  let decoded = DECODED.get(text);
  if (decoded === undefined) {
    if (DECODED.size === MAX_DECODED) DECODED.clear();
    decoded = Buffer.from(percentDecoded(text)).toString('utf8');
    DECODED.set(text, decoded);
  }
  return decoded;
}

/** The result of a call. Pointers do not fit, and are not needed. */
function resultOf(text: string | undefined): number {
  const value = Number(text ?? Number.NaN);
  if (Number.isNaN(value)) return NONE;
  return value >= -MAX_INT && value <= MAX_INT ? value : MAX_INT;
}

function octalOf(text: string): number {
  const octal = /^(?:0o)?([0-7]{1,11})$/.exec(text);
  return octal === null ? NONE : Number.parseInt(octal[1], 8) | 0;
}
