import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { built } from '../../built.js';

/** A log of several days, with attacks on the last, and an event on the day after, with which that day ends. */
export interface ReplayedLog {
  readonly lines: readonly string[];
  readonly args: readonly string[];
}

/** What a receiver had, and what the folder of the watch says. */
export interface WatchOutcome {
  /** Ids of the incidents of each span, from its files. */
  readonly incidents: Readonly<Record<string, readonly unknown[]>>;
  /** The lines of the receiver. */
  readonly told: readonly { id: string; revision: number; status: string }[];
}

function startWatch(folder: string, args: readonly string[]): ChildProcess {
  const command = [built('cli/main.js'), 'watch', join(folder, 'audit.log'), '--dir', join(folder, 'watch')];
  const to = ['--to', `recal:${join(folder, 'told.jsonl')}`, '--metrics', 'off', '--log', 'json'];
  return spawn(process.execPath, [...command, ...to, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Runs to the end; throws with its last words if it fails. */
export async function finishWatch(folder: string, args: readonly string[]): Promise<void> {
  const child = startWatch(folder, [...args, '--once']);
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-4000);
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`watch ended with ${code}: ${words}`);
}

/**
 * Writes the log piece by piece, with two rotations, while the watch runs, and kills it at random moments. `random` gives numbers
 * from 0 to 1. The last run is left alone.
 */
export async function runWithKills(
  folder: string,
  { lines, args }: ReplayedLog,
  kills: number,
  random: () => number,
): Promise<void> {
  const log = join(folder, 'audit.log');
  const perRun = Math.ceil(lines.length / kills);
  for (let run = 0; run < kills; run++) {
    const part = lines.slice(run * perRun, (run + 1) * perRun);
    const child = startWatch(folder, [...args, '--tell-every', '0.2s', '--commit-every', '0.1s']);
    child.stderr?.resume();
    const ended = new Promise((resolve) => child.on('close', resolve));
    const cut = Math.floor(part.length * random());
    appendFileSync(log, part.slice(0, cut).join(''));
    await sleep(400 + 2200 * random());
    if (run === Math.floor(kills / 3) || run === Math.floor((2 * kills) / 3)) rotate(log);
    // Half a line stands at the end when it dies.
    const rest = part.slice(cut).join('');
    const half = Math.floor(rest.length * random());
    appendFileSync(log, rest.slice(0, half));
    await sleep(300 * random());
    child.kill('SIGKILL');
    await ended;
    appendFileSync(log, rest.slice(half));
  }
  await finishWatch(folder, args);
}

function rotate(log: string): void {
  if (existsSync(`${log}.1`)) renameSync(`${log}.1`, `${log}.2`);
  renameSync(log, `${log}.1`);
}

export function outcomeOf(folder: string): WatchOutcome {
  const alerts = join(folder, 'watch', 'alerts');
  const linesOf = (path: string) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  return {
    incidents: Object.fromEntries(
      readdirSync(alerts).map((span) => [span, linesOf(join(alerts, span, 'incidents.jsonl'))]),
    ),
    told: linesOf(join(folder, 'told.jsonl')),
  };
}
