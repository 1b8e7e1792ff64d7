import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runDemo, STEPS, type Step } from '../../src/demo/run-demo.js';
import { describeModelFile } from '../../src/model/file/describe-model.js';
import { readAlertFiles } from '../../src/report/detection/alert-files.js';
import { newFolder } from '../folders.js';

// The smallest world and one epoch: other tests run at the same time.
const SMALL = { seed: 3, events: 20_000, epochs: 1, threshold: 'fpr:0.02', threads: 1 };

test('the demo runs its steps in order, keeps all files, and reports the ground truth', async () => {
  const seen: (readonly [string, Step])[] = [];
  const shares: number[] = [];
  const demo = await runDemo({
    ...SMALL,
    folder: newFolder(),
    watch: {
      began: (step) => seen.push(['began', step]),
      advanced: (_, done) => shares.push(done),
      ended: (step, seconds, partial) => {
        seen.push(['ended', step]);
        expect(seconds).toBeGreaterThan(0);
        expect(Object.keys(partial).length).toBeGreaterThan(0);
      },
    },
  });
  expect(seen).toEqual(STEPS.flatMap((step) => [['began', step] as const, ['ended', step] as const]));
  expect(shares.length).toBeGreaterThan(STEPS.length);
  expect(Object.keys(demo.seconds)).toEqual([...STEPS]);

  const { paths, detection: found, training, truth, world } = demo;
  for (const path of [paths.world, paths.store, paths.model, paths.report])
    expect(existsSync(path)).toBe(true);
  const files = await readAlertFiles(paths.alerts);
  expect(files.alerts).toHaveLength(found.counts.alerts);
  expect(files.run).toMatchObject({ model: training.id, selection: { split: 'test' } });
  // Calibration uses other days than training.
  const model = await describeModelFile(paths.model);
  expect(BigInt(training.calibration?.firstTs ?? 0)).toBeGreaterThan(BigInt(model.training.lastTs));

  expect(truth.incidents.map(({ rank }) => rank)).toEqual(found.incidents.map(({ rank }) => rank));
  expect(truth.attacks.map(({ attack }) => attack)).toEqual(world.hosts[0].attacks.map(({ id }) => id));
  const labelled = new Map(
    readFileSync(`${paths.world}/labels.csv`, 'utf8')
      .split('\n')
      .map((line) => line.split(','))
      .filter((cells) => cells.includes('core'))
      .map(([uuid, ...rest]) => [uuid, rest]),
  );
  for (const { attack, core, found: hits, rank } of truth.attacks) {
    expect([...labelled.values()].filter((cells) => cells.includes(attack))).toHaveLength(core);
    expect(hits).toBeLessThanOrEqual(core);
    const first = found.incidents.find(({ alerts }) =>
      alerts.some(({ entity }) => labelled.get(entity.id)?.includes(attack)),
    );
    expect(rank).toBe(first?.rank ?? null);
  }
});

test('a stopped demo rejects', async () => {
  const stop = new AbortController();
  const running = runDemo({
    ...SMALL,
    folder: newFolder(),
    signal: stop.signal,
    watch: { ended: () => stop.abort() },
  });
  await expect(running).rejects.toThrow(/abort/i);
});
