import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseThreshold } from '../../src/detect/threshold/threshold.js';
import { evaluateEach, evaluateVariants } from '../../src/evaluate/evaluate-variants.js';
import type { EvaluateVariantsOptions, Evaluation, MeasureOptions } from '../../src/evaluate/evaluation.js';
import { csvRows } from '../../src/evaluate/labels/csv-rows.js';
import { parseLabels } from '../../src/evaluate/labels/parse-labels.js';
import { readLabels } from '../../src/evaluate/labels/read-labels.js';
import { auroc, averagePrecision, bestF1, rankScores } from '../../src/evaluate/metrics/ranking-metrics.js';
import { scoreAt } from '../../src/evaluate/metrics/score-sheet.js';
import { writeEvaluation } from '../../src/evaluate/report/result-files.js';
import { NO_ATTACKS, ONE_SEED } from '../../src/evaluate/report/run-notes.js';
import { evaluationSchema } from '../../src/evaluate/result-schema.js';
import { INTRUDERS, LOOT, quickVariant, type SmallWorld, smallWorld } from './small-world.js';

let world: SmallWorld;
beforeAll(async () => {
  world = await smallWorld();
});

async function run(
  given: Partial<EvaluateVariantsOptions> & { names?: readonly string[] } = {},
): Promise<Evaluation> {
  const { names = ['recal', 'paper', 'wo-cd', 'rarity', 'velox'], ...options } = given;
  return await evaluateVariants({
    splits: world.splits,
    labels: await readLabels(world.labels),
    tier: 'all',
    protocol: 'honest',
    matching: 'node',
    threshold: parseThreshold('fpr:0.02'),
    seeds: [0, 1],
    threads: 1,
    variants: names.map(quickVariant),
    ...options,
  });
}

describe('evaluate', () => {
  test('measures every variant and seed, with consistent figures', async () => {
    const { result, complete, scores, curves } = await run();
    expect(complete).toBe(true);
    expect(evaluationSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(
      JSON.parse(JSON.stringify(result)),
    );
    expect(Object.keys(result.variants)).toEqual(['recal', 'paper', 'wo-cd', 'rarity', 'velox']);
    expect(result.data).toMatchObject({ positives: 4, attacks: ['attack 0', 'attack 1'], ignored: 0 });
    expect(result.data.nodes).toBe(world.splits.test.events.keys.size);
    for (const [name, { seeds, mean, std }] of Object.entries(result.variants)) {
      expect(seeds.map(({ seed }) => seed)).toEqual([0, 1]);
      for (const seed of seeds) {
        expect(seed.tp + seed.fn, name).toBe(4);
        expect(seed.tp + seed.fp + seed.fn + seed.tn, name).toBe(result.data.nodes);
        expect(seed.gap).toBeCloseTo((seed.oracleF1 ?? 0) - (seed.f1 ?? 0), 12);
        expect(seed.gap).toBeGreaterThanOrEqual(0);
        // The threshold and the written scores give the flagged nodes. recal raises whole process trees instead.
        if (name === 'recal') continue;
        const found = scores.find((each) => each.variant === name && each.seed === seed.seed);
        const { value } = seed.threshold;
        const all = found === undefined ? [] : [...found.ranking.keys()].map((v) => scoreAt(found, v));
        const above = all.filter((score) => value !== null && Math.fround(score) >= value);
        expect(above.length, name).toBe(seed.tp + seed.fp);
      }
      expect(mean.ap).toBeCloseTo(((seeds[0].ap ?? 0) + (seeds[1].ap ?? 0)) / 2, 12);
      expect(std.ap).not.toBeNull();
      expect(curves[name]).toHaveLength(2);
    }
    expect(result.variants.rarity.std.ap).toBe(0);
    expect(result.variants.rarity.seeds[0].attacksDetected).toBe(2);
    expect(result.variants.velox.seeds[0].threshold.kind).toBe('score');
    // Chosen over four traces: docs/research/decisions.md.
    const network = { steps: 300, rate: 0.01, hidden: 0, dropout: 0, learn: 'both' };
    expect(result.variants.velox.config).toMatchObject({ network });
    expect(result.variants.paper.seeds[0].candidateRecall).not.toBeNull();
    expect(result.variants['wo-cd'].seeds[0].candidateRecall).toBeNull();
    expect(result.notes.join('\n')).toMatch(/rarity: no random numbers/);
    expect(result.notes.join('\n')).toMatch(/paper: benign scores come from the same data/);
  });

  test('gives equal figures when repeated, and when a variant runs alone', async () => {
    const names = ['velox', 'paper'];
    const [one, two] = [await run({ names, seeds: [1] }), await run({ names: ['velox'], seeds: [1] })];
    const figures = ({ result }: Evaluation) => {
      const { timings: _, ...rest } = result.variants.velox.seeds[0];
      return rest;
    };
    expect(figures(one)).toEqual(figures(two));
    expect(one.result.variants.velox.std.ap).toBeNull();
    expect(one.result.notes).toContain(ONE_SEED);
  });

  test('the oracle threshold has no gap and is marked', async () => {
    const { result } = await run({
      names: ['rarity'],
      threshold: parseThreshold('oracle', { oracle: true }),
      protocol: 'paper',
    });
    const [seed] = result.variants.rarity.seeds;
    expect(seed.gap).toBe(0);
    expect(seed.threshold).toMatchObject({ kind: 'oracle', oracle: true });
    expect(result.protocol).toBe('paper');
  });

  test('flash-2hop forgives false alarms near a label', async () => {
    const labels = parseLabels(`${LOOT[0]}\n`, 'labels.txt');
    const [plain, near] = await Promise.all(
      (['node', 'flash-2hop'] as const).map((matching) =>
        run({ names: ['rarity'], labels, matching, seeds: [0] }),
      ),
    );
    const [{ fp }, { fp: fewer, matched }] = [plain, near].map(
      ({ result }) => result.variants.rarity.seeds[0],
    );
    expect(matched?.forgiven).toBeGreaterThanOrEqual(1); // the intruder itself
    expect(fewer).toBe(fp - (matched?.forgiven ?? 0));
    expect(plain.result.notes).toContain(NO_ATTACKS);
    expect(plain.result.variants.rarity.seeds[0].attacks).toBeNull();
  });

  test('leaves ignored nodes out, and notes labels of training entities', async () => {
    const known = world.splits.train.events.uuid(0);
    const labels = parseLabels(`${INTRUDERS[0]}\n${known}\nnobody\n`, 'labels.txt');
    const ignore = parseLabels(`${INTRUDERS[1]}\n`, 'ignore.txt');
    const { result } = await run({ names: ['rarity'], labels, ignore, seeds: [0] });
    expect(result.data).toMatchObject({ ignored: 1, labelsInTraining: 1 });
    expect(result.data.nodes).toBe(world.splits.test.events.keys.size - 1);
    expect(result.notes.join('\n')).toMatch(/1 labelled entities also occur in training/);
    expect(result.notes.join('\n')).toMatch(/labels match no node of the test split, for example .*nobody/);
  });

  test('refuses labels of another host', async () => {
    await expect(run({ labels: parseLabels('nobody\n', 'labels.txt') })).rejects.toMatchObject({
      code: 'labels-no-match',
    });
  });

  test('keeps finished runs when stopped, and throws if there are none', async () => {
    const stop = new AbortController();
    const { result, complete } = await run({
      names: ['rarity', 'recal'],
      signal: stop.signal,
      watch: { finished: ({ seed, names }) => seed === 1 && names[0] === 'rarity' && stop.abort() },
    });
    expect(complete).toBe(false);
    expect(result.variants.rarity.seeds).toHaveLength(2);
    expect(result.variants.recal.seeds).toHaveLength(1);
    expect(result.notes.join('\n')).toContain('stopped before the end');
    await expect(run({ signal: AbortSignal.abort() })).rejects.toThrow();
  });
});

describe('evaluateEach', () => {
  test('measures the same scores under several protocols, as each would alone, and trains once', async () => {
    const names = ['paper', 'zscore', 'rarity', 'velox'];
    const scoring = {
      splits: world.splits,
      variants: names.map(quickVariant),
      seeds: [0, 1],
      threads: 1,
    };
    const measures: MeasureOptions[] = [
      {
        labels: await readLabels(world.labels),
        tier: 'all',
        protocol: 'paper',
        matching: 'node',
        threshold: parseThreshold('oracle', { oracle: true }),
      },
      {
        labels: await readLabels(world.labels, 'core'),
        tier: 'core',
        protocol: 'honest',
        ignore: parseLabels(`${LOOT[0]}\n`, 'ignore.txt'),
        matching: 'flash-2hop',
        threshold: parseThreshold('fpr:0.02'),
      },
    ];
    const finished: string[] = [];
    const matched: number[] = [];
    const both = await evaluateEach(
      {
        ...scoring,
        watch: {
          started: ({ counts }) => matched.push(counts.positives),
          finished: (run) => finished.push(`${run.names} ${run.seed}`),
        },
      },
      measures,
    );
    expect(finished).toEqual([
      'paper,zscore 0',
      'rarity 0',
      'velox 0',
      'paper,zscore 1',
      'rarity 1',
      'velox 1',
    ]);
    expect(matched).toEqual([4, 2]);
    const alone = await Promise.all(measures.map((measure) => evaluateVariants({ ...scoring, ...measure })));
    for (const [i, evaluation] of both.entries()) {
      expect(withoutTimes(evaluation.result)).toEqual(withoutTimes(alone[i].result));
      expect(evaluation.curves).toEqual(alone[i].curves);
      expect(evaluation.scores).toEqual(alone[i].scores);
    }
    expect(both[0].result.variants.paper.mean).not.toEqual(both[1].result.variants.paper.mean);
  });

  test('refuses labels that match no node before training, under any protocol', async () => {
    const given = { splits: world.splits, variants: [quickVariant('paper')], seeds: [0], threads: 1 };
    const measure = {
      tier: 'all',
      protocol: 'paper',
      matching: 'node',
      threshold: parseThreshold('fpr:0.1'),
    } as const;
    const stages: string[] = [];
    const watch = { stage: (_: unknown, stage: string) => stages.push(stage) };
    await expect(
      evaluateEach({ ...given, watch }, [
        { ...measure, labels: await readLabels(world.labels) },
        { ...measure, labels: parseLabels('nobody\n', 'labels.txt') },
      ]),
    ).rejects.toMatchObject({ code: 'labels-no-match' });
    expect(stages).toEqual([]);
  });
});

/** The result without times and memory, which differ between runs. */
function withoutTimes({ timings: _, peakMemory: __, ...result }: Evaluation['result']) {
  const variants = Object.entries(result.variants).map(([name, variant]) => {
    const seeds = variant.seeds.map(({ timings: ___, ...seed }) => seed);
    return [name, { ...variant, seeds }] as const;
  });
  return { ...result, variants: Object.fromEntries(variants) };
}

describe('writeEvaluation', () => {
  test('writes result.json, scores.csv and the report', async () => {
    const evaluation = await run({ names: ['rarity'] });
    const folder = await mkdtemp(join(world.folder, 'out-'));
    await writeFile(join(folder, 'result.json'), 'of an earlier run');
    let reported = '';
    await writeEvaluation(folder, evaluation, world.splits.test, async (result, curves, where) => {
      reported = `${Object.keys(result.variants)} ${Object.keys(curves)} ${where === folder}`;
    });
    expect(reported).toBe('rarity rarity true');
    const result = JSON.parse(await readFile(join(folder, 'result.json'), 'utf8'));
    expect(result.version).toBe(1);
    const lines = (await readFile(join(folder, 'scores.csv'), 'utf8')).trimEnd().split('\r\n');
    expect(lines[0]).toBe('node,host,uuid,type,name,label,attack,rarity 0,rarity 1');
    expect(lines).toHaveLength(world.splits.test.events.keys.size + 1);
    const loot = lines.find((line) => line.includes(LOOT[1])) as string;
    const [, host, , type, name, label, attack, score, again] = loot.split(',');
    expect([host, type, name, label, attack]).toEqual(['h', 'file', '/home/admin/secret/1', '1', 'attack 1']);
    expect(Number(score)).toBeGreaterThan(0.9);
    expect(again).toBe(score);
  });

  test('writes the host of every node', async () => {
    const { test: part } = world.splits;
    const { events } = part;
    const { size } = events.keys;
    const keys = { size, hostAt: (node: number) => node % 2 } as typeof events.keys;
    const folder = await mkdtemp(join(world.folder, 'out-'));
    const several = { ...part, events: { ...events, keys, hosts: ['web', '=db'] } };
    await writeEvaluation(folder, await run({ names: ['rarity'], seeds: [0] }), several);
    const lines = (await readFile(join(folder, 'scores.csv'), 'utf8')).split('\r\n');
    expect(lines.slice(1, 4).map((line) => line.split(',')[1])).toEqual(['web', "'=db", 'web']);
  });

  test('scores.csv is enough to compute the ranking figures', async () => {
    const names = ['recal', 'paper', 'zscore', 'wo-cd', 'rarity'];
    // Label some benign nodes too. Some of them score 0, so their rank matters.
    const { events } = world.splits.test;
    const labelled = Array.from({ length: 12 }, (_, i) => events.uuid(i * 5));
    const labels = parseLabels([...INTRUDERS, ...labelled].join('\n'), 'labels.txt');
    const ignore = parseLabels(`${LOOT[0]}\n`, 'ignore.txt');
    const folder = await mkdtemp(join(world.folder, 'out-'));
    await writeEvaluation(folder, await run({ names, labels, ignore }), world.splits.test);
    const { variants } = JSON.parse(await readFile(join(folder, 'result.json'), 'utf8'));
    const text = await readFile(join(folder, 'scores.csv'), 'utf8');
    const [header, ...rows] = [...csvRows(text, 'scores.csv')].map(({ cells }) => cells);
    const column = (heading: string) => rows.map((cells) => cells[header.indexOf(heading)]);
    const label = column('label');
    const positives = Uint8Array.from(label, (each) => Number(each === '1'));
    const ignored = Uint8Array.from(label, (each) => Number(each === 'ignored'));
    expect(ignored.reduce((sum, each) => sum + each, 0)).toBe(1);
    for (const name of names) {
      for (const { seed, ap, auroc: area, oracle } of variants[name].seeds) {
        const heading = `${name} ${seed}`;
        const best = header.includes(`${heading} rank`) ? `${heading} rank` : heading;
        const ranking = rankScores(column(best).map(Number), positives, ignored);
        expect(averagePrecision(ranking), heading).toBe(ap);
        expect(auroc(ranking), heading).toBe(area);
        const scores = rankScores(column(heading).map(Number), positives, ignored);
        expect(bestF1(scores), heading).toEqual(oracle);
        expect(column(heading).every((score) => Number(score) >= 0)).toBe(true);
      }
    }
    // A gate leaves many scores at 0, which need a rank. Rarity has no ranks.
    expect(header).toContain('paper 0 rank');
    expect(header).not.toContain('rarity 0 rank');
    const plain = rankScores(column('paper 0').map(Number), positives, ignored);
    expect(auroc(plain)).not.toBe(variants.paper.seeds[0].auroc);
  });
});
