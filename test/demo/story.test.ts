import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { STEPS, type Step, tellStory } from '../../src/demo/story.js';
import { readAlertFiles } from '../../src/report/detection/alert-files.js';
import { newFolder } from '../folders.js';

// A test may run beside others on a small machine: the smallest world there is, and one epoch.
const SMALL = { seed: 3, events: 20_000, epochs: 1, threshold: 'fpr:0.02', threads: 1 };

test('the story goes through its steps, keeps everything, and tells what is true of it', async () => {
  const told: (readonly [string, Step])[] = [];
  const shares: number[] = [];
  const story = await tellStory({
    ...SMALL,
    folder: newFolder(),
    watch: {
      began: (step) => told.push(['began', step]),
      advanced: (_, done) => shares.push(done),
      ended: (step, seconds, partial) => {
        told.push(['ended', step]);
        expect(seconds).toBeGreaterThan(0);
        expect(Object.keys(partial).length).toBeGreaterThan(0);
      },
    },
  });
  expect(told).toEqual(STEPS.flatMap((step) => [['began', step] as const, ['ended', step] as const]));
  expect(shares.length).toBeGreaterThan(STEPS.length);
  expect(Object.keys(story.seconds)).toEqual([...STEPS]);

  const { paths, found, truth, world } = story;
  for (const path of [paths.world, paths.store, paths.model, paths.report])
    expect(existsSync(path)).toBe(true);
  const files = await readAlertFiles(paths.alerts);
  expect(files.alerts).toHaveLength(found.counts.alerts);
  expect(files.run).toMatchObject({ model: story.model.id, selection: { split: 'test' } });
  // Calibration and test are other days than training.
  expect(story.calibration.firstTs).toBeGreaterThan(BigInt(story.model.training.lastTs));

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

test('who stops it gets no story', async () => {
  const stop = new AbortController();
  const telling = tellStory({
    ...SMALL,
    folder: newFolder(),
    signal: stop.signal,
    watch: { ended: () => stop.abort() },
  });
  await expect(telling).rejects.toThrow(/abort/i);
});
