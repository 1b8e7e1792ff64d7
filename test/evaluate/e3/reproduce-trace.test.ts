import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { reproduce } from '../../../src/evaluate/e3/reproduce.js';
import { simulate } from '../../../src/simulate/simulate.js';
import { sharedFolder } from '../../folders.js';

const folder = sharedFolder();
beforeAll(async () => {
  await simulate({ scenario: 'linux-workstation', layout: 'e3', events: 36_000, out: join(folder, 'e3') });
});

const run = (scheme: 'magic' | 'threatrace', out: string) =>
  reproduce({
    host: 'trace',
    scheme,
    data: join(folder, 'e3'),
    labels: join(folder, 'e3'),
    out: join(folder, out),
    seeds: [0],
    variants: ['rarity'],
    threads: 1,
    training: {},
    detection: {},
    sweeps: [],
    reading: { threads: 0 },
  });

test('TRACE has the five test graphs of MAGIC, and its benign nodes are those of the last', async () => {
  const { study } = await run('magic', 'five');
  const [{ result: five }] = study.runs;
  const { study: other } = await run('threatrace', 'one');
  const [{ result: one }] = other.runs;
  expect(five.data.splits.test.graphs).toBe(5);
  expect(one.data.splits.test.graphs).toBe(1);
  expect(five.data.ignored).toBeGreaterThan(0);
  expect(five.data.nodes - five.data.positives).toBe(one.data.nodes - one.data.positives);
  expect(five.data.positives).toBeGreaterThanOrEqual(one.data.positives);
  const page = await readFile(join(folder, 'five/report.html'), 'utf8');
  for (const part of ['', '.1', '.2', '.3', '.4'])
    expect(page).toContain(`ta1-trace-e3-official-1.json${part}`);
  expect(page).toContain('5 test graphs, of which all but the last are also trained on');
  expect(existsSync(join(folder, 'five/store/trace-magic-test'))).toBe(true);
  // A second run reads neither store again and gives the same data.
  const { study: again } = await run('magic', 'five');
  expect(again.runs[0].result.data).toEqual(five.data);
});
