import { type Batch, NO_SYMBOL, type Problem } from '../../batch.js';
import { JsonScan, LINE, type ScanMemory } from '../../scan/json-scan.js';
import { TimeWords } from '../../time-words.js';
import { oversizeReason, type Reader, type ReaderOptions } from '../reader.js';
import { TimeReader } from '../records/time-reader.js';
import { Symbols } from '../symbols.js';
import { channelReason } from './channels.js';
import { NO_CREATED, NO_UTC, NUMBERED, RECORD, writeTape } from './clock-tape.js';
import { OWN_CLOCK, RECORD_NAMES, SENSOR_EVENTS } from './event-table.js';
import { EVENTS_PER_RECORD, EventWriter, type RecordFrame } from './event-writer.js';
import { DecodedFields, type Fields, fieldGroup } from './fields.js';
import { EVENT_DATA, JoinedFields, ScannedFields, shape, XML_TEXTS } from './json-fields.js';
import type { Naming } from './naming.js';
import { findEvent, readXml, XmlError } from './xml-event.js';

const SAMPLE_BYTES = 120;
const LARGEST_RECORD_ID = 2n ** 60n / BigInt(EVENTS_PER_RECORD);
/** Longer record ids may not be exact as numbers. */
const MOST_DIGITS = 15;
/** A line of another program in a syslog file. */
const SYSLOG_LINE =
  /^\s*(?:<\d{1,3}>)?(?:1 )?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)/;
const OPENING = /^\s*[{[]/;

/** Reads Sysmon records in JSON and XML. A line holds one JSON record, or text with any number of XML events. */
export class SysmonReader implements Reader {
  readonly #scan: JsonScan;
  readonly #scanned: ScannedFields;
  readonly #symbols = new Symbols();
  readonly #writer = new EventWriter(this.#symbols);
  // Their dates differ in logs whose `TimeCreated` is local time.
  readonly #utcTimes = new TimeReader('Z');
  readonly #createdTimes = new TimeReader('Z');
  readonly #utc = new TimeWords();
  readonly #created = new TimeWords();
  readonly #frame: RecordFrame = {
    host: NO_SYMBOL,
    line: 0,
    utc: this.#utc,
    sequence: undefined,
    settled: false,
    naming: 'windows',
  };
  readonly #maxLine: number;
  /** The heads of the records in the block. */
  readonly #counted: Head[] = [];
  /** The line within the block, from 0. */
  #line = 0;

  constructor(memory: ScanMemory, options: ReaderOptions) {
    this.#scan = new JsonScan(memory, shape, options.maxLine);
    this.#scanned = new ScannedFields(this.#scan);
    this.#maxLine = options.maxLine;
  }

  read(block: Uint8Array, length: number, batch: Batch): void {
    this.#scan.begin(block, length);
    this.#writer.begin(batch);
    batch.symbols = this.#symbols.texts;
    this.#line = 0;
    for (let found = this.#scan.next(); found !== LINE.end; found = this.#scan.next()) {
      if (found === LINE.blank) batch.blank++;
      else this.#takeLine(found, batch);
      this.#line++;
    }
    batch.lines = this.#line;
    for (const head of this.#counted.splice(0)) {
      const name = head.name as string;
      batch.records.set(name, (batch.records.get(name) ?? 0) + head.count);
      head.count = 0;
    }
  }

  #takeLine(found: number, batch: Batch): void {
    let code: Problem['code'] = 'record';
    let reason: string | undefined;
    if (found === LINE.oversize) {
      code = 'oversize';
      reason = oversizeReason(this.#scan.lineLength, this.#maxLine);
    } else if (found === LINE.record) reason = this.#takeJson(batch);
    else {
      const line = this.#scan.lineText();
      if (OPENING.test(line)) {
        code = 'syntax';
        const failure = this.#scan.failure();
        reason = `${failure.reason} (column ${failure.column})`;
      } else reason = this.#takeText(line, batch);
    }
    if (reason !== undefined)
      batch.problem({ line: this.#line, code, reason, sample: this.#scan.sample(SAMPLE_BYTES) });
  }

  /** Takes a JSON record. Returns a reason if it is malformed. */
  #takeJson(batch: Batch): string | undefined {
    const scan = this.#scan;
    const head = this.#scanned.memo(HEAD, () => this.#headOf(this.#scanned));
    if (head.id === '') {
      const slot = XML_TEXTS.find((candidate) => scan.has(candidate) && scan.isString(candidate));
      return slot === undefined
        ? 'not a record of the Windows event log'
        : this.#takeText(scan.text(slot), batch);
    }
    if (!scan.has(EVENT_DATA) || !scan.isString(EVENT_DATA))
      return this.#takeRecord(head, this.#scanned, batch);
    const data = decodeEventData(scan.text(EVENT_DATA));
    return typeof data === 'string'
      ? data
      : this.#takeRecord(head, new JoinedFields(this.#scanned, data), batch);
  }

  /** Takes the XML events of a text. Other text of a syslog file belongs to other programs. */
  #takeText(text: string, batch: Batch): string | undefined {
    let start = findEvent(text, 0);
    if (start < 0) {
      if (!SYSLOG_LINE.test(text)) return 'neither a JSON record nor an XML event';
      batch.skip('otherProgram');
      return undefined;
    }
    const events: Fields[] = [];
    let cut = false;
    try {
      while (start >= 0) {
        const { fields, end, cut: isCut } = readXml(text, start);
        events.push(fields);
        cut = isCut;
        start = findEvent(text, end);
      }
    } catch (error) {
      if (error instanceof XmlError) return error.message;
      throw error;
    }
    // A line is read as a whole or not at all, so that each line is counted once.
    const heads = events.map((fields) => this.#headOf(fields));
    const reason = heads.find((head) => head.fault !== undefined)?.fault;
    if (reason !== undefined) return reason;
    for (const [i, fields] of events.entries()) this.#takeRecord(heads[i], fields, batch);
    if (cut) batch.repair('cutXml');
    return undefined;
  }

  #headOf(fields: Fields): Head {
    const id = fields.text('EventID');
    const channel = fields.text('Channel');
    const provider = fields.text('Provider');
    const fault = faultOf(id, channel, provider);
    const isSysmon = provider.endsWith('-Sysmon') || channel.includes('-Sysmon/');
    const linux = provider === 'Linux-Sysmon' || channel.startsWith('Linux-');
    return {
      id,
      fault,
      skip: isSysmon ? undefined : channelReason(channel),
      eventId: Number(id),
      name: RECORD_NAMES.get(Number(id)),
      computer: fields.text('Computer'),
      host: undefined,
      isOfSensor: Object.hasOwn(SENSOR_EVENTS, Number(id)),
      ownClock: OWN_CLOCK.has(Number(id)),
      naming: linux ? 'linux' : 'windows',
      count: 0,
    };
  }

  #takeRecord(head: Head, fields: Fields, batch: Batch): string | undefined {
    const { fault, skip } = head;
    if (fault !== undefined) return fault;
    if (skip !== undefined) {
      batch.skip(skip);
      return undefined;
    }
    head.host ??= head.computer === '' ? NO_SYMBOL : this.#symbols.numberOf(head.computer);
    if (head.host < 0) return 'too many different hosts, relations and kinds';
    this.#takeEvent(head, fields, head.host, batch);
    return undefined;
  }

  #takeEvent(head: Head, fields: Fields, host: number, batch: Batch): void {
    const { eventId, name, naming } = head;
    if (name === undefined) {
      batch.skip('unknownEventId');
      return;
    }
    if (head.count++ === 0) this.#counted.push(head);
    const utc = this.#utc;
    const created = this.#created;
    fields.time('UtcTime', this.#utcTimes, utc);
    fields.time('TimeCreated', this.#createdTimes, created);
    const sequence = recordIdOf(
      fields instanceof ScannedFields ? fields.recordId() : fields.text('RecordID'),
    );
    const row = batch.events;
    let rows = 0;
    if (head.isOfSensor) batch.skip(name);
    else {
      const frame = this.#frame;
      frame.host = host;
      frame.line = this.#line;
      frame.sequence = sequence;
      frame.settled = utc.known && !head.ownClock;
      frame.naming = naming;
      rows = this.#writer.write(eventId, fields, frame);
      if (rows === 0) batch.skip('noProcess');
    }
    const flags =
      (utc.known ? 0 : NO_UTC) | (created.known ? 0 : NO_CREATED) | (sequence === undefined ? 0 : NUMBERED);
    writeTape(batch, recordKind(head, fields), row, rows, host, flags, utc, created);
  }
}

/** What the fields around the event data tell. */
interface Head {
  readonly id: string;
  /** Why the record is malformed, if it is. */
  readonly fault: string | undefined;
  /** Why the record is skipped, if it is. */
  readonly skip: string | undefined;
  readonly eventId: number;
  /** Sysmon's name of the event id, if it has one. */
  readonly name: string | undefined;
  readonly computer: string;
  /** The symbol of the computer, once it was needed. */
  host: number | undefined;
  /** Whether it is a record about Sysmon itself, or one whose `UtcTime` comes from a clock of its own. */
  readonly isOfSensor: boolean;
  readonly ownClock: boolean;
  readonly naming: Naming;
  /** The number of records in the block with this head. */
  count: number;
}

const HEAD = fieldGroup('EventID', 'Channel', 'Provider', 'Computer');

/** Returns why these are not fields of an event log, or undefined. */
function faultOf(id: string, channel: string, provider: string): string | undefined {
  if (!/^\d{1,5}$/.test(id)) return 'the event id is missing or not a number';
  if (channel === '' && provider === '') return 'the record names neither its channel nor its provider';
  return undefined;
}

/** Decodes event data that a collector kept as a text. Returns a reason if it is malformed. */
function decodeEventData(text: string): DecodedFields | string {
  if (text.startsWith('<')) {
    try {
      return readXml(text, 0).fields;
    } catch (error) {
      if (error instanceof XmlError) return error.message;
      throw error;
    }
  }
  const fields = new DecodedFields();
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return '`EventData` is neither JSON nor XML';
  }
  if (typeof data !== 'object' || data === null) return '`EventData` is not an object';
  for (const [name, value] of Object.entries(data)) {
    if (typeof value === 'string') fields.set(name, value);
    else if (typeof value === 'number' || typeof value === 'boolean') fields.set(name, String(value));
  }
  return fields;
}

function recordKind({ eventId, isOfSensor, ownClock }: Head, fields: Fields): number {
  if (ownClock) return RECORD.ownClock;
  if (!isOfSensor) return eventId === 1 ? RECORD.processCreate : RECORD.other;
  if (eventId === 16) return RECORD.configured;
  if (eventId === 255) return RECORD.error;
  return fields.text('State') === 'Started' ? RECORD.started : RECORD.stopped;
}

function recordIdOf(stated: number | string | undefined): number | bigint | undefined {
  if (stated === undefined) return undefined;
  if (typeof stated === 'number') return stated > 0 ? stated : undefined;
  if (!/^\d{1,18}$/.test(stated)) return undefined;
  const id = stated.length <= MOST_DIGITS ? Number(stated) : BigInt(stated);
  return id > 0n && id < LARGEST_RECORD_ID ? id : undefined;
}
