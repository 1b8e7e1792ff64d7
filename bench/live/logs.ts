import { spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

export const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
export const FORMATS = ['auditd', 'cdm18', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];
const PARTS = ['train', 'calibrate', 'test'];
/** Days of a simulated log. */
const DAYS = 5;
const DAY_SECONDS = 86_400;

/** A simulated log of five days. recal NDJSON has the events of CDM. */
export async function makeLog(folder: string, format: Format, events: string): Promise<string> {
  const source = format === 'auditd' ? 'auditd' : 'cdm18';
  const world = join(folder, source);
  const scenario = ['--scenario', 'linux-desktop', '--days', '3,1,1', '--events', events];
  if (!existsSync(world)) recal(['simulate', ...scenario, '--format', source, '--out', world]);
  const log = join(folder, `${format}.log`);
  if (format === 'ndjson') {
    const files = PARTS.map((part) => join(world, `${part}.json`));
    recal(['ingest', ...files, '--store', join(folder, 'store')]);
    recal(['export', '--store', join(folder, 'store'), '--out', log]);
    return log;
  }
  for (const part of PARTS) {
    const file = join(world, `${part}.${format === 'auditd' ? 'log' : 'json'}`);
    await pipeline(createReadStream(file), createWriteStream(log, { flags: 'a' }));
  }
  return log;
}

/** Writes a log several times, one after another in time: each copy begins five days after the one before. */
export async function repeatLog(log: string, format: Format, copies: number, out: string): Promise<void> {
  for (let copy = 0; copy < copies; copy++)
    await pipeline(
      createReadStream(log),
      new LaterLines(format, copy),
      createWriteStream(out, { flags: 'a' }),
    );
}

/** Moves the times of whole lines by so many copies. */
class LaterLines extends Transform {
  #rest = '';
  readonly #later: (text: string) => string;

  constructor(format: Format, copy: number) {
    super();
    const seconds = copy * DAYS * DAY_SECONDS;
    const nanoseconds = (digits: string) => String(BigInt(digits) + BigInt(seconds) * 1_000_000_000n);
    this.#later = {
      auditd: (text: string) =>
        text.replace(
          /\(([0-9]+)(\.[0-9]+):([0-9]+)\)/g,
          (_, time: string, part: string, serial: string) =>
            `(${Number(time) + seconds}${part}:${Number(serial) + copy * 50_000_000})`,
        ),
      cdm18: (text: string) =>
        text.replace(
          /("timestampNanos":)([0-9]{19})/g,
          (_, key: string, time: string) => key + nanoseconds(time),
        ),
      ndjson: (text: string) =>
        text.replace(/("ts":")([0-9]{19})/g, (_, key: string, time: string) => key + nanoseconds(time)),
    }[format];
  }

  override _transform(chunk: Buffer, _: string, done: TransformCallback): void {
    const text = this.#rest + chunk.toString('latin1');
    const end = text.lastIndexOf('\n') + 1;
    this.#rest = text.slice(end);
    done(null, Buffer.from(this.#later(text.slice(0, end)), 'latin1'));
  }
}

export function recal(args: readonly string[]): { stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`recal ${args[0]} failed: ${stderr.toString().slice(-500)}`);
  return { stdout: stdout.toString(), stderr: stderr.toString() };
}

/** Seconds to read every line and take it apart, and keep nothing. */
export async function parseOnly(log: string, format: Format): Promise<number> {
  const started = performance.now();
  let fields = 0;
  for await (const line of createInterface({ input: createReadStream(log) })) {
    if (format !== 'auditd') fields += Object.keys(JSON.parse(line) as object).length;
    else for (const _ of line.matchAll(/(\w+)=("[^"]*"|\S+)/g)) fields++;
  }
  if (fields === 0) throw new Error('nothing was parsed');
  return (performance.now() - started) / 1000;
}
