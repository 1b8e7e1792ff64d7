import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { judgeIncident, readGroundTruth } from '../../src/demo/ground-truth.js';
import type { Incident } from '../../src/detect/alerts/alert.js';
import type { TrainingConfig } from '../../src/model/training/training-config.js';
import { detect } from '../../src/pipeline/detect.js';
import { train } from '../../src/pipeline/train.js';
import { simulate } from '../../src/simulate/simulate.js';
import { ingestFiles } from '../../src/store/ingest.js';
import { sharedFolder } from '../folders.js';

const HOUR = 3_600_000_000_000n;
const folder = sharedFolder();
const [world, store] = [join(folder, 'world'), join(folder, 'store')];
const threads = 1;
/** The span of each attack, in nanoseconds. */
const attacks: { id: string; from: bigint; until: bigint }[] = [];
let runs = 0;
let ids: ReadonlyMap<string, string> = new Map();

async function trainModel(name: string, training: Partial<TrainingConfig>): Promise<string> {
  const model = join(folder, name);
  await train({
    ...{ store, model, threads, selection: { split: 'train' }, calibrateSplit: 'calibrate' },
    training: { epochs: 1, ...training },
  });
  return model;
}

/** The incident that has most of the processes of each attack, by attack. */
async function attackIds(
  model: string,
  { from, to, threshold = 'top:30/day' }: { from?: bigint; to?: bigint; threshold?: string } = {},
): Promise<Map<string, string>> {
  const { incidents } = await detect({
    ...{ store, model, threads, out: join(folder, `alerts-${runs++}`), report: false, threshold },
    selection: { split: 'test', from, to },
  });
  const truth = await readGroundTruth(world);
  const found = new Map<string, { id: string; count: number }>();
  for (const incident of incidents) {
    // The processes of its trees, instead of its alerts: which of them alarm depends on the weights.
    const processes = incident.episode?.processes.map(({ entity }) => ({ entity })) ?? [];
    const { attacks: counts } = judgeIncident(
      { ...incident, alerts: processes } as unknown as Incident,
      truth,
    );
    for (const [attack, count] of Object.entries(counts)) {
      if (count > (found.get(attack)?.count ?? 0)) found.set(attack, { id: incident.id, count });
    }
  }
  return new Map([...found].map(([attack, { id }]) => [attack, id]));
}

beforeAll(async () => {
  const manifest = await simulate({ scenario: 'demo', seed: 3, events: 60_000, out: world });
  for (const split of ['train', 'calibrate', 'test'])
    await ingestFiles([join(world, `${split}.json`)], { store, split, append: true, threads: 0 });
  for (const { id, from, until } of manifest.hosts[0].attacks) {
    attacks.push({
      id,
      from: BigInt(Date.parse(from)) * 1_000_000n,
      until: BigInt(Date.parse(until)) * 1_000_000n,
    });
  }
  const model = await trainModel('first.recal', { seed: 1 });
  ids = await attackIds(model);
});

describe('an attack keeps the id of its incident', () => {
  test('which the whole test gives', () => {
    expect([...ids.keys()].sort()).toEqual(attacks.map(({ id }) => id).sort());
  });

  test.each([
    ['that begin later', 1n, undefined],
    ['that end earlier', undefined, 1n],
    ['that do both', 2n, 2n],
  ])('in events %s', async (_, before, after) => {
    for (const { id, from, until } of attacks) {
      const cut = {
        ...(before === undefined ? {} : { from: from - before * HOUR }),
        ...(after === undefined ? {} : { to: until + after * HOUR }),
      };
      const found = await attackIds(join(folder, 'first.recal'), cut);
      expect([id, found.get(id)]).toEqual([id, ids.get(id)]);
    }
  });

  test.each(['budget:20/day', 'top:60/day'])('with the threshold %s', async (threshold) => {
    const found = await attackIds(join(folder, 'first.recal'), { threshold });
    expect(found.size).toBeGreaterThan(0);
    for (const [attack, id] of found) expect([attack, id]).toEqual([attack, ids.get(attack)]);
  });

  test.each<[string, Partial<TrainingConfig>]>([
    ['of another seed', { seed: 7 }],
    ['with windows of another length', { window: 60 }],
  ])('for a model %s', async (name, training) => {
    const found = await attackIds(await trainModel(`${name}.recal`, training));
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(ids));
  });
});
