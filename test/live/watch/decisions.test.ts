import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { simulate } from '../../../src/simulate/simulate.js';
import { built } from '../../built.js';
import { answer, recal } from '../../cli/recal-process.js';
import { sharedFolder } from '../../folders.js';

const LEARN = ['--learn', '3d', '--retrain', 'never', '--epochs', '1', '--threads', '1', '--metrics', 'off'];
const QUICK = ['--tell-every', '0.2s', '--commit-every', '0.1s', '--log', 'json'];
let folder: string;
let dir: string;
let log: string;
let attacks: string;
let watching: string[];

interface Told {
  readonly id: string;
  readonly status: string;
  readonly revision: number;
  readonly triage?: { readonly verdict: string; readonly note: string };
}

beforeAll(async () => {
  folder = sharedFolder();
  const out = join(folder, 'world');
  await simulate({ scenario: 'linux-desktop', format: 'auditd', events: 20_000, days: [2, 1, 1], out });
  const [train, calibrate, test] = ['train', 'calibrate', 'test'].map((name) =>
    readFileSync(join(out, `${name}.log`), 'utf8'),
  );
  log = join(folder, 'audit.log');
  const lines = test.split(/(?<=\n)/);
  writeFileSync(log, train + calibrate + lines.slice(0, 200).join(''));
  attacks = lines.slice(200).join('');
  dir = join(folder, 'w');
  watching = ['watch', log, '--dir', dir, '--to', `recal:${join(folder, 'told.jsonl')}`, ...LEARN];
  const { code, stderr } = await recal([...watching, '--once']);
  if (code !== 0) throw new Error(stderr);
}, 120_000);

const told = (): Told[] => {
  const path = join(folder, 'told.jsonl');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
};

/** A watch that runs, and its log lines. */
function start(): { child: ChildProcess; lines: string[] } {
  const child = spawn(process.execPath, [built('cli/main.js'), ...watching, ...QUICK], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => lines.push(...text.split('\n')));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, lines };
}

async function until(what: string, isTrue: () => boolean): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if (isTrue()) return;
    await sleep(100);
  }
  throw new Error(`waited too long for ${what}`);
}

async function decided(...args: string[]): Promise<Record<string, unknown>> {
  const ended = await recal([...args, '--dir', dir, '--json']);
  if (ended.code !== 0) throw new Error(ended.stderr + ended.stdout);
  return answer(ended);
}

it('a running watch holds back, releases and closes as people decide', async () => {
  const before = told().length;
  const everything = ['--path', '*', '--reason', 'pen test', '--expires', '1d'];
  const rule = (await decided('suppress', 'add', ...everything)) as { id: string };
  const { child, lines } = start();
  appendFileSync(log, attacks);
  await until('suppressed incidents', () => lines.some((line) => line.includes('"event":"suppressed"')));
  await sleep(1000);
  expect(told()).toHaveLength(before);
  await decided('suppress', 'remove', rule.id, '--reason', 'over');
  await until('their release', () => told().length > before);
  const [first] = told().slice(before);
  expect(first).toMatchObject({ revision: 1, status: 'new' });
  await decided('triage', first.id, '--verdict', 'benign', '--note', 'known\u001b[2J');
  await until('the verdict', () => told().some(({ triage }) => triage !== undefined));
  const closing = told().filter(({ triage }) => triage !== undefined);
  expect(closing).toMatchObject([
    { id: first.id, revision: 2, status: 'closed', triage: { verdict: 'benign' } },
  ]);
  const ended = new Promise((resolve) => child.on('close', resolve));
  child.kill('SIGTERM');
  await ended;
  const keys = () => told().map(({ id, revision }) => `${id}.${revision}`);
  expect(new Set(keys()).size).toBe(keys().length);
  // A restart tells no decision again.
  expect((await recal([...watching, '--once'])).code).toBe(0);
  expect(told().filter(({ triage }) => triage !== undefined)).toEqual(closing);
  expect(new Set(keys()).size).toBe(keys().length);
}, 120_000);

it('holds back what recal incidents lists as suppressed, and tells the rest', async () => {
  const list = async () =>
    (await decided('incidents', '--status', 'all')) as unknown as {
      incidents: { id: string; status: string; root: { name: string } }[];
    };
  const all = await list();
  const [some] = all.incidents.filter(({ status }) => status === 'new');
  const rule = ['suppress', 'add', '--entity', some.root.name, '--reason', 'r', '--expires', '1d'];
  await decided(...rule);
  const other = `recal:${join(folder, 'other.jsonl')}`;
  const fresh = join(folder, 'again');
  const args = ['watch', log, '--dir', fresh, '--to', other, ...LEARN, '--once', '--json'];
  // A new watch of the same log, with the same decisions.
  expect((await recal([...args, '--learn', '90d'])).code).toBe(0);
  writeFileSync(join(fresh, 'store.triage.jsonl'), readFileSync(join(dir, 'store.triage.jsonl')));
  const ended = answer(await recal(args));
  const { incidents } = await list();
  const suppressed = incidents.filter(({ status }) => status === 'suppressed').map(({ id }) => id);
  const heard = readFileSync(join(folder, 'other.jsonl'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).id);
  expect(suppressed.length).toBeGreaterThan(0);
  expect(ended).toMatchObject({ suppressed: suppressed.length });
  expect(heard.filter((id) => suppressed.includes(id))).toEqual([]);
  const open = incidents.filter(({ status }) => status === 'new').map(({ id }) => id);
  expect(heard.sort()).toEqual(open.sort());
}, 120_000);

it('explains and accepts with the folder of the watch alone', async () => {
  const { incidents } = await decided('incidents', '--status', 'all');
  const [{ id }] = incidents as { id: string }[];
  expect(await decided('explain', id.slice(0, 8), '--events', '0')).toMatchObject({ incident: { id } });
  const accepted = await decided('accept', id.slice(0, 8), '--reason', 'usual');
  expect(accepted).toMatchObject({ accepted: [{ incident: id }] });
  expect(existsSync(join(dir, 'model.recal.accepted.jsonl'))).toBe(true);
  const nowhere = await recal(['incidents', '--dir', join(folder, 'world'), '--json']);
  expect(answer(nowhere)).toMatchObject({ error: { code: 'usage-invalid-argument' } });
}, 60_000);
