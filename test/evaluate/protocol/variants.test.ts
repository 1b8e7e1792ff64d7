import { describe, expect, test } from 'vitest';
import {
  COMPARED,
  DEFAULT_VARIANTS,
  parseSeeds,
  resolveVariant,
  shareTraining,
  variantOf,
} from '../../../src/evaluate/protocol/variants.js';
import {
  PUBLISHED_RIVALS,
  publishedVariant,
  rivalSettings,
} from '../../../src/evaluate/rivals/rival-settings.js';

const resolve = (name: string, training = {}, detection = {}) =>
  resolveVariant(variantOf(name), training, detection);

describe('variants', () => {
  test('have the settings of their profile; ablations start from paper', () => {
    expect(resolve('recal').training).toMatchObject({ profile: 'recal', graph: 'window' });
    expect(resolve('paper').training).toMatchObject({ profile: 'paper', graph: 'file', balanced: true });
    expect(resolve('wo-bl').training).toMatchObject({ profile: 'paper', balanced: false });
    for (const name of ['wo-bl', 'wo-cd']) {
      expect(resolve(name).detection).toMatchObject({
        evidence: ['distance'],
        gate: 'none',
        calibration: 'none',
        fusion: 'max',
      });
    }
    expect(resolve('zscore').detection).toEqual({ ...resolve('paper').detection, calibration: 'zscore' });
    expect(resolve('max').detection).toEqual({ ...resolve('paper').detection, fusion: 'max' });
    expect(resolve('mean').detection).toEqual({ ...resolve('paper').detection, fusion: 'mean' });
  });

  test('user settings override the profile, but not the settings that define a variant', () => {
    expect(resolve('paper', { graph: 'window' }).training.graph).toBe('window');
    expect(resolve('recal', {}, { fusion: 'max' }).detection.fusion).toBe('max');
    expect(resolve('mean', {}, { fusion: 'max' }).detection.fusion).toBe('mean');
    expect(resolve('wo-bl', { balanced: true }).training.balanced).toBe(false);
  });

  test('variants that differ in detection only share a training', () => {
    const groups = shareTraining([...DEFAULT_VARIANTS, ...PUBLISHED_RIVALS].map((name) => resolve(name)));
    expect(groups.map((group) => group.map(({ variant }) => variant.name))).toEqual([
      ['recal'],
      ['paper', 'wo-cd', 'zscore', 'max', 'mean'],
      ['wo-bl'],
      ['rarity'],
      ['velox'],
      ['episodes'],
      ...PUBLISHED_RIVALS.map((name) => [name]),
    ]);
  });

  test('a rival with searched settings keeps its published ones under another name', () => {
    for (const kind of PUBLISHED_RIVALS) {
      const [searched, published] = [kind, publishedVariant(kind)].map(variantOf);
      expect(published).toMatchObject({ kind, training: searched.training });
      expect(rivalSettings(kind, published.settings)).toEqual(rivalSettings(kind, undefined));
      expect(published.name === kind).toBe(searched.settings === undefined);
    }
    expect(variantOf('orthrus').settings).toBeDefined();
    expect(COMPARED).not.toContain('orthrus-published');
  });

  test('an unknown name is refused with a suggestion', () => {
    expect(() => variantOf('zscor')).toThrow(
      expect.objectContaining({ code: 'unknown-variant', hint: "did you mean 'zscore'?" }),
    );
  });
});

describe('parseSeeds', () => {
  test.each([
    ['0-4', [0, 1, 2, 3, 4]],
    ['7', [7]],
    ['2, 0-1,2', [2, 0, 1]],
  ])('%s', (text, seeds) => {
    expect(parseSeeds(text)).toEqual(seeds);
  });

  test.each(['', 'a', '4-0', '-1', '1.5', '0-', '0-5000', '4294967296'])('%s is refused', (text) => {
    expect(() => parseSeeds(text)).toThrow(expect.objectContaining({ code: 'seeds-invalid', exit: 2 }));
  });
});
