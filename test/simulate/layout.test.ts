import { readdir } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { makeTimeline } from '../../src/simulate/layout.js';
import type { Scenario } from '../../src/simulate/options.js';
import { cdmRecords, contents, csvRows, makeSimulation, removeSimulations, uuidOf } from './simulations.js';

afterAll(removeSimulations);

/** MAGIC's lists, with the file name of the first part from DARPA's archives. */
const PUBLISHED: readonly { scenario: Scenario; train: string[]; test: string }[] = [
  {
    scenario: 'freebsd-server',
    train: [
      'ta1-cadets-e3-official.json',
      'ta1-cadets-e3-official.json.1',
      'ta1-cadets-e3-official.json.2',
      'ta1-cadets-e3-official-2.json.1',
    ],
    test: 'ta1-cadets-e3-official-2.json',
  },
  {
    scenario: 'linux-desktop',
    train: ['', '.1', '.2', '.3'].map((part) => `ta1-theia-e3-official-6r.json${part}`),
    test: 'ta1-theia-e3-official-6r.json.8',
  },
  {
    scenario: 'linux-workstation',
    train: ['', '.1', '.2', '.3'].map((part) => `ta1-trace-e3-official-1.json${part}`),
    test: 'ta1-trace-e3-official-1.json.4',
  },
];

describe.each(PUBLISHED)('the e3 layout of $scenario', ({ scenario, train, test }) => {
  it('has the published file names and dates, and its attacks in the published test file', async () => {
    const { directory, manifest } = await makeSimulation({ scenario, layout: 'e3', events: 60_000 });
    const names = await readdir(directory);
    expect(names).toEqual(expect.arrayContaining([...train, test]));
    const { files, attacks } = manifest.hosts[0]!;
    expect(files.filter((file) => file.role === 'train').map((file) => file.name)).toEqual(train);
    const testFile = files.find((file) => file.role === 'test')!;
    expect(testFile.name).toBe(test);
    expect(files[0]?.from).toBe('2018-04-02T04:00:00.000000Z');
    expect(files.at(-1)?.until).toBe('2018-04-14T04:00:00.000000Z');
    for (const attack of attacks) {
      expect(attack.from >= testFile.from && attack.until < testFile.until, attack.id).toBe(true);
    }

    const core = new Set<string | undefined>(
      csvRows((await contents(directory)).get('labels.csv')?.toString() ?? '').flatMap((row) =>
        row[4] === 'core' ? [row[0]] : [],
      ),
    );
    for (const name of train) {
      for (const { body } of await cdmRecords(directory, name)) {
        expect(core.has(uuidOf(body.subject)) || core.has(uuidOf(body.predicateObject))).toBe(false);
      }
    }
  });
});

describe('makeTimeline', () => {
  it.each([60_000, 1_000_000, 50_000_000])('divides %d events into parts without gaps', (events) => {
    const { files, attackSpans, local } = makeTimeline('demo', 'parts', events, 'json');
    expect(files[0]?.from).toBe(0);
    for (let i = 1; i < files.length; i++) expect(files[i]?.from).toBe(files[i - 1]?.until);
    expect(files.reduce((sum, file) => sum + file.share, 0)).toBeCloseTo(1);
    expect(attackSpans.length).toBeGreaterThanOrEqual(3);
    for (const { from } of attackSpans) {
      expect(local.weekday(from)).toBeGreaterThan(0);
      expect(local.weekday(from)).toBeLessThan(6);
      expect(local.hour(from)).toBeGreaterThanOrEqual(9);
    }
  });

  it('has no attacks on weekends if the test has a working day', () => {
    const weekdays = (days: readonly [number, number, number]) => {
      const { attackSpans, local } = makeTimeline('demo', 'parts', 60_000, 'json', days);
      return attackSpans.map(({ from }) => local.weekday(from));
    };
    expect(weekdays([4, 1, 10])).toEqual([6, 0, 1, 2, 3, 4, 5, 6, 0, 1].filter((day) => day % 6 !== 0));
    expect(weekdays([4, 1, 2])).toEqual([6, 6, 0, 0]);
  });

  it('gives every e3 file a share of the events', () => {
    for (const { scenario } of PUBLISHED) {
      const { files } = makeTimeline(scenario, 'e3', 1e6, 'json');
      expect(files.reduce((sum, file) => sum + file.share, 0)).toBeCloseTo(1);
      for (let i = 1; i < files.length; i++) expect(files[i]?.from).toBeCloseTo(files[i - 1]?.until ?? 0, -3);
    }
  });
});
