import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { RecalError } from '../../../src/base/errors.js';
import { readConfigFile } from '../../../src/base/settings/config-file.js';
import { checkConfigKeys } from '../../../src/base/settings/config-keys.js';
import { parseLocatedJson } from '../../../src/base/settings/located-json.js';
import { defineSettings, type Settings } from '../../../src/base/settings/settings.js';
import { newFolder } from '../../folders.js';
import { configFileOf } from '../config-text.js';

const shared = defineSettings({ quiet: { type: z.boolean().default(false), description: '' } });
const ingest = defineSettings({
  store: { type: z.string().default('s'), description: '' },
  timeUnit: { type: z.string().optional(), description: '' },
});
const train = defineSettings({ epochs: { type: z.number().default(1), description: '' } });
const known = {
  shared,
  commands: new Map<string, Settings>([
    ['ingest', ingest],
    ['train', train],
  ]),
};

function errorOf(work: () => unknown): RecalError {
  try {
    work();
  } catch (error) {
    if (error instanceof RecalError) return error;
    throw error;
  }
  throw new Error('expected a RecalError');
}

describe('keys', () => {
  test.each([
    ['{"store":"x","epochs":3,"quiet":true,"$schema":"y","ingest":{"timeUnit":"ns","quiet":true}}'],
    ['{}'],
    ['\uFEFF{"store": "with a byte order mark"}'],
  ])('accepts %s', (text) => {
    checkConfigKeys(configFileOf(text, 'c.json'), known);
  });

  test.each([
    ['{\n"stroe":"x"}', "'stroe'", "'store'", 2],
    ['{"time-unit":"x"}', "'time-unit'", "'timeUnit'", 1],
    ['{"ingest":{\n\n"timeUnits":"x"}}', "'ingest.timeUnits'", "'timeUnit'", 3],
    ['{"trian":{}}', "'trian'", "'train'", 1],
    ['{"train":{"store":"x"}}', "'train.store'", 'quiet, epochs', 1],
    ['{"__proto__":1}', "'__proto__'", 'quiet, store, timeUnit, epochs, ingest, train', 1],
  ])('rejects the unknown key in %j and suggests known ones', (text, key, suggestion, line) => {
    expect(errorOf(() => checkConfigKeys(configFileOf(text, 'c.json'), known))).toMatchObject({
      code: 'config-unknown-key',
      message: expect.stringContaining(key),
      hint: expect.stringContaining(suggestion),
      where: { file: 'c.json', line },
      exit: 2,
    });
  });

  test.each([
    ['{"ingest":"x"}', "'ingest'"],
    ['{"store":{}}', "'store'"],
  ])('rejects %j: a section is an object, and a setting is not', (text, key) => {
    expect(errorOf(() => checkConfigKeys(configFileOf(text, 'c.json'), known))).toMatchObject({
      code: 'config-shape',
      message: expect.stringContaining(key),
      where: { file: 'c.json', line: 1 },
      exit: 2,
    });
  });
});

describe('syntax', () => {
  test.each([
    ['{\n  "a": x\n}', 'a value', 2],
    ['{"a": 1,\n}', 'a key', 2],
    ['{"a": 1', "'}'", 1],
    ['{"a" 1}', "':'", 1],
    ['{"a": 1}\n{}', 'the end of the file', 2],
    ['{"a": 1,\n\n"a": 2}', "'a'", 3],
    ['{"a', 'closing quote', 1],
    ['', 'a value', 1],
    [`{"a":${'['.repeat(50)}`, '16', 1],
  ])('rejects %j', (text, fault, line) => {
    expect(errorOf(() => configFileOf(text, 'c.json'))).toMatchObject({
      code: 'config-syntax',
      message: expect.stringContaining(fault),
      where: { file: 'c.json', line },
      exit: 2,
    });
  });

  test('rejects a file that holds no object', () => {
    expect(errorOf(() => configFileOf('[]', 'c.json'))).toMatchObject({ code: 'config-shape', exit: 2 });
  });

  test('agrees with JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(0, 2), (text, indent) => {
        const value = JSON.parse(text);
        expect(parseLocatedJson(JSON.stringify(value, null, indent), 'c.json').value).toEqual(value);
      }),
    );
  });
});

test('only a required file must exist', () => {
  const folder = newFolder();
  const path = join(folder, 'recal.config.json');
  expect(readConfigFile(path, 'recal.config.json', false)).toBeUndefined();
  expect(errorOf(() => readConfigFile(path, 'x.json', true))).toMatchObject({
    code: 'config-unreadable',
    where: { file: 'x.json' },
  });
  writeFileSync(path, '{"store":"here"}');
  expect(readConfigFile(path, 'x.json', true)?.shared.get('store')).toMatchObject({
    value: 'here',
    line: 1,
  });
  writeFileSync(path, ' '.repeat(1 << 21));
  expect(errorOf(() => readConfigFile(path, 'x.json', true)).code).toBe('config-unreadable');
  expect(errorOf(() => readConfigFile(folder, 'dir', false)).code).toBe('config-unreadable');
});
