import { closeSync, openSync, readSync } from 'node:fs';

// The peer of `npm run bench -- ingest`: a JSON.parse loop that reads the same fields and stores nothing. It prints one
// JSON object. The checksum uses every field, so that V8 cannot optimise the work away.

interface Wrapped {
  [key: string]: unknown;
}

const unwrap = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Object.values(value as Wrapped)[0] : value;

const [path] = process.argv.slice(2);
const started = performance.now();
const file = openSync(path, 'r');
const buffer = Buffer.alloc(8 << 20);
let filled = 0;
let events = 0;
let entities = 0;
let checksum = 0;

const length = (value: unknown): number => (typeof value === 'string' ? value.length : 0);

function takeLine(line: string): void {
  const { datum } = JSON.parse(line) as { datum: Wrapped };
  const [kind] = Object.keys(datum);
  const record = datum[kind] as Wrapped;
  const properties = unwrap(record.properties) as Wrapped | null;
  if (kind.endsWith('.Event')) {
    events++;
    // A double that lost the last digits; exact times would make the peer slower.
    const time = record.timestampNanos as number;
    const sequence = unwrap(record.sequence) as number;
    checksum += (time % 1000) + sequence + length(record.type) + length(record.hostId);
    checksum += length(unwrap(record.subject)) + length(unwrap(record.predicateObject));
    checksum += length(unwrap(record.predicateObject2)) + length(unwrap(record.predicateObjectPath));
    checksum +=
      length(unwrap(record.predicateObject2Path)) + length(properties?.exec) + length(properties?.cmdLine);
  } else {
    entities++;
    const base = record.baseObject as Wrapped | undefined;
    checksum += length(record.uuid) + length(record.type) + length(unwrap(record.parentSubject));
    checksum += length(unwrap(record.cmdLine)) + length(record.remoteAddress) + length(base?.hostId);
  }
}

for (;;) {
  const read = readSync(file, buffer, filled, buffer.length - filled, null);
  filled += read;
  let start = 0;
  for (;;) {
    const end = buffer.indexOf(0x0a, start);
    if (end < 0 || end >= filled) break;
    takeLine(buffer.toString('utf8', start, end));
    start = end + 1;
  }
  buffer.copyWithin(0, start, filled);
  filled -= start;
  if (read === 0) break;
}
closeSync(file);
console.log(JSON.stringify({ events, entities, checksum, seconds: (performance.now() - started) / 1000 }));
