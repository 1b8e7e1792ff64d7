import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseConfigFile, readConfigFile } from '../../src/base/config-file.js';
import { checkConfigKeys } from '../../src/base/config-keys.js';
import { RecalError } from '../../src/base/errors.js';
import { parseLocatedJson } from '../../src/base/located-json.js';
import { defineSettings, type Settings } from '../../src/base/settings.js';
import { newFolder } from '../folders.js';

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

function refusal(work: () => unknown): RecalError {
  try {
    work();
  } catch (error) {
    if (error instanceof RecalError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

describe('keys', () => {
  test.each([
    ['{"store":"x","epochs":3,"quiet":true,"$schema":"y","ingest":{"timeUnit":"ns","quiet":true}}'],
    ['{}'],
    ['\uFEFF{"store": "with a byte order mark"}'],
  ])('accepts %s', (text) => {
    checkConfigKeys(parseConfigFile(text, 'c.json'), known);
  });

  test.each([
    ['{\n"stroe":"x"}', "unknown key 'stroe'", "did you mean 'store'?", 2],
    ['{"time-unit":"x"}', "unknown key 'time-unit'", "did you mean 'timeUnit'?", 1],
    ['{"ingest":{\n\n"timeUnits":"x"}}', "unknown key 'ingest.timeUnits'", "did you mean 'timeUnit'?", 3],
    ['{"trian":{}}', "unknown key 'trian'", "did you mean 'train'?", 1],
    ['{"train":{"store":"x"}}', "unknown key 'train.store'", 'known keys: quiet, epochs', 1],
    [
      '{"__proto__":1}',
      "unknown key '__proto__'",
      'known keys: quiet, store, timeUnit, epochs, ingest, train',
      1,
    ],
    ['{"ingest":"x"}', "'ingest' is a section and must be an object", undefined, 1],
    ['{"store":{}}', "'store' is a setting and cannot be an object", undefined, 1],
  ])('refuses %j', (text, message, hint, line) => {
    const error = refusal(() => checkConfigKeys(parseConfigFile(text, 'c.json'), known));
    expect([error.message, error.hint, error.where, error.exit]).toEqual([
      message,
      hint,
      { file: 'c.json', line },
      2,
    ]);
  });
});

describe('syntax', () => {
  test.each([
    ['{\n  "a": x\n}', 'expected a value', 2],
    ['{"a": 1,\n}', 'expected a key in double quotes', 2],
    ['{"a": 1', "expected ',' or '}' before the end", 1],
    ['{"a" 1}', "expected ':' after the key", 1],
    ['{"a": 1}\n{}', 'expected the end of the file', 2],
    ['{"a": 1,\n\n"a": 2}', "key 'a' is given twice", 3],
    ['{"a', 'this key has no closing quote', 1],
    ['', 'expected a value before the end', 1],
    [`{"a":${'['.repeat(50)}`, 'nested deeper than 16', 1],
  ])('%j', (text, what, line) => {
    const error = refusal(() => parseConfigFile(text, 'c.json'));
    expect([error.message, error.where]).toEqual([`not valid JSON: ${what}`, { file: 'c.json', line }]);
  });

  test('only an object will do', () => {
    expect(refusal(() => parseConfigFile('[]', 'c.json')).message).toBe(
      'the configuration must be a JSON object',
    );
  });

  test('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(0, 2), (text, indent) => {
        const value = JSON.parse(text);
        expect(parseLocatedJson(JSON.stringify(value, null, indent), 'c.json').value).toEqual(value);
      }),
    );
  });
});

test('a file that nobody asked for may be missing', () => {
  const folder = newFolder();
  const path = join(folder, 'recal.config.json');
  expect(readConfigFile(path, 'recal.config.json', false)).toBeUndefined();
  const missing = refusal(() => readConfigFile(path, 'x.json', true));
  expect([missing.message, missing.hint]).toEqual([
    'cannot read the configuration file',
    'there is no such file',
  ]);
  writeFileSync(path, '{"store":"here"}');
  expect(readConfigFile(path, 'x.json', true)?.shared.get('store')).toMatchObject({
    value: 'here',
    line: 1,
  });
  writeFileSync(path, ' '.repeat(1 << 21));
  expect(refusal(() => readConfigFile(path, 'x.json', true)).code).toBe('config-unreadable');
  expect(refusal(() => readConfigFile(folder, 'dir', false)).code).toBe('config-unreadable');
});
