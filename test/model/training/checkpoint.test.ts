import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parametersOf, readModelFile } from '../../../src/model/file/model-file.js';
import {
  type Checkpoint,
  checkpointPath,
  checkResumable,
  checkSameSettings,
  hasCheckpoint,
  readCheckpoint,
  removeCheckpoint,
  writeCheckpoint,
} from '../../../src/model/training/checkpoint.js';
import { newFolder } from '../../folders.js';
import { smallModel } from '../small-models.js';

const model = smallModel();
const length = parametersOf(model).length;
const checkpoint: Checkpoint = {
  model,
  state: {
    weights: model.weights,
    firstMoment: new Float32Array(length).fill(0.25),
    secondMoment: new Float32Array(length).fill(1e-9),
    steps: 5,
  },
  trainer: { steps: 5, sums: [0.1 + 0.2, 0], counts: [7, 0], masked: 9, nodes: 50 },
};

test('a checkpoint is read back to the last bit', async () => {
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
  await expect(readCheckpoint(path)).rejects.toMatchObject({ code: 'no-model' });
});

describe('refused', () => {
  test('moments of another length than the weights', async () => {
    const path = join(newFolder(), 'model');
    const firstMoment = new Float32Array(length - 1);
    await writeCheckpoint(path, { ...checkpoint, state: { ...checkpoint.state, firstMoment } });
    await expect(readCheckpoint(path)).rejects.toMatchObject({
      code: 'model-damaged',
      message: expect.stringContaining('adam.first'),
    });
  });

  test('step counts that contradict each other', async () => {
    const path = join(newFolder(), 'model');
    const { state, trainer } = checkpoint;
    for (const other of [
      { state: { ...state, steps: 4 } },
      { trainer: { ...trainer, sums: [0] } },
      { trainer: { ...trainer, sums: [0], counts: [1] } },
    ]) {
      await writeCheckpoint(path, { ...checkpoint, ...other });
      await expect(readCheckpoint(path)).rejects.toMatchObject({ code: 'model-damaged' });
    }
  });

  test('a damaged checkpoint, and a checkpoint instead of a model', async () => {
    const path = join(newFolder(), 'model');
    await writeCheckpoint(path, checkpoint);
    await expect(readModelFile(checkpointPath(path))).rejects.toMatchObject({ code: 'not-a-model' });
    const bytes = readFileSync(checkpointPath(path));
    bytes[bytes.length - 1] ^= 1;
    writeFileSync(checkpointPath(path), bytes);
    await expect(readCheckpoint(path)).rejects.toMatchObject({ code: 'model-damaged' });
  });
});

describe('resuming', () => {
  const { config, training } = model;
  const same = { ...training, steps: checkpoint.trainer.steps };
  const refusal = (code: string, ...names: string[]) =>
    expect.objectContaining({ code, message: expect.stringMatching(new RegExp(names.join('.*'))) });
  const check = (now: Partial<typeof same>) => () => checkResumable(checkpoint, { ...same, ...now }, 'm');
  const configure = (settings: Partial<typeof config>) => () =>
    checkSameSettings(checkpoint, { ...config, ...settings }, 'm');

  test('is possible under the same conditions, and for more epochs', () => {
    expect(check({})).not.toThrow();
    expect(check({ steps: 999 })).not.toThrow();
    expect(configure({ epochs: 999 })).not.toThrow();
  });

  test('is refused for fewer steps than the checkpoint has', () => {
    expect(check({ steps: checkpoint.trainer.steps - 1 })).toThrow(refusal('resume-beyond', '5', '4'));
  });

  test('is refused with other settings, other data or another device', () => {
    expect(configure({ gamma: 1, seed: 9 })).toThrow(refusal('resume-differs', 'gamma', 'seed'));
    expect(check({ data: 'b'.repeat(64) })).toThrow(refusal('resume-differs'));
    expect(check({ device: { kind: 'wasm', build: 'simd' } })).toThrow(
      refusal('resume-differs', 'wasm simd'),
    );
    const inParts = { graphs: 1, parts: 3, bounds: 'c'.repeat(64) };
    expect(check({ inParts })).toThrow(refusal('resume-differs', '1 graphs', '3'));
    const selection = { ...training.selection, to: '99', host: 'h' };
    expect(check({ selection })).toThrow(refusal('resume-differs', 'host', 'to'));
  });
});
