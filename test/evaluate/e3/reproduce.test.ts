import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ReproduceOptions, reproduce } from '../../../src/evaluate/e3/reproduce.js';
import { evaluationSchema } from '../../../src/evaluate/result-schema.js';
import { simulate } from '../../../src/simulate/simulate.js';

// The smallest number of events that gives every file some. Names and dates are those of the release.
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recal-reproduce-'));
  await simulate({ scenario: 'freebsd-server', layout: 'e3', events: 36_000, out: join(folder, 'e3') });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const options = (more: Partial<ReproduceOptions> = {}): ReproduceOptions => ({
  host: 'cadets',
  scheme: 'threatrace',
  data: join(folder, 'e3'),
  labels: join(folder, 'e3'),
  out: join(folder, 'out'),
  seeds: [0],
  variants: ['paper', 'wo-cd'],
  threads: 1,
  training: { epochs: 1, textEpochs: 1, textDimension: 4 },
  detection: { rounds: 2, reference: 2000 },
  sweeps: [],
  reading: { threads: 0 },
  ...more,
});

describe('reproduce', () => {
  test('runs both protocols and compares the figures with the published ones', async () => {
    const calls: string[] = [];
    const { study, complete } = await reproduce(
      options({
        watch: {
          run: ({ protocol }) => calls.push(protocol),
          evaluation: { finished: ({ names }) => calls.push(names.join()) },
        },
      }),
    );
    expect(complete).toBe(true);
    // Both protocols share one training.
    expect(calls).toEqual(['paper', 'honest', 'paper,wo-cd']);
    const [paper, honest] = study.runs.map(({ result }) => result);
    expect(paper.variants.paper.seeds[0].threshold.oracle).toBe(true);
    expect(honest.variants.paper.seeds[0].threshold).toMatchObject({ kind: 'budget', oracle: false });
    expect(paper.data.attacks).toBeNull();
    expect(honest.data.attacks?.length).toBeGreaterThan(0);
    expect(honest.data.positives).toBeLessThan(paper.data.positives);

    const out = join(folder, 'out');
    for (const name of ['paper', 'honest']) {
      const own = JSON.parse(await readFile(join(out, name, 'result.json'), 'utf8'));
      expect(evaluationSchema.safeParse(own).success).toBe(true);
      expect(existsSync(join(out, name, 'scores.csv'))).toBe(true);
    }
    const whole = JSON.parse(await readFile(join(out, 'result.json'), 'utf8'));
    expect(whole).toMatchObject({
      kind: 'reproduction',
      host: 'cadets',
      split: 'threatrace',
      complete: true,
      simulated: true,
    });
    for (const name of ['paper', 'wo-cd'].filter((each) => each in paper.variants)) {
      const { inference, stages, shares } = whole.efficiency[name];
      const sum = Object.values<number>(stages).reduce((total, seconds) => total + seconds, 0);
      expect(inference).toBeCloseTo(sum, 9);
      expect(shares.knn + shares.calibrationAndFusion).toBeLessThanOrEqual(1);
      expect(shares.calibrationAndFusion).toBeGreaterThan(0);
    }
    const beside = whole.beside.filter((row: { variant: string }) => row.variant === 'wo-cd');
    expect(beside).toHaveLength(2);
    expect(beside[0]).toMatchObject({ run: 'paper', published: { f1: 96.05, fpr: 0.3581 } });
    expect(beside[0].ours.f1).toBeCloseTo((paper.variants['wo-cd'].mean.f1 ?? 0) * 100, 5);
    const page = await readFile(join(out, 'report.html'), 'utf8');
    for (const text of ['RECAL', 'relation-counts.csv', study.title, ...(study.notes ?? [])]) {
      expect(page.includes(text), text).toBe(true);
    }
  });

  test('notes that MAGIC trains on the future; labels of another host match no node', async () => {
    const notes: string[] = [];
    const labels = await mkdtemp(join(tmpdir(), 'recal-other-labels-'));
    try {
      await writeFile(join(labels, 'cadets.txt'), 'AAAAAAAA-0000-4000-8000-000000000001\n');
      const watch = { loaded: (given: readonly string[]) => notes.push(...given) };
      const given = options({ labels, scheme: 'magic', variants: ['rarity'], watch });
      await expect(reproduce(given)).rejects.toMatchObject({ code: 'labels-no-match' });
      expect(notes.join('\n')).toMatch(/future: its calibrate split ends at 2018-04-1[34]/);
      expect(notes.join('\n')).toContain('honest');
    } finally {
      await rm(labels, { recursive: true, force: true });
    }
  });

  test('matches with the published tolerance under the protocol paper only, and names it', async () => {
    const given = { variants: ['rarity'], match: 'flash-2hop' as const, out: join(folder, 'near') };
    const { study } = await reproduce(options(given));
    const [paper, honest] = study.runs.map(({ result }) => result);
    expect([paper.matching, honest.matching]).toEqual(['flash-2hop', 'node']);
    expect(paper.variants.rarity.seeds[0].matched).toBeDefined();
    expect(honest.variants.rarity.seeds[0].matched).toBeUndefined();
    const page = await readFile(join(given.out, 'report.html'), 'utf8');
    expect(page).toContain('threshold oracle, matching flash-2hop');
    expect(page).toContain('protocol paper: matching is flash-2hop');
  });

  test('keeps each trial of a sweep, and adds curves to the report', async () => {
    const sweeps = [{ key: 'calibrationShare', values: [0.5, 1] }];
    const { study, complete } = await reproduce(options({ variants: ['rarity'], sweeps }));
    expect(complete).toBe(true);
    expect(study.sweeps?.trials.map(({ assignment }) => assignment)).toEqual([
      { calibrationShare: 0.5 },
      { calibrationShare: 1 },
    ]);
    const [half, whole] = study.sweeps?.trials.map(({ result }) => result) ?? [];
    expect(half.data).toEqual(whole.data);
    expect(half.config.calibrationShare).toBe(0.5);
    expect(whole.config.calibrationShare).toBeUndefined();
    const page = await readFile(join(folder, 'out/report.html'), 'utf8');
    expect(page.includes('sweep-calibrationShare-ap.csv')).toBe(true);
    expect(await readdir(join(folder, 'out/trials'))).toHaveLength(2);
  });

  test('reports the finished runs under both protocols when stopped', async () => {
    const stop = new AbortController();
    const { study, complete } = await reproduce(
      options({
        variants: ['rarity', 'paper'],
        signal: stop.signal,
        watch: { evaluation: { finished: () => stop.abort() } },
      }),
    );
    expect(complete).toBe(false);
    expect(study.runs.map(({ name }) => name)).toEqual(['paper', 'honest']);
    for (const { result } of study.runs) expect(Object.keys(result.variants)).toEqual(['rarity']);
    const page = await readFile(join(folder, 'out/report.html'), 'utf8');
    expect(page).toContain('not run: paper');
    const written = JSON.parse(await readFile(join(folder, 'out/result.json'), 'utf8'));
    expect(written.complete).toBe(false);
  });

  test('removes results of a protocol that has no labels', async () => {
    const out = join(folder, 'one kind');
    const labels = join(folder, 'scan');
    await mkdir(join(out, 'honest'), { recursive: true });
    await mkdir(labels);
    await cp(join(folder, 'e3/labels.scan.txt'), join(labels, 'cadets.txt'));
    for (const name of ['result.json', 'scores.csv', 'notes.txt'])
      await writeFile(join(out, 'honest', name), '');
    const removed: string[] = [];
    const watch = { removed: (path: string) => removed.push(path) };
    await reproduce(options({ labels, out, variants: ['rarity'], watch }));
    expect(removed).toEqual([join(out, 'honest')]);
    // Other files stay.
    expect(await readdir(join(out, 'honest'))).toEqual(['notes.txt']);
    await rm(join(out, 'honest/notes.txt'));
    await writeFile(join(out, 'honest/scores.csv'), '');
    await reproduce(options({ labels, out, variants: ['rarity'], watch }));
    expect((await readdir(out)).sort()).toEqual(['paper', 'report.html', 'result.json', 'store']);
  });

  test('treats logs without the manifest of the simulator as the release', async () => {
    const data = join(folder, 'release');
    await cp(join(folder, 'e3'), data, { recursive: true });
    await rm(join(data, 'scenario.json'));
    const { study } = await reproduce(options({ data, variants: ['rarity'], out: join(folder, 'real') }));
    expect(study.title).toBe('Engagement 3 CADETS, split threatrace');
    expect(study.notes?.join()).not.toContain('simulated');
  });

  test('refuses a missing label folder before it reads the logs', async () => {
    const out = join(folder, 'never');
    await expect(reproduce(options({ labels: join(folder, 'none'), out }))).rejects.toMatchObject({
      code: 'input-not-found',
    });
    expect(existsSync(out)).toBe(false);
  });
});
