import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { type JudgeRequest, SpanJudge } from '../../../src/live/watch/judge-span.js';
import { WatchFolder } from '../../../src/live/watch/watch-folder.js';
import { simulate } from '../../../src/simulate/simulate.js';
import { newFolder, sharedFolder } from '../../folders.js';
import { answer, recal } from '../recal-process.js';

const LEARN = ['--learn', '3d', '--retrain', 'never', '--epochs', '1', '--threads', '1', '--metrics', 'off'];
let log: string;
/** A folder in which a watch has learned and detected. */
let folder: string;

beforeAll(async () => {
  folder = sharedFolder();
  const out = join(folder, 'world');
  await simulate({ scenario: 'linux-desktop', format: 'auditd', events: 20_000, days: [2, 1, 1], out });
  const parts = ['train', 'calibrate', 'test'].map((name) => readFileSync(join(out, `${name}.log`), 'utf8'));
  log = join(folder, 'audit.log');
  writeFileSync(log, parts.join(''));
  const args = ['watch', log, '--dir', join(folder, 'w'), '--to', `recal:${join(folder, 'told.jsonl')}`];
  const { code, stderr } = await recal([...args, ...LEARN, '--once']);
  if (code !== 0) throw new Error(stderr);
}, 120_000);

const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const state = (dir: string) => JSON.parse(readFileSync(join(dir, 'watch.json'), 'utf8').split('\n')[0]);

describe('recal watch', () => {
  it('finds the incidents that recal detect finds in its store', async () => {
    const { model, span } = state(join(folder, 'w'));
    const out = join(newFolder(), 'alerts');
    const from = new Date(Number(BigInt(span) / 1_000_000n)).toISOString();
    const models = join(folder, 'w', 'models', model.file);
    const store = join(folder, 'w', 'store');
    const { code, stderr } = await recal([
      'detect',
      '--store',
      store,
      '--model',
      models,
      '--from',
      from,
      '--out',
      out,
    ]);
    expect(code, stderr).toBe(0);
    const name = from.slice(0, 19).replaceAll(':', '');
    expect(linesOf(join(folder, 'w', 'alerts', name, 'incidents.jsonl'))).toEqual(
      linesOf(join(out, 'incidents.jsonl')),
    );
    const told = linesOf(join(folder, 'told.jsonl')).map(({ id }) => id);
    expect(told.length).toBeGreaterThan(0);
    expect(linesOf(join(out, 'incidents.jsonl')).map(({ id }) => id)).toEqual(expect.arrayContaining(told));
  });

  it('tells nothing twice, and starts again where it was', async () => {
    const before = readFileSync(join(folder, 'told.jsonl'), 'utf8');
    const args = ['watch', log, '--dir', join(folder, 'w'), '--to', `recal:${join(folder, 'told.jsonl')}`];
    const ended = await recal([...args, ...LEARN, '--once', '--json']);
    expect(answer(ended)).toMatchObject({ events: 0, told: 0, phase: 'detecting' });
    expect(readFileSync(join(folder, 'told.jsonl'), 'utf8')).toBe(before);
  });

  it('says that a log is missing, and does not write into a store', async () => {
    const dir = newFolder();
    const missing = await recal(['watch', join(dir, 'nosuch.log'), '--dir', join(dir, 'w'), '--once']);
    expect(missing.stderr).toMatch(/nothing-to-read source=file:\S*nosuch\.log why=there is no such file/);
    const store = join(folder, 'w', 'store');
    const ended = await recal(['watch', log, '--dir', store, '--once']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('is a store, not a folder of recal watch');
    expect(readdirSync(store)).not.toContain('store');
  });

  it('does not raise again what a person accepted beside its model', async () => {
    const dir = join(newFolder(), 'w');
    cpSync(join(folder, 'w'), dir, { recursive: true });
    const { model, span } = state(dir);
    const models = { model: join(dir, 'models', model.file), current: join(dir, 'model.recal') };
    expect(readFileSync(models.current)).toEqual(readFileSync(models.model));
    const [out] = readdirSync(join(dir, 'alerts')).map((name) => join(dir, 'alerts', name));
    const from = BigInt(span);
    const day = {
      from,
      to: from + 86_400_000_000_000n,
      store: join(dir, 'store'),
      out,
      threads: 1,
      suppressions: [],
    };
    const idsOf = async (kind: JudgeRequest['kind']) => {
      const { incidents } = await new SpanJudge().judge({ ...day, ...models, kind });
      return incidents.map(({ notification }) => notification.id);
    };
    for (const [kind, path] of [
      ['tell', models.current],
      ['score', models.current],
      ['tell', models.model],
    ] as const) {
      await idsOf('score'); // writes the alerts that the decision is about
      const [first] = await idsOf(kind);
      const decision = ['--alerts', out, '--model', path, '--reason', 'harmless'];
      const { code, stderr } = await recal(['accept', first, ...decision]);
      expect(code, stderr).toBe(0);
      expect(await idsOf('tell')).not.toContain(first);
      expect(await idsOf('score')).not.toContain(first);
    }
  });

  it('keeps what was accepted when it removes a model', async () => {
    const watched = new WatchFolder(newFolder());
    await watched.make();
    for (const name of ['a.recal', 'b.recal', 'a.recal.accepted.jsonl'])
      writeFileSync(watched.model(name), name);
    await watched.use('a.recal');
    await watched.use('a.recal');
    await watched.use('b.recal');
    expect(readFileSync(watched.current, 'utf8')).toBe('b.recal');
    await watched.removeModels([{ file: 'b.recal', id: 'x', calibratedTo: '1', window: '1', trained: 1 }]);
    expect(readdirSync(watched.model('.')).sort()).toEqual(['a.recal.accepted.jsonl', 'b.recal']);
    expect(readdirSync(watched.root)).not.toContain('model.recal.new');
  });

  it('reads standard input to its end, and serves metrics until it is stopped', async () => {
    const dir = join(newFolder(), 'w');
    const port = 20_000 + (process.pid % 20_000);
    const args = [
      'watch',
      log,
      '--dir',
      dir,
      '--learn',
      '30d',
      '--metrics',
      `127.0.0.1:${port}`,
      '--log',
      'json',
    ];
    let health: unknown;
    let metrics = '';
    const ended = await recal(args, {
      onStart: async (child) => {
        for (let attempt = 0; attempt < 100 && !metrics.includes('recal_events_received_total{'); attempt++) {
          await sleep(200);
          metrics = await fetch(`http://127.0.0.1:${port}/metrics`).then(
            (answer) => answer.text(),
            () => '',
          );
        }
        health = await fetch(`http://127.0.0.1:${port}/healthz`).then((answer) => answer.json());
        child.kill('SIGTERM');
      },
    });
    expect(health).toEqual({ ok: true, phase: 'learning', problems: [] });
    expect(metrics).toMatch(/^# TYPE recal_events_received_total counter$/m);
    expect(metrics).toMatch(/^recal_phase\{phase="learning"\} 1$/m);
    expect(ended.code).toBe(143);
    const events = ended.stderr.split('\n').slice(0, -1);
    expect(JSON.parse(events[0])).toMatchObject({ level: 'info', event: 'started' });
    const again = await recal(['watch', '-', '--dir', dir, '--learn', '30d', '--once', '--json'], {
      input: readFileSync(log),
    });
    expect(answer(again)).toMatchObject({ phase: 'learning' });
    expect(answer(again).events).toBeGreaterThan(1000);
  });

  it('keeps what a receiver does not take, and tells it when the receiver is back', async () => {
    const dir = newFolder();
    const server: Server = createServer((_, response) => response.writeHead(503).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const args = [
      'watch',
      log,
      '--dir',
      join(dir, 'w'),
      '--to',
      `recal:http://127.0.0.1:${port}/hook`,
      ...LEARN,
    ];
    expect((await recal([...args, '--once'])).code).toBe(0);
    const waiting = state(join(dir, 'w')).outbox.length;
    expect(waiting).toBeGreaterThan(0);
    const keys: string[] = [];
    server.removeAllListeners('request').on('request', (request, response) => {
      keys.push(String(request.headers['idempotency-key']));
      response.writeHead(200).end();
    });
    expect((await recal([...args, '--once'])).code).toBe(0);
    server.close();
    expect(keys).toHaveLength(waiting);
    expect(new Set(keys).size).toBe(waiting);
    expect(state(join(dir, 'w')).outbox).toEqual([]);
  });

  it.each([
    [['ftp://x'], 'unknown-source'],
    [['x.log', '--to', 'nothing'], 'unknown-sink'],
    [['x.log', '--learn', 'soon'], 'settings-invalid'],
    [['http://0.0.0.0:9'], 'listen-unsafe'],
    [['x.log', '--rollback', '--once'], 'no-earlier-model'],
  ])('refuses %j', async (args, error) => {
    const ended = await recal(['watch', ...args, '--dir', join(newFolder(), 'w'), '--json']);
    expect(ended.code).toBe(2);
    expect(answer(ended)).toMatchObject({ error: { code: error } });
  });
});
