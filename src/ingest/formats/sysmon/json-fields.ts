import { type JsonScan, TIME } from '../../scan/json-scan.js';
import { Shape, type Slot } from '../../scan/shape.js';
import type { TimeWords } from '../../time-words.js';
import type { TimeReader } from '../records/time-reader.js';
import {
  absentAsEmpty,
  DATA_FIELDS,
  type DataField,
  type Field,
  type FieldGroup,
  type Fields,
  SYSTEM_FIELDS,
  type SystemField,
  spellings,
} from './fields.js';

/**
 * The fields of all JSON carriers, by path. Event data is at the top level (OTRF, NXLog), in `winlog.event_data`
 * (winlogbeat), in `EventData` (Sentinel, if it is an object) or in `Event.EventData` (evtx_dump).
 */
export const shape = new Shape();

const DATA_PATHS = ['', 'winlog.event_data.', 'EventData.', 'Event.EventData.'];

const SYSTEM_PATHS: Readonly<Record<SystemField, readonly string[]>> = {
  EventID: ['EventID', 'winlog.event_id', 'Event.System.EventID'],
  Channel: ['Channel', 'winlog.channel', 'EventLog', 'Event.System.Channel'],
  Provider: ['SourceName', 'Provider', 'winlog.provider_name', 'Event.System.Provider.#attributes.Name'],
  Computer: ['Computer', 'Hostname', 'winlog.computer_name', 'Event.System.Computer'],
  TimeCreated: ['TimeCreated', 'winlog.time_created', 'Event.System.TimeCreated.#attributes.SystemTime'],
  RecordID: ['RecordNumber', 'EventRecordID', 'winlog.record_id', 'Event.System.EventRecordID'],
};

/**
 * Where a field is if it is in none of the places above: where Elastic's pipelines move event data to, and where
 * collectors put what the event itself lacks.
 */
const SECOND_PATHS: Partial<Record<Field, readonly string[]>> = {
  ProcessGuid: ['process.entity_id'],
  ProcessId: ['process.pid'],
  Image: ['process.executable'],
  CommandLine: ['process.command_line'],
  ParentProcessGuid: ['process.parent.entity_id'],
  ParentProcessId: ['process.parent.pid'],
  ParentImage: ['process.parent.executable'],
  ParentCommandLine: ['process.parent.command_line'],
  TargetFilename: ['file.path'],
  ImageLoaded: ['dll.path'],
  TargetObject: ['registry.path'],
  SourceIp: ['source.ip'],
  SourcePort: ['source.port'],
  DestinationIp: ['destination.ip'],
  DestinationPort: ['destination.port'],
  QueryName: ['dns.question.name'],
  EventID: ['Event.System.EventID.#text'],
  TimeCreated: ['@timestamp', 'TimeGenerated'],
  Computer: ['host.name', 'HostName'],
};

function slotsOf(field: Field): Slot[] {
  const paths = (DATA_FIELDS as readonly string[]).includes(field)
    ? DATA_PATHS.flatMap((path) => spellings(field).map((name) => `${path}${name}`))
    : SYSTEM_PATHS[field as SystemField];
  const slots = [shape.raw(...paths)];
  const moved = SECOND_PATHS[field];
  if (moved !== undefined) slots.push(...moved.map((path) => shape.raw(path)));
  return slots;
}

const PLACES: ReadonlyMap<Field, readonly Slot[]> = new Map(
  [...DATA_FIELDS, ...SYSTEM_FIELDS].map((field) => [field, slotsOf(field)]),
);
const RECORD_ID = PLACES.get('RecordID') as readonly Slot[];
const UTC_TIME = PLACES.get('UtcTime') as readonly Slot[];
const TIME_CREATED = PLACES.get('TimeCreated') as readonly Slot[];
/** Numbers with more digits may not be exact. */
const MOST_DIGITS = 15;

/** Event data as a text inside the record: JSON or XML. */
export const EVENT_DATA: Slot = shape.raw('EventData');
/** Whole events as XML: syslog in Sentinel, journald, filebeat, and the original that Elastic keeps. */
export const XML_TEXTS: readonly Slot[] = [
  shape.raw('SyslogMessage'),
  shape.raw('MESSAGE'),
  shape.raw('message'),
  shape.raw('event.original'),
];

/** The fields of the JSON record that was scanned last. */
export class ScannedFields implements Fields {
  readonly #scan: JsonScan;
  /** The scan's groups by the number of the group of fields. */
  readonly #groups: number[] = [];

  constructor(scan: JsonScan) {
    this.#scan = scan;
  }

  text(field: Field): string {
    const slot = this.#slotIn(PLACES.get(field) as readonly Slot[]);
    return slot < 0 ? '' : absentAsEmpty(this.#scan.text(slot));
  }

  memo<T>({ number, fields }: FieldGroup, make: () => T): T {
    let group = this.#groups[number];
    if (group === undefined) {
      group = this.#scan.group(fields.flatMap((field) => PLACES.get(field) as readonly Slot[]));
      this.#groups[number] = group;
    }
    return this.#scan.memo(group, make);
  }

  time(field: 'UtcTime' | 'TimeCreated', reader: TimeReader, into: TimeWords): void {
    const scan = this.#scan;
    const slot = this.#slotIn(field === 'UtcTime' ? UTC_TIME : TIME_CREATED);
    if (slot < 0) into.clear();
    else if (scan.readTime(slot) !== TIME.other) into.set(scan.word(slot, 0), scan.word(slot, 1));
    else into.setTime(reader.read(scan.freshText(slot)));
  }

  /** The record id if it is a short number, undefined if there is none, or its text. It rarely recurs. */
  recordId(): number | string | undefined {
    const scan = this.#scan;
    const slot = this.#slotIn(RECORD_ID);
    if (slot < 0) return undefined;
    const [start, stop] = [scan.start(slot), scan.stop(slot)];
    if (stop - start > MOST_DIGITS) return scan.freshText(slot);
    let id = 0;
    for (let at = start; at < stop; at++) {
      const digit = scan.bytes[at] - 0x30;
      if (digit < 0 || digit > 9) return scan.freshText(slot);
      id = id * 10 + digit;
    }
    return id;
  }

  /** The first of the slots that has a value, or -1. */
  #slotIn(slots: readonly Slot[]): Slot {
    const scan = this.#scan;
    for (let i = 0; i < slots.length; i++) if (scan.has(slots[i]) && !scan.isRaw(slots[i])) return slots[i];
    return -1;
  }
}

/** The fields of a record whose event data was decoded from a text. The rest stays in the scanned record. */
export class JoinedFields implements Fields {
  readonly #around: Fields;
  readonly #data: Fields;

  constructor(around: Fields, data: Fields) {
    this.#around = around;
    this.#data = data;
  }

  text(field: Field): string {
    return DATA.has(field) ? this.#data.text(field) : this.#around.text(field);
  }

  memo<T>(_group: FieldGroup, make: () => T): T {
    return make();
  }

  time(field: 'UtcTime' | 'TimeCreated', reader: TimeReader, into: TimeWords): void {
    (DATA.has(field) ? this.#data : this.#around).time(field, reader, into);
  }
}

const DATA: ReadonlySet<Field> = new Set<DataField>(DATA_FIELDS);
