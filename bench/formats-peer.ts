import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** The fields of audit records that a reader needs. */
const AUDIT_FIELDS = [
  'type',
  'msg',
  'syscall',
  'success',
  'exit',
  'a0',
  'a1',
  'pid',
  'ppid',
  'euid',
  'comm',
  'exe',
  'name',
  'cwd',
];
const AUDIT_PATTERNS = AUDIT_FIELDS.map((name) => new RegExp(`\\b${name}=("[^"]*"|\\S+)`));

/** Reads lines in one thread, parses each, and keeps nothing but a checksum. Returns the seconds it took. */
export async function peerSeconds(name: string, file: string): Promise<number> {
  const started = performance.now();
  let checksum = 0;
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    if (name === 'auditd') {
      for (const pattern of AUDIT_PATTERNS) checksum += pattern.exec(line)?.[1].length ?? 0;
    } else checksum += Object.keys(JSON.parse(line) as object).length;
  }
  if (checksum === 0) throw new Error(`${file} is empty`);
  return (performance.now() - started) / 1000;
}
