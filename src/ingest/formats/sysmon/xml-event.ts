import { DecodedFields } from './fields.js';
import { unescapeXml } from './unescape-xml.js';

/** Real events are five levels deep. */
const MAX_DEPTH = 16;
/** Real elements have at most four attributes. */
const MAX_ATTRIBUTES = 32;

const NAME = /[A-Za-z_][\w.:-]*/y;
const ATTRIBUTE = /\s+([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const TAG_END = /\s*(\/?)>/y;
const EVENT_START = /<Event[\s>]/g;

/** Returns where the next event starts in a text, or -1. */
export function findEvent(text: string, from: number): number {
  EVENT_START.lastIndex = from;
  return EVENT_START.exec(text)?.index ?? -1;
}

export interface XmlEvent {
  fields: DecodedFields;
  end: number;
  /** True if the text ends before the event does. */
  cut: boolean;
}

/** Why a text is not an event. */
export class XmlError extends Error {}

/** An open element. */
interface Open {
  name: string;
  /** The field that its text is, if any. */
  field: string | undefined;
}

/**
 * Reads the element at `start` of a text: an `Event`, or another one around `EventData`. Returns its fields and where it
 * ends. It knows elements, attributes, comments, CDATA and character references, and refuses everything else, above all
 * document types. Each character is read once. Syslog cuts long messages: what is before the cut counts if the cut is in
 * the event data.
 */
export function readXml(text: string, start: number): XmlEvent {
  const fields = new DecodedFields();
  const open: Open[] = [];
  let value = '';
  let at = start;
  for (;;) {
    const tag = text.indexOf('<', at);
    const field = open.at(-1)?.field;
    const stop = tag < 0 ? text.length : tag;
    if (field !== undefined && stop > at) value += unescapeXml(text.slice(at, stop));
    if (tag < 0 || text.indexOf('>', tag) < 0) {
      if (!open.some(({ name }) => name === 'EventData')) throw new XmlError('the XML event is incomplete');
      if (field !== undefined) fields.set(field, value);
      return { fields, end: text.length, cut: true };
    }
    if (text.startsWith('<![CDATA[', tag)) {
      at = after(text, ']]>', tag + 9);
      if (field !== undefined) value += text.slice(tag + 9, at - 3);
    } else if (text.startsWith('<!--', tag)) at = after(text, '-->', tag + 4);
    else if (text[tag + 1] === '/') {
      const element = open.pop();
      at = after(text, '>', tag + 2);
      if (element === undefined || text.slice(tag + 2, at - 1).trimEnd() !== element.name)
        throw new XmlError('the XML event has an end tag without its start tag');
      if (element.field !== undefined) fields.set(element.field, value);
      value = '';
    } else {
      const element = readStartTag(text, tag, open, fields);
      at = element.end;
      if (!element.closed) open.push(element);
      value = '';
      if (open.length > MAX_DEPTH)
        throw new XmlError(`the XML event is nested deeper than ${MAX_DEPTH} levels`);
    }
    if (open.length === 0) return { fields, end: at, cut: false };
  }
}

function readStartTag(
  text: string,
  tag: number,
  open: readonly Open[],
  fields: DecodedFields,
): Open & { end: number; closed: boolean } {
  NAME.lastIndex = tag + 1;
  const name = NAME.exec(text)?.[0];
  if (name === undefined) throw new XmlError('the XML event has markup that recal does not read');
  const parent = open.at(-1)?.name ?? '';
  let field = parent === 'System' ? SYSTEM_TEXTS[name] : undefined;
  let at = NAME.lastIndex;
  for (let count = 0; ; count++) {
    ATTRIBUTE.lastIndex = at;
    const match = ATTRIBUTE.exec(text);
    if (match === null) break;
    if (count === MAX_ATTRIBUTES) throw new XmlError('an XML element has too many attributes');
    at = ATTRIBUTE.lastIndex;
    const [, attribute, double, single] = match;
    if (parent === 'System' && SYSTEM_ATTRIBUTES[name]?.[0] === attribute)
      fields.set(SYSTEM_ATTRIBUTES[name][1], unescapeXml(double ?? single));
    if (parent === 'EventData' && name === 'Data' && attribute === 'Name')
      field = unescapeXml(double ?? single);
  }
  TAG_END.lastIndex = at;
  const end = TAG_END.exec(text);
  if (end === null) throw new XmlError(`the XML element ${name} has a malformed attribute`);
  return { name, field, end: TAG_END.lastIndex, closed: end[1] === '/' };
}

/** The elements of `System` whose text is a field. */
const SYSTEM_TEXTS: Readonly<Record<string, string>> = {
  __proto__: null as never,
  EventID: 'EventID',
  Channel: 'Channel',
  Computer: 'Computer',
  EventRecordID: 'RecordID',
};

/** The elements of `System` of which an attribute is a field. */
const SYSTEM_ATTRIBUTES: Readonly<Record<string, readonly [string, string]>> = {
  __proto__: null as never,
  Provider: ['Name', 'Provider'],
  TimeCreated: ['SystemTime', 'TimeCreated'],
};

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  if (at < 0) throw new XmlError('the XML event is incomplete');
  return at + mark.length;
}
