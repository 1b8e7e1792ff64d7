import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseThreshold } from '../../../src/detect/threshold/threshold.js';
import { evaluateVariants } from '../../../src/evaluate/evaluate-variants.js';
import type { EvaluateVariantsOptions } from '../../../src/evaluate/evaluation.js';
import { readLabels } from '../../../src/evaluate/labels/read-labels.js';
import { resolveVariant, variantOf } from '../../../src/evaluate/protocol/variants.js';
import type { EvaluationResult } from '../../../src/evaluate/result-schema.js';
import { runSweep, type SweepOptions } from '../../../src/evaluate/sweep/sweep.js';
import { writeSweepReport } from '../../../src/evaluate/sweep/sweep-report.js';
import { readTrial, trialFile, trialId } from '../../../src/evaluate/sweep/sweep-trial.js';
import { QUICK, type SmallWorld, smallWorld } from '../small-world.js';

let world: SmallWorld;
beforeAll(async () => {
  world = await smallWorld();
});

const TRAINING = { ...QUICK.training, epochs: 1 };

async function common(): Promise<Omit<EvaluateVariantsOptions, 'variants'>> {
  return {
    splits: world.splits,
    labels: await readLabels(world.labels),
    tier: 'all',
    protocol: 'honest',
    matching: 'node',
    threshold: parseThreshold('fpr:0.02'),
    seeds: [1],
    threads: 1,
  };
}

async function sweep(given: Partial<SweepOptions>) {
  const { watch: _, ...rest } = await common();
  return await runSweep({
    ...rest,
    variants: ['recal'],
    training: TRAINING,
    detection: QUICK.detection,
    folder: join(world.folder, 'trials'),
    trials: [],
    ...given,
  });
}

/** The result without times. */
function figuresOf({ variants, data, notes }: EvaluationResult) {
  const text = JSON.stringify({ variants, data, notes }, (key, value) =>
    key === 'timings' ? undefined : value,
  );
  return JSON.parse(text);
}

const seedsOf = ({ variants }: EvaluationResult) =>
  figuresOf({ variants } as EvaluationResult).variants.recal.seeds;

describe('runSweep', () => {
  const trials = [{ gamma: 0 }, { gamma: 1 }];

  test('each trial equals an evaluation that runs alone, and runs once', async () => {
    const seen: boolean[] = [];
    const watch = { trial: (_: unknown, __: number, known: boolean) => seen.push(known) };
    const first = await sweep({ trials, watch });
    expect(first).toMatchObject({ known: 0, complete: true });
    // The second trial must not depend on the random numbers of the first.
    const variants = [resolveVariant(variantOf('recal'), { ...TRAINING, gamma: 1 }, QUICK.detection)];
    const alone = await evaluateVariants({ ...(await common()), variants });
    expect(figuresOf(first.trials[1].result)).toEqual(figuresOf(alone.result));
    expect(seedsOf(first.trials[0].result)).not.toEqual(seedsOf(alone.result));

    const again = await sweep({ trials, watch });
    expect(seen).toEqual([false, false, true, true]);
    expect(again.known).toBe(2);
    expect(again.trials.slice(0, 2)).toEqual(first.trials);
    expect(await readdir(join(world.folder, 'trials'))).toHaveLength(2);
    await writeSweepReport([{ key: 'gamma', values: [0, 1] }], first, world.folder);
    const page = await readFile(join(world.folder, 'report.html'), 'utf8');
    expect(page).toContain('γ, exponent of the mask rate: average precision');
    expect(page).toContain('sweep-gamma-f1.csv');
  });

  test('shares of calibration have one training, and equal evaluations that run alone', async () => {
    const folder = join(world.folder, 'shares');
    const shares = [0.1, 0.5, 1];
    const trained: string[][] = [];
    const given = {
      trials: shares.map((calibrationShare) => ({ calibrationShare })),
      variants: ['recal', 'paper', 'velox', 'rarity'],
      seeds: [1, 2],
      folder,
      watch: {
        evaluation: { finished: ({ names }: { names: readonly string[] }) => trained.push([...names]) },
      },
    };
    const { trials: done, known } = await sweep(given);
    expect(known).toBe(0);
    expect(trained).toHaveLength(2 * given.variants.length);
    expect(await readdir(folder)).toHaveLength(shares.length);
    for (const { result } of done) {
      // Entities are thinned, not events: the graphs stay as they are.
      expect(result.data.splits).toEqual(done[2].result.data.splits);
      expect(Object.keys(result.variants)).toEqual(given.variants);
    }
    const apOf = (trial: (typeof done)[number], name: string) => trial.result.variants[name].seeds[0].ap;
    expect(apOf(done[0], 'paper')).not.toBe(apOf(done[2], 'paper'));
    expect(apOf(done[0], 'velox')).toBe(apOf(done[2], 'velox'));
    const variants = given.variants.map((name) => resolveVariant(variantOf(name), TRAINING, QUICK.detection));
    const alone = { ...(await common()), seeds: [1, 2], variants };
    for (const [i, calibrationShare] of shares.entries()) {
      const { result } = await evaluateVariants({ ...alone, calibrationShare });
      expect(figuresOf(done[i].result), String(calibrationShare)).toEqual(figuresOf(result));
    }
    expect((await sweep(given)).known).toBe(shares.length);
  });

  test('runs a trial again if its file is damaged', async () => {
    const folder = join(world.folder, 'changed');
    const given = { folder, trials: [{ rounds: 2 }], variants: ['rarity'], seeds: [0] };
    const { trials: done } = await sweep(given);
    const path = join(folder, trialFile(done[0].assignment, done[0].id));
    const text = await readFile(path, 'utf8');
    for (const damaged of [text.slice(0, text.length / 2), '', 'null', '[]', '{"result":null}']) {
      await writeFile(path, damaged);
      expect(await readTrial(folder, done[0].assignment, done[0].id), damaged).toBeUndefined();
    }
    const repaired = await sweep(given);
    expect(repaired).toMatchObject({ known: 0, complete: true });
    expect(repaired.trials[0].id).toBe(done[0].id);
    expect((await sweep(given)).known).toBe(1);
  });

  test('runs equal trials once', async () => {
    const { trials: done, known } = await sweep({
      trials: [{ gamma: 0.5 }, { learningRate: 1e-3 }],
      variants: ['rarity'],
      seeds: [0],
      folder: join(world.folder, 'same'),
    });
    expect(known).toBe(1);
    expect(done[1].assignment).toEqual({ learningRate: 1e-3 });
    expect(done[1].result).toEqual(done[0].result);
  });

  test('keeps finished trials when stopped, but not a partial one', async () => {
    const stop = new AbortController();
    const folder = join(world.folder, 'stopped');
    const outcome = await sweep({
      trials: [{ rounds: 1 }, { rounds: 2 }],
      variants: ['rarity'],
      folder,
      seeds: [0],
      signal: stop.signal,
      watch: { trial: (_, number) => number === 1 && stop.abort() },
    });
    expect(outcome.complete).toBe(false);
    expect(outcome.trials.map(({ assignment }) => assignment)).toEqual([{ rounds: 1 }]);
    expect(await readdir(folder)).toHaveLength(1);
  });

  test('refuses to sweep a setting that a variant fixes, before the first trial', async () => {
    const started: unknown[] = [];
    const watch = { trial: (assignment: unknown) => started.push(assignment) };
    await expect(
      sweep({ trials: [{ balanced: false }, { balanced: true }], variants: ['wo-bl'], watch }),
    ).rejects.toMatchObject({ code: 'sweep-fixed', exit: 2 });
    expect(started).toEqual([]);
  });
});

test('the id of a trial depends on its data and settings, not on threads', async () => {
  const options = { ...(await common()), variants: [resolveVariant(variantOf('rarity'), {}, {})] };
  const id = trialId(options);
  expect(trialId({ ...options, threads: 7 })).toBe(id);
  expect(trialId({ ...options, seeds: [1, 2] })).not.toBe(id);
  expect(trialId({ ...options, calibrationShare: 1 })).toBe(id);
  expect(trialId({ ...options, calibrationShare: 0.5 })).not.toBe(id);
  expect(trialId({ ...options, threshold: parseThreshold('fpr:0.05') })).not.toBe(id);
  const { calibrate, test: testSplit } = world.splits;
  expect(
    trialId({ ...options, splits: { ...world.splits, calibrate: testSplit, test: calibrate } }),
  ).not.toBe(id);
  expect(trialFile({ evidence: ['name', 'distance'], note: '../../x y' }, id)).toMatch(
    /^evidence=name\+distance_note=\.\._\.\._x_y-[0-9a-f]{12}\.json$/,
  );
});
