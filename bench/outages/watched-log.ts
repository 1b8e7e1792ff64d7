import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { simulate } from '../../dist/simulate/simulate.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const ARGS = ['--learn', '3d', '--retrain', 'never', '--epochs', '1', '--threads', '1', '--late', '1s'];
const QUICK = ['--tell-every', '0.2s', '--commit-every', '0.1s'];

/** The lines of a log of several days with attacks on the last, and an event on the day after, with which that day ends. */
export interface Replay {
  readonly lines: readonly string[];
  /** Where detection begins. */
  readonly learned: number;
}

/** What a campaign did, and how its end differs from an undisturbed run. */
export interface CampaignResult {
  readonly name: string;
  readonly done: string;
  readonly problems: readonly string[];
}

export async function makeReplay(folder: string, events: number): Promise<Replay> {
  await simulate({
    scenario: 'linux-desktop',
    format: 'auditd',
    events,
    days: [2, 1, 1],
    seed: 3,
    out: folder,
  });
  const [train, calibrate, test] = ['train', 'calibrate', 'test'].map((part) =>
    readFileSync(join(folder, `${part}.log`), 'utf8').split(/(?<=\n)/),
  );
  const lines = [...train, ...calibrate, ...test];
  const event = /msg=audit\(([\d.]+:\d+)\)/.exec(lines[lines.length - 1])?.[1] ?? '';
  const [seconds, serial] = [Number(event.split('.')[0]), Number(event.split(':')[1])];
  const later = `${seconds + 86_400}.000:${serial + 1}`;
  const after = lines.filter((line) => line.includes(event)).map((line) => line.replace(event, later));
  return { lines: [...lines, ...after], learned: train.length + calibrate.length };
}

/** A folder with a log, a watch and its receivers. */
export class WatchedFolder {
  readonly folder: string;
  readonly dir: string;
  readonly receivers: readonly string[];
  /** It may be on another disk. */
  readonly log: string;

  constructor(
    folder: string,
    { log = join(folder, 'audit.log'), receivers = [] }: { log?: string; receivers?: readonly string[] } = {},
  ) {
    mkdirSync(folder, { recursive: true });
    this.folder = folder;
    this.dir = join(folder, 'watch');
    this.log = log;
    this.receivers = receivers;
  }

  get told(): string {
    return join(this.folder, 'told.jsonl');
  }

  start(more: readonly string[] = QUICK): ChildProcess {
    const to = [`recal:${this.told}`, ...this.receivers].flatMap((receiver) => ['--to', receiver]);
    const words = ['watch', this.log, '--dir', this.dir, ...to, '--metrics', 'off', '--log', 'json'];
    return spawn(process.execPath, [MAIN, ...words, ...ARGS, ...more], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  /** Runs to the end; throws with its last words if it fails. */
  async finish(): Promise<void> {
    const child = this.start(['--once']);
    let words = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-2000);
    });
    const code = await ended(child);
    if (code !== 0) throw new Error(`watch ended with ${code}: ${words}`);
  }

  outcome(): Outcome {
    const alerts = join(this.dir, 'alerts');
    return {
      events: eventsIn(join(this.dir, 'store', 'manifest.json')),
      incidents: Object.fromEntries(
        readdirSync(alerts).map((span) => [
          span,
          readFileSync(join(alerts, span, 'incidents.jsonl'), 'utf8'),
        ]),
      ),
      told: existsSync(this.told)
        ? readFileSync(this.told, 'utf8')
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line))
        : [],
    };
  }
}

export interface Outcome {
  readonly events: number;
  /** The bytes of the incidents of each span. */
  readonly incidents: Readonly<Record<string, string>>;
  readonly told: readonly Telling[];
}

export interface Telling {
  readonly id: string;
  readonly revision: number;
  readonly status: string;
}

/** The end of an undisturbed run over the whole log. */
export async function undisturbed({ lines }: Replay, folder: string): Promise<Outcome> {
  const calm = new WatchedFolder(folder);
  writeFileSync(calm.log, lines.join(''));
  await calm.finish();
  return calm.outcome();
}

/** How an outcome differs from the undisturbed one. Incidents may be told, grow and close on the way; the ends must agree. */
export function differences(found: Outcome, expected: Outcome): string[] {
  const problems: string[] = [];
  if (found.events !== expected.events) problems.push(`${found.events} events instead of ${expected.events}`);
  for (const span of new Set([...Object.keys(found.incidents), ...Object.keys(expected.incidents)]))
    if (found.incidents[span] !== expected.incidents[span]) problems.push(`incidents of ${span} differ`);
  problems.push(...doubled(found.told).map((key) => `told twice: ${key}`));
  const [ours, theirs] = [openOf(found.told), openOf(expected.told)];
  if (ours.join(' ') !== theirs.join(' '))
    problems.push(`open: ${ours.join(' ')} instead of ${theirs.join(' ')}`);
  if (theirs.length === 0) problems.push('the undisturbed run told nothing');
  return problems;
}

function doubled(told: readonly Telling[]): string[] {
  const keys = told.map(({ id, revision }) => `${id}.${revision}`);
  return keys.filter((key, i) => keys.indexOf(key) < i);
}

/** The incidents whose last notification does not close them. */
export function openOf(told: readonly Telling[]): string[] {
  const last = new Map<string, Telling>();
  for (const each of told) if (each.revision > (last.get(each.id)?.revision ?? 0)) last.set(each.id, each);
  return [...last.values()]
    .filter(({ status }) => status !== 'closed')
    .map(({ id }) => id)
    .sort();
}

export function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.on('close', resolve));
}

function eventsIn(manifest: string): number {
  const { ingests } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    ingests: { summary: { events: number } }[];
  };
  return ingests.reduce((sum, { summary }) => sum + summary.events, 0);
}
