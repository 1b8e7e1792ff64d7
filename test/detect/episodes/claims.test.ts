import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { detect } from '../../../src/pipeline/detect.js';
import { train } from '../../../src/pipeline/train.js';
import type { SimulateOptions } from '../../../src/simulate/options.js';
import { simulate } from '../../../src/simulate/simulate.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { Store } from '../../../src/store/store.js';
import { newFolder } from '../../folders.js';
import { LearnedFacts } from './learned-facts.js';

const SPLITS = ['train', 'calibrate', 'test'] as const;
const E1 = resolve(import.meta.dirname, '../../../../shared/data/cadets-e1');

/** The claims of all incidents that the events which the model learned from contradict, and the number of claims. */
async function judgeClaims(logs: Readonly<Record<(typeof SPLITS)[number], string>>) {
  const folder = newFolder();
  const [store, model] = [join(folder, 'store'), join(folder, 'model.recal')];
  for (const split of SPLITS) await ingestFiles([logs[split]], { store, split, append: true, threads: 0 });
  const threads = 1;
  await train({
    ...{ store, model, threads, selection: { split: 'train' } },
    ...{ calibrateSplit: 'calibrate', training: { epochs: 1 } },
  });
  const { incidents } = await detect({
    ...{ store, model, threads, out: join(folder, 'alerts'), report: false },
    ...{ selection: { split: 'test' }, threshold: 'top:100/day' },
  });
  const opened = await Store.open(store);
  const facts = await (await new LearnedFacts().read(opened, 'train')).read(opened, 'calibrate');
  const acts = incidents.flatMap(({ episode }) => episode?.acts.map(({ what }) => what) ?? []);
  const told = incidents.map(({ sentence }) => sentence);
  return {
    count: acts.length,
    // An incident's sentence repeats acts, and claims nothing beside them.
    unfounded: told.filter(
      (sentence) => /first time|before/.test(sentence) && !acts.some((act) => sentence.includes(act)),
    ),
    contradicted: acts.flatMap((act) => facts.contradict(act).map((fact) => ({ act, fact }))),
  };
}

test.each<Omit<SimulateOptions, 'out'>>([
  { scenario: 'demo', seed: 3, events: 40_000 },
  { scenario: 'linux-workstation', seed: 2, events: 40_000, format: 'auditd' },
])('what $scenario never did before is in none of the learned events', async (options) => {
  const world = join(newFolder(), 'world');
  await simulate({ ...options, out: world });
  const extension = options.format === 'auditd' ? 'log' : 'json';
  const [train, calibrate, test] = SPLITS.map((split) => join(world, `${split}.${extension}`));
  const { count, ...wrong } = await judgeClaims({ train, calibrate, test });
  expect(count).toBeGreaterThan(20);
  expect(wrong).toEqual({ unfounded: [], contradicted: [] });
});

test.skipIf(!existsSync(E1))('what CADETS E1 never did before is in none of the learned events', async () => {
  const [train, calibrate, test] = SPLITS.map((split) => join(E1, `ta1-cadets-e1-stretch.${split}.json.gz`));
  const { count, ...wrong } = await judgeClaims({ train, calibrate, test });
  expect(count).toBeGreaterThan(20);
  expect(wrong).toEqual({ unfounded: [], contradicted: [] });
});
