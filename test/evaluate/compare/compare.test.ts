import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseThreshold } from '../../../src/detect/threshold/threshold.js';
import {
  type CompareOptions,
  type Comparison,
  compare,
  type RunPlace,
} from '../../../src/evaluate/compare/compare.js';
import { writeCompareReport } from '../../../src/evaluate/compare/compare-report.js';
import { compareTable } from '../../../src/evaluate/compare/compare-rows.js';
import { readLabels } from '../../../src/evaluate/labels/read-labels.js';
import { quickVariant, type SmallWorld, smallWorld } from '../small-world.js';

let world: SmallWorld;
let folder: string;
beforeAll(async () => {
  world = await smallWorld();
  folder = await mkdtemp(join(world.folder, 'runs-'));
});

async function run(changes: Partial<CompareOptions> = {}) {
  const runs: string[] = [];
  const places: RunPlace[] = [];
  const found = await compare({
    splits: world.splits,
    labels: await readLabels(world.labels),
    tier: 'all',
    protocol: 'honest',
    matching: 'node',
    threshold: parseThreshold('fpr:0.05'),
    threads: 1,
    seeds: [0, 1],
    variants: ['velox', 'rarity', 'threatrace'].map(quickVariant),
    folder,
    watch: {
      run: (name, seed, known, place) => {
        runs.push(`${name} ${seed}${known ? ' known' : ''}`);
        places.push(place);
      },
    },
    ...changes,
  });
  return { found: found as Comparison, runs, places };
}

describe('compare', () => {
  test('runs every contestant with every seed once, and nothing again', async () => {
    const first = await run();
    expect(first.runs).toEqual(['velox 0', 'velox 1', 'rarity 0', 'threatrace 0', 'threatrace 1']);
    expect(first.places).toEqual([1, 2, 3, 4, 5].map((number) => ({ number, count: 5 })));
    const second = await run();
    expect(second.runs).toEqual(first.runs.map((each) => `${each} known`));
    expect(second.found.contestants).toEqual(first.found.contestants);
    expect(second.found.known).toBe(5);
    // Another seed, setting or rule runs again; what is the same does not.
    expect((await run({ seeds: [1, 2], variants: [quickVariant('velox')] })).runs).toEqual([
      'velox 1 known',
      'velox 2',
    ]);
    const { variant, ...rest } = quickVariant('threatrace');
    const changed = { ...rest, variant: { ...variant, settings: { hidden: 8 } } };
    expect((await run({ seeds: [0], variants: [changed] })).runs).toEqual(['threatrace 0']);
    expect((await run({ seeds: [0], threshold: parseThreshold('fpr:0.1') })).runs).toEqual([
      'velox 0',
      'rarity 0',
      'threatrace 0',
    ]);
  });

  test('all contestants have the same threshold rule; own rules stand beside it', async () => {
    const { found } = await run();
    const seeds = Object.fromEntries(found.contestants.map(({ name, result }) => [name, result.seeds[0]]));
    for (const { threshold } of Object.values(seeds)) expect(threshold.asked).toBe('fpr:0.05');
    expect(seeds.velox.own?.rule).toBe('above every benign score');
    expect(seeds.threatrace.own?.value).toBeCloseTo(1 / 1.5, 6);
    expect(seeds.rarity.own).toBeUndefined();
    for (const { memory } of found.contestants) {
      for (const bytes of memory) expect(bytes === null || bytes > 1e7).toBe(true);
    }
  });

  test('processor time is that of a run, not of the process', async () => {
    const before = process.cpuUsage();
    const { found } = await run({ folder: await mkdtemp(join(world.folder, 'timed-')) });
    const { user, system } = process.cpuUsage(before);
    const times = found.contestants.flatMap(({ processor }) => processor);
    expect(times).toHaveLength(5);
    for (const seconds of times) expect(seconds).toBeGreaterThan(0);
    expect(times.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual((user + system) / 1e6);
  });

  test('notes that a contestant has one seed only if it has, and could have more', async () => {
    const about = (notes: readonly string[]) => notes.filter((note) => note.includes('one seed only'));
    expect(about((await run()).found.notes)).toEqual([]);
    const [note, ...others] = about((await run({ seeds: [0] })).found.notes);
    expect(note).toMatch(/^velox, threatrace: one seed only/);
    expect(others).toEqual([]);
  });

  test('a note of several contestants appears once', async () => {
    const { found } = await run({ threshold: parseThreshold('budget:5/day') });
    const about = found.notes.filter((note) => note.includes('too short to resolve it'));
    expect(about.length).toBeGreaterThan(0);
    const texts = about.map((note) => note.replace(/^[^:]*: /, ''));
    expect(new Set(texts).size).toBe(texts.length);
    expect(about.some((note) => /^\w+, \w+/.test(note))).toBe(true);
  });

  test('a damaged run is run again', async () => {
    const files = (await readdir(folder)).filter((name) => name.startsWith('contestant=rarity'));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) await writeFile(join(folder, file), 'not JSON');
    const { runs } = await run();
    expect(runs.filter((each) => !each.endsWith('known'))).toEqual(['rarity 0']);
  });

  test('stops between runs and keeps the finished ones', async () => {
    const controller = new AbortController();
    const at = await mkdtemp(join(world.folder, 'stopped-'));
    const stop = { finished: () => controller.abort() };
    const { found } = await run({ folder: at, signal: controller.signal, watch: { evaluation: stop } });
    expect(found.complete).toBe(false);
    expect(found.contestants.map(({ name }) => name)).toEqual(['velox']);
    expect((await run({ folder: at })).runs[0]).toBe('velox 0 known');
  });

  test('has one row per contestant and a column per attack, and writes a report', async () => {
    const { found } = await run();
    const { headings, rows } = compareTable(found);
    expect(headings).toContain('attack 0');
    expect(rows.map(([name]) => name).sort()).toEqual(['rarity', 'threatrace', 'velox']);
    const reversed = compareTable({ ...found, contestants: [...found.contestants].reverse() });
    const precision = reversed.rows.map((row) => Number.parseFloat(row[headings.indexOf('AP')]));
    expect(precision).toEqual(precision.toSorted((a, b) => b - a));
    expect(precision[0]).toBeGreaterThan(precision[2]);
    for (const row of rows) expect(row).toHaveLength(headings.length);
    await writeCompareReport(found, folder);
    const page = await readFile(join(folder, 'report.html'), 'utf8');
    expect(page).toContain('threatrace');
    expect(page).toContain('<svg');
  });
});
