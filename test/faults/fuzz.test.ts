import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mutate } from '../../bench/fuzz/mutate.js';
import { attempt, openTargets, type Target } from '../../bench/fuzz/targets.js';
import { Random } from '../../src/base/random.js';
import { ROOT } from '../built.js';

/** Inputs per target: seconds in all. `npm run bench -- fuzz` runs for hours. */
const INPUTS = 150;
const SLOW: Readonly<Record<string, number>> = { ingest: 15, segment: 15, model: 60, 'model-tensors': 60 };
const FINDINGS = join(ROOT, 'test/fixtures/fuzz');
let targets: Target[];
let close: () => Promise<void>;

beforeAll(async () => {
  ({ targets, close } = await openTargets());
});

afterAll(() => close());

test('changed input is read or refused, never a defect', async () => {
  for (const target of targets) {
    const random = new Random(20180406).stream(target.name);
    for (let i = 0; i < (SLOW[target.name] ?? INPUTS); i++) {
      const from = target.corpus[Math.floor(random.float() * target.corpus.length)];
      const bytes = mutate(from, target.corpus, random);
      expect({ target: target.name, i, wrong: await attempt(target, bytes) }).toMatchObject({
        wrong: undefined,
      });
    }
  }
});

test('earlier findings stay mended', async () => {
  const names = existsSync(FINDINGS) ? readdirSync(FINDINGS).filter((name) => name.endsWith('.bin')) : [];
  for (const name of names) {
    const target = targets.find((each) => name.startsWith(`${each.name}.`));
    expect(target, name).toBeDefined();
    const wrong = await attempt(target as Target, readFileSync(join(FINDINGS, name)));
    expect({ name, wrong }).toEqual({ name, wrong: undefined });
  }
});
