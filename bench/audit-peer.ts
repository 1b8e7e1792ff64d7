import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

// The peer of `npm run bench -- audit`: what readline and JSON.parse are for JSON logs. It makes an object of each record,
// with one match of a regular expression per field, and keeps nothing: it decodes no values and puts no events together.
// It prints one JSON object. The checksum uses every record, so that V8 cannot optimise the work away.

const FIELD = /([\w-]+)=("[^"]*"|'[^']*'|\S+)/g;

const started = performance.now();
let records = 0;
let checksum = 0;
for await (const line of createInterface({
  input: createReadStream(process.argv[2], { highWaterMark: 1 << 20 }),
})) {
  const record: Record<string, string> = {};
  FIELD.lastIndex = 0;
  for (let match = FIELD.exec(line); match !== null; match = FIELD.exec(line)) record[match[1]] = match[2];
  if (record.type === undefined) continue;
  records++;
  checksum += record.type.length + (record.msg?.length ?? 0) + (record.exe?.length ?? 0);
}
console.log(JSON.stringify({ records, checksum, seconds: (performance.now() - started) / 1000 }));
