import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { type CdmLogOptions, cdmLog } from './cdm-log.js';

const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const SAMPLE_MS = 200;

export interface PipedIngest {
  /** Bytes of the log. */
  readonly bytes: number;
  /** Memory after each gigabyte. */
  readonly samples: readonly { readonly gigabytes: number; readonly mebibytes: number }[];
  /** The most memory in MiB that the process had at any time: all that is resident, native memory included. */
  readonly peak: number;
  readonly result: { events: number; entities: { total: number }; seconds: number };
}

/** Pipes a CDM log into `recal ingest -` and watches the memory of the process. */
export async function ingestPiped(store: string, options: CdmLogOptions): Promise<PipedIngest> {
  const piped = await pipeCdmLog(['ingest', '-', '--store', store, '--json', '--quiet'], options);
  return { ...piped, result: piped.result as PipedIngest['result'] };
}

/** Pipes a CDM log into a command that prints its result as JSON, and watches the memory of the process. */
export async function pipeCdmLog(
  command: readonly string[],
  options: CdmLogOptions,
): Promise<Omit<PipedIngest, 'result'> & { readonly result: unknown }> {
  const child = spawn(process.execPath, [CLI, ...command], { stdio: ['pipe', 'pipe', 'inherit'] });
  const samples: { gigabytes: number; mebibytes: number }[] = [];
  let peak = 0;
  // The end counts too: counting the entities needs memory when everything is read.
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMebibytes(child, 'VmHWM'));
  }, SAMPLE_MS);
  let bytes = 0;
  let next = 1e9;
  const counted = (function* () {
    for (const chunk of cdmLog(options)) {
      bytes += chunk.length;
      if (bytes >= next) {
        samples.push({ gigabytes: bytes / 1e9, mebibytes: residentMebibytes(child, 'VmRSS') });
        next += 1e9;
      }
      yield chunk;
    }
  })();
  const printed = collect(child);
  await pipeline(Readable.from(counted), child.stdin as NodeJS.WritableStream);
  const result: unknown = JSON.parse(await printed);
  clearInterval(watch);
  return { bytes, samples, peak, result };
}

function residentMebibytes(child: ChildProcess, field: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0; // the process ended, or the system has no /proc
  }
}

/** The output of a process, which must end well. */
export async function collect(child: ChildProcess): Promise<string> {
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`a measured process failed with exit code ${code}`);
  return text;
}
