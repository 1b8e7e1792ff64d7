import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ended } from '../outages/watched-log.js';
import { CLI, type Format, makeLog, parseOnly, recal, repeatLog } from './logs.js';

const FIRST_RATE = 10_000;
const STEP = 1.5;
const WRITE_EVERY_MS = 100;
/** Lines wait for the next commit up to two seconds. If more wait when the feed ends, the lag grew. */
const MOST_LAG_SECONDS = 4;
const NEWLINE = 0x0a;

export interface RateOptions {
  readonly formats: readonly Format[];
  readonly events: string;
  /** Seconds at each rate. */
  readonly seconds: number;
}

/** Writes lines to a log at higher and higher rates while `recal watch` follows it, until it lags behind. */
export async function measureRates(folder: string, { formats, events, seconds }: RateOptions): Promise<void> {
  for (const format of formats) {
    const log = await makeLog(folder, format, events);
    const parsed = await parseOnly(log, format);
    const own = join(folder, `${format}-count`);
    const counted = JSON.parse(recal(['ingest', log, '--store', own, '--json', '--quiet']).stdout) as {
      events: number;
    };
    const perEvent = statSync(log).size / counted.events;
    const source = join(folder, `${format}-long.log`);
    await repeatLog(log, format, Math.ceil((32 * FIRST_RATE * seconds) / counted.events), source);
    console.log(
      `\n${format}, ${perEvent.toFixed(0)} bytes per event; the loop that only parses: ${Math.round(counted.events / parsed).toLocaleString('en')} events/s`,
    );
    const watch = await FollowedLog.start(folder, format);
    try {
      const lines = new LineFeed(source, watch.log);
      for (let rate = FIRST_RATE; ; rate *= STEP) {
        const bytes = rate * perEvent;
        if (!(await lines.feed(bytes, seconds))) {
          console.log('  the log is used up');
          break;
        }
        const lag = (await watch.lag()) / bytes;
        const started = performance.now();
        while ((await watch.lag()) > 0) await sleep(100);
        const drained = (performance.now() - started) / 1000;
        const isSustained = lag <= MOST_LAG_SECONDS;
        console.log(
          `  ${Math.round(rate).toLocaleString('en')} events/s for ${seconds} s: ${lag.toFixed(1)} s behind, read after ${drained.toFixed(1)} s: ${isSustained ? 'sustained' : 'the lag grows'}`,
        );
        if (!isSustained) break;
      }
    } finally {
      await watch.stop();
    }
  }
}

/** Copies a log to a file at a given rate. */
class LineFeed {
  readonly #from: number;
  readonly #to: number;
  readonly #size: number;
  #at = 0;

  constructor(from: string, to: string) {
    this.#from = openSync(from, 'r');
    this.#to = openSync(to, 'a');
    this.#size = statSync(from).size;
  }

  /** Returns whether there were enough lines. */
  async feed(bytesPerSecond: number, seconds: number): Promise<boolean> {
    const started = performance.now();
    const first = this.#at;
    for (;;) {
      const elapsed = Math.min((performance.now() - started) / 1000, seconds);
      this.#write(first + elapsed * bytesPerSecond);
      if (this.#at >= this.#size) return false;
      if (elapsed >= seconds) return true;
      await sleep(WRITE_EVERY_MS);
    }
  }

  #write(end: number): void {
    const wanted = Math.min(this.#size, Math.ceil(end)) - this.#at;
    if (wanted <= 0) return;
    const buffer = Buffer.allocUnsafe(wanted);
    const lines = buffer.subarray(0, readSync(this.#from, buffer, 0, wanted, this.#at));
    const whole = lines.subarray(0, lines.lastIndexOf(NEWLINE) + 1);
    writeSync(this.#to, whole);
    this.#at += whole.length;
  }
}

/** A watch that learns from a log, and tells its lag. */
class FollowedLog {
  readonly log: string;
  readonly #child: ChildProcess;
  readonly #port: number;

  private constructor(log: string, child: ChildProcess, port: number) {
    this.log = log;
    this.#child = child;
    this.#port = port;
  }

  static async start(folder: string, format: Format): Promise<FollowedLog> {
    const log = join(folder, `${format}-followed.log`);
    closeSync(openSync(log, 'a'));
    const port = await freePort();
    const flags = ['--learn', '1000w', '--metrics', `127.0.0.1:${port}`, '--max-line', '8000000', '--quiet'];
    const child = spawn(
      process.execPath,
      [CLI, 'watch', log, '--dir', join(folder, `${format}-watch`), ...flags],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    const watch = new FollowedLog(log, child, port);
    while ((await watch.lag().catch(() => undefined)) === undefined) await sleep(100);
    return watch;
  }

  /** Bytes that wait. */
  async lag(): Promise<number> {
    const answer = await fetch(`http://127.0.0.1:${this.#port}/metrics`);
    return Number(/^recal_source_lag_bytes\{.*\} (\d+)$/m.exec(await answer.text())?.[1]);
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await ended(this.#child);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
