import { RecordFramer } from '../../ingest/sources/record-framer.js';

const OPEN_LIST = 0x5b;
const NEWLINE = 0x0a;
/** The members in which shippers put the line that they read. */
const WRAPPED = ['message', 'log', 'MESSAGE'] as const;
const MIGHT_WRAP = /"(message|log|MESSAGE)"\s*:/;

/**
 * Turns the body of a request into lines: JSON lines, a JSON array (Fluent Bit `json`, Vector), objects one after another
 * (Fluent Bit `json_stream`) or plain text. A line inside `message` or `log` is taken out. Other records stay byte for byte,
 * because parsing would round nanoseconds.
 */
export function pushedLines(body: Uint8Array): Buffer {
  const start = body.findIndex((byte) => byte > 0x20);
  if (start < 0) return Buffer.alloc(0);
  const first = body[start];
  const isJson = first === OPEN_LIST || first === 0x7b;
  const text = Buffer.from(isJson ? framed(body) : body).toString('utf8');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Buffer.from(lines.map((line) => `${unwrapped(line)}\n`).join(''));
}

function framed(body: Uint8Array): Uint8Array {
  const framer = new RecordFramer(undefined);
  framer.feed(body);
  const pieces: Buffer[] = [];
  for (;;) {
    const target = Buffer.alloc(Math.max(1 << 16, body.length + 2));
    const written = framer.write(target, true);
    if (written === 0) break;
    pieces.push(target.subarray(0, written));
  }
  const all = Buffer.concat(pieces);
  return all.at(-1) === NEWLINE || all.length === 0 ? all : Buffer.concat([all, Buffer.from('\n')]);
}

function unwrapped(line: string): string {
  if (!MIGHT_WRAP.test(line)) return line;
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return line;
  }
  if (typeof record !== 'object' || record === null) return line;
  for (const key of WRAPPED) {
    const inner = Object.hasOwn(record, key) ? (record as Record<string, unknown>)[key] : undefined;
    if (typeof inner === 'string' && isRecord(inner)) return inner.replace(/[\r\n]+/g, ' ').trim();
  }
  return line;
}

/** Whether a text is a record of a log of its own: JSON, XML or the record of an audit log. */
function isRecord(text: string): boolean {
  return /^\s*(\{|<Event\b|(node=\S+ )?type=[A-Z0-9_[\]]+ msg=audit\()/.test(text);
}
