import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../dist/base/random.js';
import { mutate } from './fuzz/mutate.js';
import { attempt, openTargets } from './fuzz/targets.js';

/**
 * `npm run bench -- fuzz [--minutes 60] [--seed 1] [--target NAME] [--model FILE] [--keep DIR]` changes logs, manifests,
 * segments, models, labels and configurations at random and reads them. Inputs that end in a defect are kept; copy them
 * to `test/fixtures/fuzz/`, where the tests read them again.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      target: { type: 'string' },
      model: { type: 'string' },
      keep: { type: 'string', default: 'fuzz-findings' },
    },
  });
  const { targets, close } = await openTargets(
    values.model === undefined ? undefined : readFileSync(values.model),
  );
  const chosen = targets.filter(({ name }) => values.target === undefined || name === values.target);
  const random = new Random(Number(values.seed)).stream('fuzz');
  const ends = performance.now() + 60_000 * Number(values.minutes);
  const counts: Record<string, { inputs: number; findings: number }> = {};
  try {
    for (let i = 0; performance.now() < ends; i++) {
      const target = chosen[i % chosen.length];
      counts[target.name] ??= { inputs: 0, findings: 0 };
      const from = target.corpus[Math.floor(random.float() * target.corpus.length)];
      const bytes = mutate(from, target.corpus, random);
      counts[target.name].inputs++;
      const wrong = await attempt(target, bytes);
      if (wrong === undefined) continue;
      counts[target.name].findings++;
      mkdirSync(values.keep, { recursive: true });
      const path = join(values.keep, `${target.name}.${i}.bin`);
      writeFileSync(path, bytes);
      console.log(`${path}: ${wrong.slice(0, 600)}`);
    }
  } finally {
    await close();
  }
  console.table(counts);
  if (Object.values(counts).some(({ findings }) => findings > 0)) process.exitCode = 1;
}
