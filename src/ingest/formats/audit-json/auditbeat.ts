import type { Batch } from '../../batch.js';
import { ACT, FAMILY, NONE, SEEN } from '../../kernel/act.js';
import { callByName } from '../../kernel/calls.js';
import { KernelAssembler } from '../../kernel/kernel-assembler.js';
import type { ScanMemory } from '../../scan/json-scan.js';
import { Shape, type Slot } from '../../scan/shape.js';
import { RecordFields } from '../auditd/record-fields.js';
import { RecordHead } from '../auditd/record-head.js';
import { RecordTypes, TYPE } from '../auditd/record-types.js';
import type { Format, ReaderOptions } from '../reader.js';
import { TimeReader } from '../records/time-reader.js';
import { ActsReader, fieldText, isFields, lowWord, objectsIn, wordOf } from './acts-reader.js';
import { addPath } from './path-fields.js';
import { socketText } from './socket-text.js';

/** Linux audit events as auditbeat and Elastic's auditd_manager write them: ECS documents with `auditd`. */
export const auditbeat: Format = {
  name: 'auditbeat',
  title: 'auditbeat JSON of Linux audit',
  exactTime: true,
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

/** More records than an event has. */
const MOST_RECORDS = 1024;
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

class AuditbeatReader extends ActsReader {
  readonly #types = new RecordTypes();
  readonly #head = new RecordHead(this.#types);
  readonly #fields = new RecordFields(this.writer.texts);
  readonly #times = new TimeReader();

  constructor(memory: ScanMemory, options: ReaderOptions) {
    super(shape, memory, options);
  }

  override read(block: Uint8Array, length: number, batch: Batch): void {
    this.#fields.begin();
    super.read(block, length, batch);
  }

  protected override fill(batch: Batch): string | undefined {
    const { scan } = this;
    if (!scan.isRaw(AUDITD)) return 'not an auditbeat document: no `auditd`';
    this.setHost(this.optional(HOST_NAME) ?? this.optional(AGENT_NAME));
    const lines = this.#original();
    const reason = lines.length > 0 ? this.#fillFromRecords(lines) : this.#fillFromFields();
    if (reason === undefined)
      batch.count((this.optional(MESSAGE_TYPE) ?? 'event').toUpperCase().slice(0, 64));
    return reason;
  }

  /** The audit records of the event, if the document has them. */
  #original(): string[] {
    if (!this.scan.has(ORIGINAL)) return [];
    const value = this.scan.isRaw(ORIGINAL) ? this.parsed(ORIGINAL) : this.scan.text(ORIGINAL).split('\n');
    const lines = Array.isArray(value) ? value.filter((line) => typeof line === 'string') : [];
    return lines.slice(0, MOST_RECORDS).filter((line: string) => line.trim() !== '');
  }

  #fillFromRecords(lines: readonly string[]): string | undefined {
    const { act } = this;
    const { words } = act;
    for (const line of lines) {
      const bytes = Buffer.from(line.trim());
      if (!this.#head.read(bytes, 0, bytes.length))
        return '`event.original` has a line that is not an audit record';
      const { type, serial, timeLow, timeHigh } = this.#head;
      words[ACT.serial] = serial;
      words[ACT.timeLow] = timeLow;
      words[ACT.timeHigh] = timeHigh;
      this.#fields.read(type, bytes, this.#head.body, bytes.length, act);
      if (type === TYPE.SYSTEM_BOOT) words[ACT.seen] |= SEEN.boot;
      if (this.#types.isAlone(type)) words[ACT.seen] |= SEEN.alone;
    }
    return undefined;
  }

  #fillFromFields(): string | undefined {
    const { scan, act } = this;
    const time = scan.isString(TIMESTAMP) ? this.#times.read(scan.freshText(TIMESTAMP)) : undefined;
    if (time === undefined) return 'the document has neither `event.original` nor a valid `@timestamp`';
    this.setTime(time, this.word(SEQUENCE));
    const { words } = act;
    const data = this.parsed(DATA);
    const call = isFields(data) ? fieldText(data.syscall) : undefined;
    if (!isFields(data) || call === undefined) {
      words[ACT.seen] |= SEEN.alone;
      return undefined;
    }
    words[ACT.seen] |= SEEN.call | SEEN.full;
    words[ACT.call] = callByName(call);
    words[ACT.ok] = scan.is(RESULT, 'success') ? 2 : scan.is(RESULT, 'fail') ? 1 : 0;
    words[ACT.exit] = resultOf(fieldText(data.exit));
    for (const [i, name] of ['a0', 'a1', 'a2', 'a3'].entries()) {
      const text = fieldText(data[name]);
      if (text !== undefined) words[ACT.a0 + i] = lowWord(text);
    }
    words[ACT.pid] = this.word(PID);
    words[ACT.ppid] = wordOf(this.optional(PPID) ?? this.optional(OLD_PPID));
    words[ACT.user] = wordOf(this.optional(EFFECTIVE_USER) ?? this.optional(USER));
    words[ACT.userName] = this.textNumber(this.optional(EFFECTIVE_NAME) ?? this.optional(USER_NAME));
    words[ACT.session] = this.word(SESSION);
    words[ACT.comm] = this.textNumber(this.optional(NAME));
    words[ACT.exe] = this.textNumber(this.optional(EXECUTABLE));
    words[ACT.cwd] = this.textNumber(this.optional(FOLDER));
    words[ACT.title] = this.textNumber(this.optional(TITLE));
    words[ACT.container] = this.textNumber(this.optional(CONTAINER));
    const list = this.parsed(ARGUMENTS);
    if (/^execve/.test(call) && Array.isArray(list))
      this.setArguments(list.map((each) => fieldText(each) ?? ''));
    for (const [i, path] of objectsIn(this.parsed(PATHS)).entries())
      addPath(act, path, i, this.textNumber(fieldText(path.name)));
    if (isFields(data.socket)) this.#fillSocket(data.socket);
    return undefined;
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

/** The result of a call: a number, or the name of an error such as EINPROGRESS. */
function resultOf(text: string | undefined): number {
  if (text === undefined) return NONE;
  if (/^E[A-Z0-9]+$/.test(text)) return -(Object.hasOwn(ERRORS, text) ? ERRORS[text] : OTHER_ERROR);
  const value = Number(text);
  return Number.isInteger(value) && Math.abs(value) <= 0x7fffffff ? value : 0x7fffffff;
}
