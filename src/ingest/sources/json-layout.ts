/** How JSON records lie in an input: one per line, or in documents that span lines or hold several records. */
export type JsonLayout =
  | { kind: 'lines' }
  /** `list` is the member of each document that holds the records, if they are wrapped. */
  | { kind: 'documents'; list: string | undefined };

/** The number of bytes that decide the layout. */
export const LAYOUT_BYTES = 1 << 16;

/** The members that exporters wrap records in, such as `{"Records":[…]}`. No log record has a list of objects there. */
const LISTS = new Set(['events', 'Events', 'records', 'Records', 'logs', 'results', 'value']);

export const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
/** Readers refuse deeper records, so that cut lines one after another are no document. */
const DEEPEST = 64;
const LINES: JsonLayout = { kind: 'lines' };
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;

/**
 * Detects the layout from the beginning of an input. Documents are an array of objects, an object over several lines, or
 * an object with a known list of objects. A broken first line must not make JSON lines look like a document, so the
 * beginning has to follow the JSON grammar up to the end of the first object.
 */
export function jsonLayout(head: Uint8Array): JsonLayout {
  const start = skipSpace(head, startsWithMark(head) ? BYTE_ORDER_MARK.length : 0);
  if (head[start] === 0x5b) {
    return head[skipSpace(head, start + 1)] === 0x7b ? { kind: 'documents', list: undefined } : LINES;
  }
  return head[start] === 0x7b ? layoutOfObject(head, start) : LINES;
}

/** What the grammar allows next. */
type Expected = 'key' | 'first key' | 'colon' | 'value' | 'first value' | 'separator';

function layoutOfObject(head: Uint8Array, start: number): JsonLayout {
  const open: number[] = [];
  let expected: Expected = 'value';
  let member = '';
  let severalLines = false;
  let at = start;
  while (at < head.length) {
    const byte = head[at];
    if (isSpace(byte)) {
      severalLines ||= byte === NEWLINE;
      at++;
      continue;
    }
    if (byte === QUOTE) {
      const stop = endOfString(head, at);
      if (stop === 0) return LINES;
      if (expected === 'key' || expected === 'first key') {
        if (open.length === 1) member = Buffer.from(head.subarray(at + 1, stop - 1)).toString('latin1');
        expected = 'colon';
      } else if (expected === 'value' || expected === 'first value') expected = 'separator';
      else return LINES;
      at = stop;
      continue;
    }
    at++;
    const isValue: boolean = expected === 'value' || expected === 'first value';
    if (byte === 0x7b || byte === 0x5b) {
      if (!isValue || open.length === DEEPEST) return LINES;
      if (open.length === 1 && byte === 0x5b && LISTS.has(member) && head[skipSpace(head, at)] === 0x7b)
        return { kind: 'documents', list: member };
      open.push(byte);
      expected = byte === 0x7b ? 'first key' : 'first value';
    } else if (byte === 0x7d || byte === 0x5d) {
      const empty = byte === 0x7d ? 'first key' : 'first value';
      // In ASCII, a closing bracket comes two after its opening one.
      if ((expected !== 'separator' && expected !== empty) || open.pop() !== byte - 2) return LINES;
      if (open.length === 0) return severalLines ? { kind: 'documents', list: undefined } : LINES;
      expected = 'separator';
    } else if (byte === 0x3a) {
      if (expected !== 'colon') return LINES;
      expected = 'value';
    } else if (byte === 0x2c) {
      if (expected !== 'separator') return LINES;
      expected = open.at(-1) === 0x7b ? 'key' : 'value';
    } else {
      if (!isValue) return LINES;
      while (at < head.length && isScalar(head[at])) at++;
      expected = 'separator';
    }
  }
  return severalLines ? { kind: 'documents', list: undefined } : LINES;
}

/** Returns the position after a string, the end of the bytes if it goes on there, or 0 if it holds a newline. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) return at + 1;
    if (bytes[at] === NEWLINE) return 0;
    if (bytes[at] === BACKSLASH) at++;
  }
  return bytes.length;
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isSpace(bytes[at])) at++;
  return at;
}

export function startsWithMark(bytes: Uint8Array): boolean {
  return BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte);
}

/** Tells whether a byte is JSON white space. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;
}

/** Tells whether a byte can belong to a number, `true`, `false` or `null`. */
function isScalar(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    [0x2b, 0x2d, 0x2e, 0x45].includes(byte)
  );
}
