import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { NO_BROWSER, openBrowser, openTab, titled } from '../../browser.js';
import { newFolder, sharedFolder } from '../../folders.js';
import { answer, type Ended, recal } from '../recal-process.js';

interface Demo {
  out: string;
  report: string;
  alerts: string;
  events: number;
  incidents: { rank: number; truth: { rank: number; entities: number } }[];
  attacks: { attack: string; core: number; found: number; rank: number | null }[];
  steps: Record<string, number>;
}

// The smallest world and one epoch: what is tested is the telling, not how well so little can detect.
const SMALL = ['--events', '20000', '--epochs', '1'];
const folder = sharedFolder();
const [temporary, work] = [join(folder, 'tmp'), join(folder, 'work')];
const kept = join(work, 'recal-demo');
let plain: Ended;
let json: Ended;

beforeAll(async () => {
  for (const path of [temporary, work]) mkdirSync(path);
  [plain, json] = await Promise.all([
    recal(['demo', ...SMALL, '--threads', '1'], { cwd: work, env: { TMPDIR: temporary } }),
    recal(['demo', ...SMALL, '--threads', '2', '--out', join(folder, 'chosen'), '--json', '--quiet']),
  ]);
});

describe('recal demo', () => {
  test('tells every step, shows incidents and truth apart, and says what to try next', () => {
    expect(plain.code).toBe(0);
    for (const step of ['1/5 simulating', '2/5 reading', '3/5 learning', '4/5 measuring', '5/5 scoring']) {
      expect(plain.stderr).toContain(step);
    }
    const { stdout } = plain;
    expect(stdout.indexOf('incidents, highest score first')).toBeGreaterThanOrEqual(0);
    expect(stdout.indexOf('ground truth, known only to the simulator')).toBeGreaterThan(
      stdout.indexOf('incidents, highest score first'),
    );
    for (const attack of ['A1-server-exploit', 'A2-living-off-the-land', 'A3-slow-theft'])
      expect(stdout).toContain(attack);
    expect(stdout).toMatch(/open in a browser: \S+report\.html$/m);
    expect(stdout).toContain('npx recal ingest LOG');
    expect(stdout + plain.stderr).not.toContain('\u001b');
  });

  test('works in recal-demo without keeping the logs, and leaves nothing in the temporary folder', () => {
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(work)).toEqual(['recal-demo']);
    expect(readdirSync(kept).sort()).toEqual(['.recal-demo', 'alerts', 'model.recal', 'store']);
    expect(plain.stdout).toContain(join(kept, 'alerts', 'report.html'));
  });

  test('--json prints one object whose figures fit together', () => {
    expect([json.code, json.stderr]).toEqual([0, '']);
    const demo = answer(json) as unknown as Demo;
    expect(demo.out).toBe(join(folder, 'chosen'));
    expect(demo.events).toBeGreaterThan(19_000);
    expect(demo.attacks).toHaveLength(3);
    expect(Object.keys(demo.steps)).toEqual(['simulate', 'ingest', 'train', 'calibrate', 'detect']);
    demo.incidents.forEach(({ rank, truth }, i) => {
      expect([rank, truth.rank]).toEqual([i + 1, i + 1]);
    });
  });

  test('the same seed gives the same bytes, in another folder and with other threads', () => {
    for (const name of ['alerts.jsonl', 'incidents.jsonl', 'alerts.csv', 'report.html']) {
      const [one, two] = [kept, join(folder, 'chosen')].map((path) =>
        readFileSync(join(path, 'alerts', name)),
      );
      expect(one.equals(two), name).toBe(true);
    }
  });

  test.each([
    ['that was chosen', ['--out', 'taken'], 'taken'],
    ['of the default name that another program made', [], 'recal-demo'],
  ])('does not touch a folder with something in it, %s', async (_which, words, name) => {
    const cwd = newFolder();
    mkdirSync(join(cwd, name));
    writeFileSync(join(cwd, name, 'mine'), '');
    const ended = await recal(['demo', ...SMALL, ...words, '--json'], { cwd });
    expect(ended.code).toBe(2);
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: 'out-not-empty' } });
    expect(readdirSync(join(cwd, name))).toEqual(['mine']);
  });

  test.skipIf(NO_BROWSER)(titled('its report opens without a complaint'), async () => {
    const { report, incidents } = answer(json) as unknown as Demo;
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const { tab, faults } = await openTab(browser);
    await tab.goto(`file://${report}`);
    expect(await tab.locator('h1').textContent()).toMatch(/incidents? on host/);
    expect(await tab.locator('article.incident').count()).toBe(Math.min(10, incidents.length));
    expect(faults).toEqual([]);
  });
});
