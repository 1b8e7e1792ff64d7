import type { TimeWords } from '../../time-words.js';
import type { TimeReader } from '../records/time-reader.js';

/** The fields of Sysmon's event data that the reader uses. */
export const DATA_FIELDS = [
  'UtcTime',
  'ProcessGuid',
  'ProcessId',
  'Image',
  'User',
  'CommandLine',
  'LogonGuid',
  'LogonId',
  'ParentProcessGuid',
  'ParentProcessId',
  'ParentImage',
  'ParentCommandLine',
  'ParentUser',
  'SourceProcessGuid',
  'SourceProcessId',
  'SourceImage',
  'SourceUser',
  'TargetProcessGuid',
  'TargetProcessId',
  'TargetImage',
  'TargetUser',
  'GrantedAccess',
  'StartModule',
  'StartFunction',
  'TargetFilename',
  'ImageLoaded',
  'Device',
  'TargetObject',
  'NewName',
  'EventType',
  'PipeName',
  'Initiated',
  'SourceIp',
  'SourcePort',
  'DestinationIp',
  'DestinationPort',
  'QueryName',
  'QueryResults',
  'Operation',
  'Name',
  'Consumer',
  'Filter',
  'Type',
  'State',
] as const;

/** The fields around the event data. */
export const SYSTEM_FIELDS = [
  'EventID',
  'Channel',
  'Provider',
  'Computer',
  'TimeCreated',
  'RecordID',
] as const;

export type DataField = (typeof DATA_FIELDS)[number];
export type SystemField = (typeof SYSTEM_FIELDS)[number];
export type Field = DataField | SystemField;

/** Fields that tell of one thing together. */
export interface FieldGroup {
  readonly fields: readonly Field[];
  /** The number of groups before it. */
  readonly number: number;
}

let groups = 0;

export function fieldGroup(...fields: readonly Field[]): FieldGroup {
  return { fields, number: groups++ };
}

/** The texts of one record, whatever carries it. */
export interface Fields {
  /** Returns the text of a field, or an empty text if the record has none. */
  text(field: Field): string;
  /** Returns what `make` makes of these fields only. It may come from an earlier record with the same texts. */
  memo<T>(group: FieldGroup, make: () => T): T;
  /** Takes the time in a field, which is UTC if it has no zone. `reader` reads unusual forms. */
  time(field: 'UtcTime' | 'TimeCreated', reader: TimeReader, into: TimeWords): void;
}

const KNOWN: ReadonlySet<string> = new Set([...DATA_FIELDS, ...SYSTEM_FIELDS]);

/** Sysmon writes these two names in both ways: `GUID` in event 10, `Guid` elsewhere. */
const SAME: Readonly<Record<string, DataField>> = {
  SourceProcessGUID: 'SourceProcessGuid',
  TargetProcessGUID: 'TargetProcessGuid',
};

/** The other spellings of a field. */
export function spellings(field: Field): string[] {
  const others = Object.keys(SAME).filter((name) => SAME[name] === field);
  return [field, ...others];
}

/** The texts of a record that was decoded whole. Its keys come from logs, so it keeps known fields only. */
export class DecodedFields implements Fields {
  readonly #texts = new Map<string, string>();

  /** Sets a field by the name in the log. Unknown names are left out. */
  set(name: string, value: string): void {
    const field = Object.hasOwn(SAME, name) ? SAME[name] : name;
    if (KNOWN.has(field)) this.#texts.set(field, absentAsEmpty(value));
  }

  text(field: Field): string {
    return this.#texts.get(field) ?? '';
  }

  memo<T>(_group: FieldGroup, make: () => T): T {
    return make();
  }

  time(field: 'UtcTime' | 'TimeCreated', reader: TimeReader, into: TimeWords): void {
    into.setTime(reader.read(this.text(field)));
  }
}

/** Sysmon writes these for a value that it does not know. */
export function absentAsEmpty(text: string): string {
  return text === '-' || text === '(null)' || text === '<unknown process>' ? '' : text;
}
