import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  DETECTION_PRESETS,
  DETECTION_SETTINGS,
  resolveDetectionConfig,
} from '../../../src/detect/detection-config.js';
import { ROOT } from '../../built.js';

const docs = readFileSync(join(ROOT, 'docs/detection.md'), 'utf8');
const flagOf = (key: string) => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

test('every choice stands in docs/detection.md, with its default and its reason', () => {
  const defaults: Record<string, unknown> = resolveDetectionConfig('recal');
  for (const [key, { description, reason }] of Object.entries(DETECTION_SETTINGS)) {
    expect(docs).toContain(`| \`${flagOf(key)}\` | ${description} | ${defaults[key]} | ${reason} |`);
  }
});

test('what profile paper changes stands there, all of it', () => {
  const stated = [...docs.slice(docs.indexOf('Profile `paper`')).matchAll(/`(--[a-z-]+ [a-z,]+)`/g)].map(
    ([, flag]) => flag,
  );
  const real = Object.entries(DETECTION_PRESETS.paper).map(([key, value]) => `${flagOf(key)} ${value}`);
  expect(stated.filter((flag) => flag !== '--profile paper').sort()).toEqual(real.sort());
});

test('its pictures are there', () => {
  for (const page of ['README.md', 'docs/detection.md']) {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const images = [...text.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path);
    expect(images.length).toBeGreaterThan(0);
    for (const image of images) expect(existsSync(join(ROOT, page, '..', image)), image).toBe(true);
  }
});
