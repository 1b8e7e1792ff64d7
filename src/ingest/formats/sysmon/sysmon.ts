import type { ScanMemory } from '../../scan/json-scan.js';
import type { Format, ReaderOptions } from '../reader.js';
import { SysmonClocks } from './clocks.js';
import { SysmonReader } from './sysmon-reader.js';
import { findEvent } from './xml-event.js';

/**
 * Sysmon for Windows and Linux, in all carriers that name its fields: flat JSON, winlogbeat, Sentinel, evtx_dump, XML
 * and syslog lines with XML. Records of other channels of the Windows event log are recognised too, and skipped.
 */
export const sysmon: Format = {
  name: 'sysmon',
  module: import.meta.url,
  title: 'Sysmon for Windows and Linux, JSON or XML',
  exactTime: true,
  recognises: (record: unknown) => isObject(record) && (isEvent(record) || hasXmlEvent(record)),
  recognisesLine: (line: string) => findEvent(line, 0) >= 0,
  open: (memory: ScanMemory, options: ReaderOptions) => new SysmonReader(memory, options),
  assembler: (state: unknown) => new SysmonClocks(state),
};

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tells whether the record has an event id, and the channel or the provider that gives it a meaning. */
function isEvent(record: JsonObject): boolean {
  const { winlog, Event } = record;
  if (isObject(winlog)) return 'event_id' in winlog && ('channel' in winlog || 'provider_name' in winlog);
  if (isObject(Event)) return isObject(Event.System) && 'EventID' in Event.System;
  return (
    'EventID' in record && ['Channel', 'EventLog', 'SourceName', 'Provider'].some((name) => name in record)
  );
}

function hasXmlEvent({ SyslogMessage, MESSAGE, message, event }: JsonObject): boolean {
  const original = isObject(event) ? event.original : undefined;
  return [SyslogMessage, MESSAGE, message, original].some(
    (text) => typeof text === 'string' && findEvent(text, 0) >= 0,
  );
}
