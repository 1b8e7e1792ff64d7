import { describe, expect, test } from 'vitest';
import {
  coreConfigOf,
  decayOf,
  maskConfigOf,
  resolveTrainingConfig,
} from '../../../src/model/training/training-config.js';

test('the defaults are those of the profile recal, whether it is named or not', () => {
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
    epochs: 50,
    clip: 0,
    balanced: true,
  });
  expect(decayOf(config)).toBeCloseTo(Math.LN2 / 900, 15);
  expect(decayOf({ halfLife: 0 })).toBe(0);
  expect(coreConfigOf(config, 3, 50)).toMatchObject({ relations: 3, features: 50, hidden: 64 });
  expect(maskConfigOf(config)).toEqual({ p0: 0.3, pMin: 0.05, pMax: 0.75, gamma: 0.5, balanced: true });
});

test('profile paper takes files, rgat and 200 epochs, and each can also be said alone', () => {
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

describe('refused', () => {
  test.each([
    [{ epochs: 0 }, 'epochs'],
    [{ epoch: 10 }, 'epoch'],
    [{ hidden: 10, heads: 4 }, 'hidden: must be a multiple of heads'],
    [{ maskMin: 0.9 }, 'maskMin: must not be above maskMax'],
    [{ profile: 'papers' }, 'profile'],
    [{ learningRate: Number.NaN }, 'learningRate'],
    [{ seed: 1.5 }, 'seed'],
  ])('%j', (given, reason) => {
    expect(() => resolveTrainingConfig(given)).toThrow(reason);
  });
});
