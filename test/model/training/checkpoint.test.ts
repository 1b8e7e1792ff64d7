import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parametersOf, readModelFile } from '../../../src/model/file/model-file.js';
import {
  type Checkpoint,
  checkpointPath,
  checkResumable,
  checkSameChoices,
  hasCheckpoint,
  readCheckpoint,
  removeCheckpoint,
  writeCheckpoint,
} from '../../../src/model/training/checkpoint.js';
import { newFolder } from '../../folders.js';
import { smallModel } from '../small-models.js';

const model = smallModel();
const numbers = parametersOf(model).length;
const checkpoint: Checkpoint = {
  model,
  state: {
    weights: model.weights,
    firstMoment: new Float32Array(numbers).fill(0.25),
    secondMoment: new Float32Array(numbers).fill(1e-9),
    steps: 5,
  },
  trainer: { steps: 5, sums: [0.1 + 0.2, 0], counts: [7, 0], masked: 9, nodes: 50 },
};

test('round trip, to the last bit', async () => {
  const path = join(newFolder(), 'model');
  expect(await hasCheckpoint(path)).toBe(false);
  await writeCheckpoint(path, checkpoint);
  expect(await hasCheckpoint(path)).toBe(true);
  const back = await readCheckpoint(path);
  expect(back.state).toEqual(checkpoint.state);
  expect(back.trainer).toEqual(checkpoint.trainer);
  expect(back.model).toMatchObject({ id: model.id, config: model.config, training: model.training });
  await removeCheckpoint(path);
  expect(await hasCheckpoint(path)).toBe(false);
  await expect(readCheckpoint(path)).rejects.toThrow('there is no file');
});

describe('refused', () => {
  test('moments that do not fit the weights', async () => {
    const path = join(newFolder(), 'model');
    const firstMoment = new Float32Array(numbers - 1);
    await writeCheckpoint(path, { ...checkpoint, state: { ...checkpoint.state, firstMoment } });
    await expect(readCheckpoint(path)).rejects.toThrow('adam.first');
  });

  test('one whose steps contradict each other', async () => {
    const path = join(newFolder(), 'model');
    const { state, trainer } = checkpoint;
    for (const other of [
      { state: { ...state, steps: 4 } },
      { trainer: { ...trainer, sums: [0] } },
      { trainer: { ...trainer, sums: [0], counts: [1] } },
    ]) {
      await writeCheckpoint(path, { ...checkpoint, ...other });
      await expect(readCheckpoint(path)).rejects.toThrow('does not fit together');
    }
  });

  test('a damaged one, and a checkpoint in place of a model', async () => {
    const path = join(newFolder(), 'model');
    await writeCheckpoint(path, checkpoint);
    await expect(readModelFile(checkpointPath(path))).rejects.toThrow('recal-checkpoint');
    const bytes = readFileSync(checkpointPath(path));
    bytes[bytes.length - 1] ^= 1;
    writeFileSync(checkpointPath(path), bytes);
    await expect(readCheckpoint(path)).rejects.toThrow('checksum');
  });
});

describe('resuming', () => {
  const { config, training } = model;
  const same = { ...training, steps: checkpoint.trainer.steps };
  const check = (now: Partial<typeof same>) => () => checkResumable(checkpoint, { ...same, ...now }, 'm');
  const choose = (choices: Partial<typeof config>) => () =>
    checkSameChoices(checkpoint, { ...config, ...choices }, 'm');

  test('under the same conditions, or for more epochs', () => {
    expect(check({})).not.toThrow();
    expect(check({ steps: 999 })).not.toThrow();
    expect(choose({ epochs: 999 })).not.toThrow();
  });

  test('not for fewer steps than it has taken', () => {
    expect(check({ steps: checkpoint.trainer.steps - 1 })).toThrow('5 steps already, and 4 are asked for');
  });

  test('not with other choices, other data or other arithmetic', () => {
    expect(choose({ gamma: 1, seed: 9 })).toThrow('gamma, seed');
    expect(check({ data: 'b'.repeat(64) })).toThrow('other events');
    expect(check({ device: { kind: 'wasm', build: 'simd' } })).toThrow('wasm simd');
    const inParts = { graphs: 1, parts: 3, bounds: 'c'.repeat(64) };
    expect(check({ inParts })).toThrow('graphs as a whole, and this is 1 graphs in 3 parts');
    const selection = { ...training.selection, to: '99', host: 'h' };
    expect(check({ selection })).toThrow('another selection of events: host, to');
  });
});
