import { describe, expect, test } from 'vitest';
import {
  budgetInEpochs,
  decayOf,
  hasOwnBudget,
  maskConfigOf,
  modelConfigOf,
  resolveTrainingConfig,
} from '../../../src/model/training/training-config.js';

test('the defaults are those of the profile recal', () => {
  expect(resolveTrainingConfig()).toEqual(resolveTrainingConfig({ profile: 'recal' }));
  const config = resolveTrainingConfig();
  expect(config).toMatchObject({
    profile: 'recal',
    graph: 'window',
    window: 30,
    encoder: 'additive',
    direction: 'flow',
    textDimension: 32,
    textWindow: 5,
    textNegatives: 5,
    textEpochs: 30,
    textRate: 0.025,
    history: 20,
    hidden: 64,
    heads: 4,
    layers: 2,
    exponent: 3,
    learningRate: 1e-3,
    weightDecay: 5e-4,
    maskBase: 0.3,
    maskMin: 0.05,
    maskMax: 0.75,
    gamma: 0.5,
    epochs: 5,
    clip: 0,
    balanced: true,
  });
  expect(decayOf(config)).toBeCloseTo(Math.LN2 / 900, 15);
  expect(decayOf({ halfLife: 0 })).toBe(0);
  expect(modelConfigOf(config, 3, 50)).toMatchObject({ relations: 3, features: 50, hidden: 64 });
  expect(maskConfigOf(config)).toEqual({ p0: 0.3, pMin: 0.05, pMax: 0.75, gamma: 0.5, balanced: true });
});

test('profile paper uses files, rgat and 200 epochs, and each can be set separately', () => {
  expect(resolveTrainingConfig({ profile: 'paper' })).toMatchObject({
    graph: 'file',
    encoder: 'rgat',
    epochs: 200,
  });
  expect(resolveTrainingConfig({ profile: 'paper', encoder: 'additive', graph: undefined })).toMatchObject({
    graph: 'file',
    encoder: 'additive',
  });
});

describe('a budget in steps', () => {
  test('becomes whole epochs, rounded up, at least one', () => {
    const epochsOf = (steps: number, graphs: number) =>
      budgetInEpochs(resolveTrainingConfig({ steps }), graphs).epochs;
    expect(epochsOf(20, 5)).toBe(4);
    expect(epochsOf(21, 5)).toBe(5);
    expect(epochsOf(1, 96)).toBe(1);
  });

  test('is not stored: the same epochs give the same configuration', () => {
    const given = budgetInEpochs(resolveTrainingConfig({ steps: 20 }), 5);
    expect(JSON.stringify(given)).toBe(JSON.stringify(resolveTrainingConfig({ epochs: 4 })));
    const plain = resolveTrainingConfig({ epochs: 4 });
    expect(JSON.stringify(budgetInEpochs(plain, 5))).toBe(JSON.stringify(plain));
  });

  test('differs from the default budget of a profile', () => {
    for (const profile of ['recal', 'paper']) {
      expect(hasOwnBudget(resolveTrainingConfig({ profile }))).toBe(true);
      expect(hasOwnBudget(resolveTrainingConfig({ profile, epochs: 7 }))).toBe(false);
      expect(hasOwnBudget(resolveTrainingConfig({ profile, steps: 7 }))).toBe(false);
    }
  });
});

describe('refused', () => {
  test.each([
    [{ epochs: 0 }, 'epochs'],
    [{ steps: 0 }, 'steps'],
    [{ epochs: 2, steps: 20 }, 'epochs and steps'],
    [{ epoch: 10 }, 'epoch'],
    [{ hidden: 32 }, 'hidden'],
    [{ heads: 8 }, 'heads'],
    [{ exponent: 2.5 }, 'exponent'],
    [{ maskBase: 0, maskMin: 0 }, 'maskBase'],
    [{ maskMin: 0.9 }, 'maskMin'],
    [{ profile: 'papers' }, 'profile'],
    [{ learningRate: Number.NaN }, 'learningRate'],
    [{ seed: 1.5 }, 'seed'],
  ])('%j', (given, key) => {
    const refusal = { code: 'training-config', message: expect.stringContaining(key) };
    expect(() => resolveTrainingConfig(given)).toThrow(expect.objectContaining(refusal));
  });
});
