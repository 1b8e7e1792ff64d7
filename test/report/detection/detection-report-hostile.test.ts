import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { UNSAFE } from '../../../src/base/printable.js';
import { NO_BROWSER, openBrowser, openTab, titled } from '../../browser.js';
import { answer, recal } from '../../cli/recal-process.js';
import { sharedFolder } from '../../folders.js';
import { eventLine, file, MIDNIGHT, process, uuid } from '../../store/small-logs.js';
import { HOSTILE } from '../hostile.js';

// Hostile names through the whole pipeline, from the log to the report.
const HOUR = 3_600_000_000_000n;
const folder = sharedFolder();
const path = (...names: string[]) => join(folder, ...names);
const hostile = Object.values(HOSTILE);
const env = { RECAL_WINDOW: '60', RECAL_TEXT_EPOCHS: '1', RECAL_EPOCHS: '1', RECAL_THREADS: '1' };

/** Two hours of four programs. Every other file has a hostile name, and so has everything of the intruder. */
function linesOf(part: string, hours: bigint, intruded: boolean): string[] {
  const lines: string[] = [];
  const start = MIDNIGHT + hours * HOUR;
  for (let i = 0; i < 80; i++) {
    const subj = process(uuid(`${part.length}${1000 + i}`), { name: ['cron', 'nginx', 'sshd', 'sh'][i % 4] });
    const name = i % 2 === 0 ? `/etc/${i % 4}.conf` : hostile[i % hostile.length];
    for (const [k, rel] of ['EVENT_OPEN', 'EVENT_READ', 'EVENT_CLOSE'].entries()) {
      const ts = start + BigInt(i) * (HOUR / 41n) + BigInt(k);
      lines.push(eventLine({ ts, rel, subj, obj: file(uuid(100 + (i % 40)), { name }) }));
    }
  }
  if (!intruded) return lines;
  hostile.forEach((name, i) => {
    const subj = process(uuid(900_000 + i), { name, cmd: name, pid: 7 });
    const obj = file(uuid(800_000 + i), { name });
    const rels = [
      name.slice(0, 60).replace(/[^\x20-\x7e]/g, '') || 'EVENT_X',
      'EVENT_EXECUTE',
      'EVENT_UNLINK',
    ];
    rels.forEach((rel, k) => {
      lines.push(eventLine({ ts: start + BigInt(i) * (HOUR / 30n) + BigInt(k), rel, subj, obj }));
    });
  });
  return lines;
}

/** Three log files in order of time, and one with invalid UTF-8. */
function writeParts(): void {
  for (const [part, hours] of [
    ['train', 0n],
    ['calibrate', 2n],
    ['test', 4n],
  ] as const) {
    const bytes = Buffer.from(`${linesOf(part, hours, part === 'test').join('\n')}\n`);
    writeFileSync(path(`${part}.ndjson`), bytes);
  }
  const odd = eventLine({
    ts: MIDNIGHT + 5n * HOUR,
    rel: 'EVENT_EXECUTE',
    subj: process(uuid(700_001), { name: 'XBYTESX' }),
    obj: file(uuid(700_002), { name: '/tmp/XBYTESX' }),
  });
  const broken = Buffer.from(`${odd}\n`).toString('latin1').replaceAll('XBYTESX', '\xff\xfe\xc0\x80');
  writeFileSync(path('odd.ndjson'), Buffer.from(broken, 'latin1'));
}

const LOGS = ['train.ndjson', 'calibrate.ndjson', 'test.ndjson', 'odd.ndjson'].map((name) => path(name));

async function run(...args: string[]): Promise<ReturnType<typeof recal>> {
  const ended = await recal(args, { env });
  expect([ended.code, ended.stderr], args.join(' ')).toEqual([0, expect.any(String)]);
  return ended;
}

/** From logs to alerts, with its own store. */
async function pipeline(name: string, logs: readonly string[]): Promise<void> {
  await run('ingest', ...logs, '--store', path(name));
  const model = path(`${name}.recal`);
  await run('train', '--store', path(name), '--model', model, '--to', INTRUSION);
  await run('detect', '--store', path(name), '--model', model, '--out', path(`${name}-alerts`), ...DETECT);
}

const INTRUSION = String(MIDNIGHT + 4n * HOUR);
const DETECT = ['--from', INTRUSION, '--threshold', 'fpr:0.3'];
const read = (name: string, store = 'one') => readFileSync(path(`${store}-alerts`, name), 'utf8');
// The files have line ends, but no other control characters.
const unsafe = (text: string) => text.replace(/\r?\n/g, '').match(UNSAFE) ?? [];

beforeAll(async () => {
  writeParts();
  await Promise.all([pipeline('one', LOGS), pipeline('two', LOGS.toReversed())]);
});

describe('hostile names, from log to report', () => {
  test('raise alerts, and are escaped in every output file', () => {
    const alerts = read('alerts.jsonl').trim().split('\n');
    expect(alerts.length).toBeGreaterThan(5);
    const ids = alerts.map((line) => (JSON.parse(line) as { entity: { id: string } }).entity.id);
    // Only the intruder has such identifiers.
    expect(ids.some((id) => id.includes('9000') || id.includes('8000'))).toBe(true);
    for (const name of ['alerts.jsonl', 'incidents.jsonl', 'alerts.csv', 'run.json', 'report.html'])
      expect(unsafe(read(name)), name).toEqual([]);
  });

  test('give no CSV cell that a spreadsheet would run', () => {
    const cells = [...read('alerts.csv').matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,\r\n]*)/gm)].map(([, cell]) =>
      cell.replace(/^"/, ''),
    );
    expect(cells.length).toBeGreaterThan(100);
    expect(cells.filter((cell) => /^[=+@\t]|^-(?![\d.]+(e-?\d+)?$)/.test(cell))).toEqual([]);
  });

  test('are text in the output of explain', async () => {
    const first = JSON.parse(read('incidents.jsonl').split('\n')[0]) as { id: string };
    const ended = await run('explain', first.id, '--alerts', path('one-alerts'));
    expect(ended.stdout.length).toBeGreaterThan(500);
    expect(unsafe(ended.stdout + ended.stderr)).toEqual([]);
  });

  test.skipIf(NO_BROWSER)(titled('let the report run nothing and load nothing'), async () => {
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const { tab, faults } = await openTab(browser);
    await tab.goto(`file://${path('one-alerts', 'report.html')}`);
    for (const summary of await tab.locator('details > summary').all()) await summary.click();
    expect(await tab.evaluate('document.scripts.length + document.images.length')).toBe(0);
    await tab.setViewportSize({ width: 390, height: 800 });
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(faults).toEqual([]);
  });
});

test('the order of the log files does not change the alerts', () => {
  for (const name of ['alerts.jsonl', 'incidents.jsonl', 'alerts.csv', 'report.html'])
    expect(read(name, 'two') === read(name), name).toBe(true);
});

test('--fail-on-alert exits with 3, --no-report removes an old page, and a foreign page is kept', async () => {
  const args = ['--store', path('one'), '--model', path('one.recal'), ...DETECT];
  const out = path('two-alerts');
  const failing = await recal(['detect', ...args, '--out', out, '--fail-on-alert', '--no-report', '--json'], {
    env,
  });
  expect(failing.code).toBe(3);
  expect((answer(failing) as { counts: { alerts: number } }).counts.alerts).toBeGreaterThan(0);
  expect(() => read('report.html', 'two')).toThrow(/ENOENT/);
  writeFileSync(join(out, 'report.html'), '<p>mine</p>');
  const refused = await recal(['detect', ...args, '--out', out], { env });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('report.html')]);
  expect(read('report.html', 'two')).toBe('<p>mine</p>');
});
