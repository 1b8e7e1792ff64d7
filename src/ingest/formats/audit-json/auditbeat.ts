import type { Batch } from '../../batch.js';
import { ACT, FAMILY, NONE, SEEN } from '../../kernel/act.js';
import { callByName } from '../../kernel/calls.js';
import { KernelAssembler } from '../../kernel/kernel-assembler.js';
import { type ScanMemory, TIME } from '../../scan/json-scan.js';
import { Shape, type Slot } from '../../scan/shape.js';
import { SlotMemo } from '../../scan/slot-memo.js';
import { TimeWords } from '../../time-words.js';
import type { Format, ReaderOptions } from '../reader.js';
import { TimeReader } from '../records/time-reader.js';
import { ActsReader } from './acts-reader.js';
import { OriginalRecords } from './original-records.js';
import { type Fields, fieldText, isFields, lowWord } from './record-values.js';
import { socketText } from './socket-text.js';

/** Linux audit events as auditbeat and Elastic's auditd_manager write them: ECS documents with `auditd`. */
export const auditbeat: Format = {
  name: 'auditbeat',
  module: import.meta.url,
  title: 'auditbeat JSON of Linux audit',
  exactTime: true,
  assemblerLoad: 0.5,
  recognises(record: unknown): boolean {
    if (!isFields(record)) return false;
    const document = isFields(record._source) ? record._source : record;
    return isFields(document.auditd) && ('message_type' in document.auditd || 'data' in document.auditd);
  },
  open: (memory: ScanMemory, options: ReaderOptions) => new AuditbeatReader(memory, options),
  assembler: (state: unknown) => new KernelAssembler(state),
};

const shape = new Shape();
const places = (path: string): string[] => [path, `_source.${path}`];
const field = (path: string): Slot => shape.scalar(...places(path));
const TIMESTAMP = field('@timestamp');
const HOST_NAME = field('host.name');
const AGENT_NAME = field('agent.name');
const ORIGINAL = shape.raw(...places('event.original'));
const AUDITD = shape.raw(...places('auditd'));
const MESSAGE_TYPE = field('auditd.message_type');
const SEQUENCE = field('auditd.sequence');
const RESULT = field('auditd.result');
const SESSION = field('auditd.session');
const DATA = shape.raw(...places('auditd.data'));
const PATHS = shape.raw(...places('auditd.paths'));
const PID = field('process.pid');
const PPID = field('process.parent.pid');
const OLD_PPID = field('process.ppid');
const EXECUTABLE = field('process.executable');
const NAME = field('process.name');
const FOLDER = field('process.working_directory');
const TITLE = field('process.title');
const ARGUMENTS = shape.raw(...places('process.args'));
const EFFECTIVE_USER = field('user.effective.id');
const EFFECTIVE_NAME = field('user.effective.name');
const USER = field('user.id');
const USER_NAME = field('user.name');
const CONTAINER = field('container.id');

const FAMILIES: Readonly<Record<string, number>> = {
  ipv4: FAMILY.inet,
  ipv6: FAMILY.inet6,
  unix: FAMILY.unix,
};
/** The errors of Linux that the state treats in their own way. Any other one is only a failure. */
const ERRORS: Readonly<Record<string, number>> = {
  EPERM: 1,
  EINTR: 4,
  EAGAIN: 11,
  EACCES: 13,
  EINPROGRESS: 115,
};
const OTHER_ERROR = 4095;

/** What `auditd.data` of a document tells. */
interface CallData {
  readonly number: number;
  readonly isExec: boolean;
  readonly exit: number;
  /** The arguments that it has. */
  readonly arguments: readonly (number | undefined)[];
  readonly socket: Fields | undefined;
}

class AuditbeatReader extends ActsReader {
  readonly #records: OriginalRecords;
  readonly #times = new TimeReader();
  readonly #time = new TimeWords();
  readonly #hostNames = new SlotMemo<string | undefined>(this.scan, [HOST_NAME, AGENT_NAME]);
  readonly #kinds = new SlotMemo<string>(this.scan, [MESSAGE_TYPE]);

  constructor(memory: ScanMemory, options: ReaderOptions) {
    super(shape, memory, options);
    this.#records = new OriginalRecords(memory, this.scan, this.writer.texts);
  }

  override read(block: Uint8Array, length: number, batch: Batch): void {
    this.#records.begin();
    super.read(block, length, batch);
  }

  protected override fill(batch: Batch): string | undefined {
    const { scan } = this;
    if (!scan.isRaw(AUDITD)) return 'not an auditbeat document: no `auditd`';
    this.setHost(this.#hostNames.of(() => this.optional(HOST_NAME) ?? this.optional(AGENT_NAME)));
    const reason = this.#fillFromOriginal() ?? this.#fillFromFields();
    if (reason !== '') return reason;
    batch.count(this.#kinds.of(() => (this.optional(MESSAGE_TYPE) ?? 'event').toUpperCase().slice(0, 64)));
    return undefined;
  }

  /** Uses the audit records of the event. Returns a reason or an empty text, or undefined if the document has none. */
  #fillFromOriginal(): string | undefined {
    const { scan } = this;
    if (!scan.has(ORIGINAL)) return undefined;
    const inRows = scan.isRaw(ORIGINAL) ? this.#records.fillFromRows(ORIGINAL, this.act) : undefined;
    if (inRows !== undefined) return inRows;
    const value = scan.isRaw(ORIGINAL) ? this.parsed(ORIGINAL) : scan.text(ORIGINAL).split('\n');
    return this.#records.fillFromLines(Array.isArray(value) ? value : [], this.act);
  }

  /** Returns a reason, or an empty text. */
  #fillFromFields(): string {
    const { scan, act } = this;
    const time = this.#readTime();
    if (!time.known) return 'the document has neither `event.original` nor a valid `@timestamp`';
    const { words } = act;
    words[ACT.timeLow] = time.low;
    words[ACT.timeHigh] = time.high;
    words[ACT.serial] = this.word(SEQUENCE);
    const data = this.made(DATA, callData);
    if (data === undefined) {
      words[ACT.seen] |= SEEN.alone;
      return '';
    }
    words[ACT.seen] |= SEEN.call | SEEN.full;
    words[ACT.call] = data.number;
    words[ACT.ok] = scan.is(RESULT, 'success') ? 2 : scan.is(RESULT, 'fail') ? 1 : 0;
    words[ACT.exit] = data.exit;
    for (let i = 0; i < data.arguments.length; i++)
      words[ACT.a0 + i] = data.arguments[i] ?? words[ACT.a0 + i];
    words[ACT.pid] = this.word(PID);
    words[ACT.ppid] = this.word(scan.has(PPID) && !scan.isRaw(PPID) ? PPID : OLD_PPID);
    words[ACT.user] = this.word(scan.has(EFFECTIVE_USER) ? EFFECTIVE_USER : USER);
    words[ACT.userName] = this.slotNumber(scan.has(EFFECTIVE_NAME) ? EFFECTIVE_NAME : USER_NAME);
    words[ACT.session] = this.word(SESSION);
    words[ACT.comm] = this.slotNumber(NAME);
    words[ACT.exe] = this.slotNumber(EXECUTABLE);
    words[ACT.cwd] = this.slotNumber(FOLDER);
    words[ACT.title] = this.slotNumber(TITLE);
    words[ACT.container] = this.slotNumber(CONTAINER);
    if (data.isExec) {
      const list = this.parsed(ARGUMENTS);
      if (Array.isArray(list)) this.setArguments(list.map((each) => fieldText(each) ?? ''));
    }
    this.addPaths(PATHS);
    if (data.socket !== undefined) this.#fillSocket(data.socket);
    return '';
  }

  #readTime(): TimeWords {
    const { scan } = this;
    const time = this.#time;
    if (scan.readTime(TIMESTAMP) === TIME.utc) time.set(scan.word(TIMESTAMP, 0), scan.word(TIMESTAMP, 1));
    else time.setTime(scan.isString(TIMESTAMP) ? this.#times.read(scan.freshText(TIMESTAMP)) : undefined);
    return time;
  }

  #fillSocket(socket: Readonly<Record<string, unknown>>): void {
    const family = FAMILIES[fieldText(socket.family) ?? ''] ?? FAMILY.other;
    const address = fieldText(socket.addr) ?? fieldText(socket.path) ?? '';
    const text = socketText(family, address, fieldText(socket.port));
    const { texts } = this.writer;
    this.act.set(ACT.family, family);
    const number = text === undefined ? NONE : texts.numberOf(text);
    const isKey = (family === FAMILY.inet || family === FAMILY.inet6) && number !== NONE;
    this.act.set(ACT.address, isKey ? texts.keyed(number) : number);
  }
}

/** Reads `auditd.data`, if it is of a call. */
function callData(data: unknown): CallData | undefined {
  const call = isFields(data) ? fieldText(data.syscall) : undefined;
  if (!isFields(data) || call === undefined) return undefined;
  return {
    number: callByName(call),
    isExec: /^execve/.test(call),
    exit: resultOf(fieldText(data.exit)),
    arguments: ['a0', 'a1', 'a2', 'a3'].map((name) => {
      const text = fieldText(data[name]);
      return text === undefined ? undefined : lowWord(text);
    }),
    socket: isFields(data.socket) ? data.socket : undefined,
  };
}

/** The result of a call: a number, or the name of an error such as EINPROGRESS. */
function resultOf(text: string | undefined): number {
  if (text === undefined) return NONE;
  if (/^E[A-Z0-9]+$/.test(text)) return -(Object.hasOwn(ERRORS, text) ? ERRORS[text] : OTHER_ERROR);
  const value = Number(text);
  return Number.isInteger(value) && Math.abs(value) <= 0x7fffffff ? value : 0x7fffffff;
}
