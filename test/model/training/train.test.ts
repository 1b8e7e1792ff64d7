import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ENTITY_TYPES } from '../../../src/ingest/event.js';
import { readModelFile, writeModelFile } from '../../../src/model/file/model-file.js';
import { memoryNeed } from '../../../src/model/layout/memory-need.js';
import { readCheckpoint, writeCheckpoint } from '../../../src/model/training/checkpoint.js';
import { maskRates } from '../../../src/model/training/masking.js';
import { type TrainModelOptions, type TrainResult, trainModel } from '../../../src/model/training/train.js';
import {
  maskConfigOf,
  modelConfigOf,
  resolveTrainingConfig,
} from '../../../src/model/training/training-config.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { Store } from '../../../src/store/store.js';
import { ROOT } from '../../built.js';
import { newFolder, sharedFolder } from '../../folders.js';
import { eventLine, writeLog } from '../../store/small-logs.js';

const folder = sharedFolder();
const config = resolveTrainingConfig({ epochs: 3, textEpochs: 1, window: 60 });
let store: Store;

beforeAll(async () => {
  const log = join(ROOT, 'examples/small-host.json.gz');
  await ingestFiles([log], { store: join(folder, 'store'), split: 'train', threads: 0 });
  store = await Store.open(join(folder, 'store'));
});

const train = (more: Partial<TrainModelOptions> = {}) => trainModel({ store, config, ...more });

/** Aborts after so many steps, as Ctrl-C does. */
function stopAfter(count: number) {
  const controller = new AbortController();
  const stepped = (steps: number) => {
    if (steps === count) controller.abort();
  };
  return { signal: controller.signal, watch: { stepped } };
}

describe('a small host', () => {
  let whole: TrainResult;
  beforeAll(async () => {
    whole = await train();
  });

  test('is learned: the loss falls, and the manifest describes the data', () => {
    expect(whole.complete).toBe(true);
    expect(whole.reports).toHaveLength(3);
    expect(whole.reports[2].loss).toBeLessThan(whole.reports[0].loss);
    const { training, relations } = whole.model;
    expect(training).toMatchObject({
      epochs: { asked: 3, done: 3 },
      steps: 3 * training.graphs,
      device: { kind: 'wasm' },
      files: [{ name: 'small-host.json.gz', split: 'train' }],
    });
    expect(training.losses).toHaveLength(relations.length);
    expect(training.graphs).toBeGreaterThan(1);
  });

  test('the same training gives the same file', async () => {
    const again = await train();
    expect(again.model.id).toBe(whole.model.id);
    const [one, two] = [join(folder, 'one'), join(folder, 'two')];
    expect(await writeModelFile(two, again.model)).toBe(await writeModelFile(one, whole.model));
    expect((await readModelFile(one)).id).toBe(whole.model.id);
  });

  test('another seed gives another model', async () => {
    const other = await train({ config: { ...config, seed: 1, epochs: 1 } });
    expect(other.model.id).not.toBe(whole.model.id);
  });

  test('a resumed training gives the same model, stopped within or after an epoch', async () => {
    for (const steps of [1, whole.model.training.graphs]) {
      const path = join(folder, `stopped-${steps}`);
      const stopped = await train(stopAfter(steps));
      expect(stopped.complete).toBe(false);
      // A stopped training gives a usable model.
      await writeModelFile(path, stopped.model);
      expect((await readModelFile(path)).training.steps).toBe(steps);
      await writeCheckpoint(path, stopped.checkpoint);
      const rest = await train({ resume: path });
      expect(rest.complete).toBe(true);
      expect(rest.model.id).toBe(whole.model.id);
      expect(rest.model.training).toEqual(whole.model.training);
      expect((await readCheckpoint(path)).trainer.steps).toBe(steps);
    }
  });

  test('a budget in steps gives the file of the same epochs, also when resumed', async () => {
    const { graphs } = whole.model.training;
    const bySteps = resolveTrainingConfig({ steps: 2 * graphs + 1, textEpochs: 1, window: 60 });
    const { model } = await train({ config: bySteps });
    expect(model.id).toBe(whole.model.id);
    const [one, two] = [join(folder, 'by-epochs'), join(folder, 'by-steps')];
    expect(await writeModelFile(two, model)).toBe(await writeModelFile(one, whole.model));
    const stopped = await train({ config: bySteps, ...stopAfter(2) });
    await writeCheckpoint(two, stopped.checkpoint);
    const rest = await train({ config: bySteps, resume: two });
    expect(rest.model.id).toBe(whole.model.id);
  });

  test('is not resumed with other settings', async () => {
    const path = join(folder, 'other');
    await writeCheckpoint(path, (await train(stopAfter(1))).checkpoint);
    const other = train({ resume: path, config: { ...config, gamma: 1 } });
    await expect(other).rejects.toMatchObject({
      code: 'resume-differs',
      message: expect.stringContaining('gamma'),
    });
  });

  test('the loss falls with every encoder, scaling, balance and graph unit', async () => {
    const variants = [
      { encoder: 'rgat' as const },
      { balanced: false },
      { inputBlocks: 'unit' as const },
      { targetBlocks: 'unit' as const },
      { graph: 'file' as const },
    ];
    for (const variant of variants) {
      const { reports } = await train({ config: { ...config, ...variant, epochs: 4 } });
      expect(reports[3].loss).toBeLessThan(reports[0].loss);
    }
  });
});

describe('refused', () => {
  test('parameters and a graph beyond the memory budget, before training', async () => {
    await expect(train({ memory: 2 ** 20 })).rejects.toMatchObject({
      code: 'memory-budget',
      message: expect.stringMatching(/23 relations .* MiB, .* 1\.0 MiB/),
      hint: expect.stringContaining('--memory'),
    });
    const relations = 23;
    const features = ENTITY_TYPES.length + config.textDimension + (relations + 1) ** 2;
    const nothing = { nodes: 0, entries: 0, pairs: 0, maskedPairs: 0, values: 0 };
    const least = memoryNeed(modelConfigOf(config, relations, features), nothing);
    await expect(train({ memory: least })).rejects.toMatchObject({
      code: 'memory-budget',
      message: expect.stringMatching(/graph .* nodes, .* MiB, .* MiB/),
      hint: expect.stringContaining('window='),
    });
  });

  test('a training that diverges', async () => {
    const unstable = { ...config, textRate: 1, textEpochs: 200 };
    await expect(train({ config: unstable })).rejects.toMatchObject({ code: 'training-diverged' });
  });

  test('a selection without events, and events without edges', async () => {
    const none = train({ selection: { to: 1n } });
    await expect(none).rejects.toMatchObject({ code: 'nothing-selected', exit: 2 });
    const lonely = join(newFolder(), 'store');
    await ingestFiles([writeLog(newFolder(), 'x.json', [eventLine()])], { store: lonely, threads: 0 });
    const edgeless = train({ store: await Store.open(lonely) });
    await expect(edgeless).rejects.toMatchObject({ code: 'no-edges' });
  });

  test('an abort before the first step', async () => {
    await expect(train({ signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });
});

const E1 = join(ROOT, '../shared/data/cadets-e1/ta1-cadets-e1-stretch.train.json.gz');
if (!existsSync(E1)) {
  test('skipped because ../shared is missing: training on CADETS E1', () => {
    expect(existsSync(E1)).toBe(false);
  });
}

describe.skipIf(!existsSync(E1))('CADETS E1', () => {
  let result: TrainResult;
  beforeAll(async () => {
    const path = join(folder, 'e1');
    await ingestFiles([E1], { store: path, split: 'train', threads: 0 });
    const few = resolveTrainingConfig({ epochs: 8, textEpochs: 3 });
    result = await trainModel({ store: await Store.open(path), config: few, selection: { split: 'train' } });
  });

  test('training lowers the loss of every relation', () => {
    const { relations } = result.model;
    const [first, last] = [result.reports[0], result.reports[7]];
    for (const [r, { name, frequency }] of relations.entries()) {
      if (frequency === 0) expect([name, last.losses[r]]).toEqual([name, Number.NaN]);
      else if (!(last.losses[r] < first.losses[r])) expect([name, last.losses[r]]).toBe(first.losses[r]);
    }
    console.log(`CADETS E1 train, 8 epochs: loss ${first.loss.toFixed(2)} → ${last.loss.toFixed(2)}`);
  });

  test('mask rates follow the formula and are ten times higher for rare relations', () => {
    const { relations, config: used } = result.model;
    const f = relations.map(({ frequency }) => frequency);
    const rates = maskRates(f, maskConfigOf(used));
    const seen = f.filter((count) => count > 0).sort((a, b) => a - b);
    const median = (seen[(seen.length - 1) >> 1] + seen[seen.length >> 1]) / 2;
    for (const [r, count] of f.entries()) {
      const p = count === 0 ? 0 : Math.min(0.75, Math.max(0.05, 0.3 * (median / count) ** 0.5));
      expect(rates[r]).toBeCloseTo(p, 12);
    }
    const most = rates[f.indexOf(Math.max(...f))];
    const rare = rates[f.indexOf(seen[0])];
    expect(rare / most).toBeGreaterThanOrEqual(10);
    for (const { masked } of result.reports) expect(masked).toBeLessThan(0.8);
  });
});
