import type { EntityRecord } from './dialect.js';

/** The parts of CDM18 records that all performers share, with the field order of the E3 release. */
export const CDM = 'com.bbn.tc.schema.avro.cdm18';

export const EVENT_START = `{"datum":{"${CDM}.Event":{"uuid":"`;
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

const REF_START = `{"${CDM}.UUID":"`;

/** An optional id: an Avro union in JSON. */
export function ref(uuid: string): string {
  return `${REF_START}${uuid}"}`;
}

export function optionalText(text: string | undefined): string {
  return text === undefined || text === '' ? 'null' : `{"string":"${text}"}`;
}

export function optionalLong(value: number): string {
  return value < 0 ? 'null' : `{"long":${value}}`;
}

/** The end of every record: the rest of the envelope and the line end. */
export function closing(source: string): string {
  return `},"CDMVersion":"18","source":"${source}"}\n`;
}

export function entityRecord(record: string, fields: string, source: string): EntityRecord {
  return { record, line: `{"datum":{"${CDM}.${record}":{${fields}}${closing(source)}` };
}

/** One value of `Event.parameters`: CADETS writes flags and modes in hexadecimal. */
export function integerParameter(name: string, value: number): string {
  const digits = value.toString(16).toUpperCase();
  const bytes = digits.length % 2 === 0 ? digits : `0${digits}`;
  return `{"size":-1,"type":"VALUE_TYPE_CONTROL","valueDataType":"VALUE_DATA_TYPE_INT","isNull":false,"name":{"string":"${name}"},"runtimeDataType":null,"valueBytes":{"bytes":"${bytes}"},"provenance":null,"tag":null,"components":null}`;
}
