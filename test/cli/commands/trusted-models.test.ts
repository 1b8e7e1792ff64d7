import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { signModelFile, writeKeys } from '../../../src/model/file/signature.js';
import { train } from '../../../src/pipeline/train.js';
import { driftingWorld } from '../../detect/drift/drifting-world.js';
import { sharedFolder } from '../../folders.js';
import { runHere } from '../run-here.js';

const folder = sharedFolder();
const model = join(folder, 'model.recal');
const key = join(folder, 'team.key');

beforeAll(async () => {
  const store = await driftingWorld(folder);
  await train({
    store: store.folder,
    model,
    selection: { split: 'train' },
    calibrateSplit: 'calibrate',
    training: { epochs: 1, textEpochs: 1, textDimension: 4, window: 30 },
    threads: 1,
  });
  await writeKeys(key);
});

const run = (words: readonly string[]) =>
  runHere([...words, '--split', 'same', '--json'], {
    cwd: folder,
    env: {
      RECAL_STORE: join(folder, 'store'),
      RECAL_MODEL: model,
      RECAL_THREADS: '1',
      RECAL_TRUST: `${key}.pub`,
    },
  });

test.each([
  { name: 'recal detect', words: ['detect', '--out', join(folder, 'alerts')] },
  { name: 'recal detect --since-last', words: ['detect', '--since-last', '--out', join(folder, 'daily')] },
  { name: 'recal drift', words: ['drift'] },
  { name: 'recal calibrate', words: ['calibrate'] },
])(
  'with a trusted key, $name refuses a model without a signature and uses a signed one',
  async ({ words }) => {
    rmSync(`${model}.sig`, { force: true });
    const before = readFileSync(model);
    const refused = await run(words);
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('"model-unsigned"')]);
    expect(readFileSync(model)).toEqual(before);
    await signModelFile(model, key);
    expect((await run(words)).code).toBe(0);
  },
);
