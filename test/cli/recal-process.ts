import { type ChildProcess, spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { built } from '../built.js';

export interface Ended {
  /** Null if a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** Standard input; a stream stays open until its writer ends it. */
  input?: string | Uint8Array | Readable;
  /** Run as this user; for root only. */
  uid?: number;
  /** Bytes that a file may grow to. */
  fileLimit?: number;
  /** Called when the process runs, to send it signals. */
  onStart?: (child: ChildProcess) => void;
}

/** Runs `recal` as a process of its own, away from the settings of whoever runs the tests. */
export function recal(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const env: Record<string, string | undefined> = { ...process.env, ...options.env };
  for (const name of Object.keys(process.env)) {
    if (/^(RECAL_.*|NO_COLOR|FORCE_COLOR)$/.test(name) && options.env?.[name] === undefined) delete env[name];
  }
  const command = [process.execPath, built('cli/main.js'), ...args];
  // The shell's unit is 512 bytes in some and 1024 in others: dash and bash in POSIX mode both count 512.
  const limited =
    options.fileLimit === undefined
      ? command
      : ['sh', '-c', `ulimit -f ${Math.ceil(options.fileLimit / 512)} && exec "$@"`, 'sh', ...command];
  const child = spawn(limited[0], limited.slice(1), {
    env,
    cwd: options.cwd,
    uid: options.uid,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended: Ended = { code: null, stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      ended[name] += text;
    });
  }
  child.stdin.on('error', () => undefined); // it may end before it has read everything
  if (options.input instanceof Readable) options.input.pipe(child.stdin);
  else child.stdin.end(options.input ?? '');
  options.onStart?.(child);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...ended, code }));
  });
}

/** The one JSON object that `--json` prints; throws if standard output holds anything else. */
export function answer(ended: Ended): Record<string, unknown> {
  const lines = ended.stdout.split('\n');
  if (lines.length !== 2 || lines[1] !== '')
    throw new Error(`not one line: ${ended.stdout}\n${ended.stderr}`);
  return JSON.parse(lines[0]) as Record<string, unknown>;
}
