import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseConfigFile } from '../../src/base/config-file.js';
import { RecalError } from '../../src/base/errors.js';
import { defineSettings, misspeltVariables, resolveSettings } from '../../src/base/settings.js';

const settings = defineSettings({
  store: { type: z.string().min(1).default('recal-store'), description: 'folder of the store', value: 'DIR' },
  strict: { type: z.boolean().default(false), description: 'stop at the first malformed record' },
  timeUnit: { type: z.enum(['ns', 'us', 'ms', 's']).optional(), description: 'unit of times without one' },
  threads: { type: z.int().min(1).max(64).default(2), description: 'worker threads' },
  label: { type: z.array(z.string()).default([]), description: 'labels' },
  sizes: { type: z.array(z.number()).default([1]), description: 'sizes' },
  from: { type: z.bigint().optional(), description: 'first nanosecond' },
  limit: { type: z.union([z.literal('auto'), z.number()]).default('auto'), description: 'memory' },
});

function resolve(places: { flags?: Record<string, unknown>; env?: Record<string, string>; file?: string }) {
  const file = places.file === undefined ? undefined : parseConfigFile(places.file, 'recal.config.json');
  return resolveSettings(settings, { flags: places.flags ?? {}, env: places.env ?? {}, file }, 'ingest');
}

function refusal(places: Parameters<typeof resolve>[0]): RecalError {
  try {
    resolve(places);
  } catch (error) {
    if (error instanceof RecalError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

test('names follow from the declaration', () => {
  const unit = settings.entries.find((entry) => entry.key === 'timeUnit');
  expect(unit).toMatchObject({
    flag: '--time-unit',
    env: 'RECAL_TIME_UNIT',
    choices: ['ns', 'us', 'ms', 's'],
  });
  expect(settings.entries.map((entry) => [entry.key, entry.kind, entry.default])).toEqual([
    ['store', 'text', 'recal-store'],
    ['strict', 'boolean', false],
    ['timeUnit', 'text', undefined],
    ['threads', 'number', 2],
    ['label', 'list', []],
    ['sizes', 'list', [1]],
    ['from', 'bigint', undefined],
    ['limit', 'either', 'auto'],
  ]);
});

test('a declaration that no command line could serve is refused at once', () => {
  expect(() => defineSettings({ 'time-unit': { type: z.string(), description: '' } })).toThrow('camelCase');
  expect(() => defineSettings({ map: { type: z.object({}), description: '' } })).toThrow('object');
});

describe('precedence', () => {
  const flags = { store: 'F' };
  const env = { RECAL_STORE: 'E' };
  const shared = '{"store":"T"}';
  const both = '{"store":"T","ingest":{"store":"S"}}';
  const other = '{"demo":{"store":"X"}}';
  test.each([
    ['flag over everything', { flags, env, file: both }, 'F', 'flag'],
    ['environment over the file', { env, file: both }, 'E', 'environment'],
    ['section over the top of the file', { file: both }, 'S', 'file'],
    ['top of the file over the default', { file: shared }, 'T', 'file'],
    ["another command's section counts for nothing", { file: other }, 'recal-store', 'default'],
    ['default', {}, 'recal-store', 'default'],
    ['an empty variable is not set', { env: { RECAL_STORE: '' }, file: shared }, 'T', 'file'],
    ['flag over environment', { flags, env }, 'F', 'flag'],
    ['flag over section', { flags, file: both }, 'F', 'flag'],
    ['environment over section without top', { env, file: '{"ingest":{"store":"S"}}' }, 'E', 'environment'],
  ])('%s', (_name, places, value, from) => {
    const { values, sources } = resolve(places);
    expect([values.store, sources.store.from]).toEqual([value, from]);
  });

  test('a flag takes back a switch set elsewhere', () => {
    expect(resolve({ flags: { strict: false }, env: { RECAL_STRICT: '1' } }).values.strict).toBe(false);
  });

  test('the source of a value in the file has its line', () => {
    const file = '{\n  "store": "T",\n  "ingest": {\n    "threads": 4\n  }\n}';
    const { sources } = resolve({ file });
    expect(sources.store).toEqual({
      from: 'file',
      name: 'store',
      where: { file: 'recal.config.json', line: 2 },
    });
    expect(sources.threads).toMatchObject({ name: 'ingest.threads', where: { line: 4 } });
  });
});

describe('text becomes values', () => {
  test.each([
    [{ RECAL_STRICT: 'yes' }, { strict: true }],
    [{ RECAL_STRICT: 'OFF' }, { strict: false }],
    [{ RECAL_THREADS: ' 8 ' }, { threads: 8 }],
    [{ RECAL_LABEL: 'a,b' }, { label: ['a', 'b'] }],
    [{ RECAL_SIZES: '1,2.5' }, { sizes: [1, 2.5] }],
    [{ RECAL_FROM: '1523037672123456789' }, { from: 1523037672123456789n }],
    [{ RECAL_LIMIT: '12' }, { limit: 12 }],
    [{ RECAL_LIMIT: 'auto' }, { limit: 'auto' }],
  ])('environment %j', (env, expected) => {
    expect(resolve({ env: env as unknown as Record<string, string> }).values).toMatchObject(expected);
  });

  test('a repeated flag keeps its commas', () => {
    expect(resolve({ flags: { label: ['a,b', 'c'] } }).values.label).toEqual(['a,b', 'c']);
  });

  test('the file gives JSON values, and digits in quotes for nanoseconds', () => {
    const file = '{"threads":3,"label":["x"],"from":"1523037672123456789","limit":7}';
    expect(resolve({ file }).values).toMatchObject({
      threads: 3,
      label: ['x'],
      from: 1523037672123456789n,
      limit: 7,
    });
  });
});

describe('a wrong value is refused, and the message says where it came from', () => {
  test.each([
    [{ flags: { threads: 'many' } }, "option --threads: expected a number, not 'many'"],
    [{ flags: { threads: '0x10' } }, "option --threads: expected a number, not '0x10'"],
    [{ flags: { threads: '1.5' } }, "option --threads: expected a whole number, not '1.5'"],
    [{ flags: { threads: '0' } }, "option --threads: expected at least 1, not '0'"],
    [{ flags: { threads: '65' } }, "option --threads: expected at most 64, not '65'"],
    [{ flags: { store: '' } }, "option --store: expected at least 1 characters, not ''"],
    [
      { env: { RECAL_TIME_UNIT: 'min' } },
      "environment variable RECAL_TIME_UNIT: expected one of ns, us, ms, s, not 'min'",
    ],
    [
      { env: { RECAL_STRICT: 'maybe' } },
      "environment variable RECAL_STRICT: expected true or false, not 'maybe'",
    ],
    [{ env: { RECAL_FROM: '1e18' } }, "environment variable RECAL_FROM: expected a whole number, not '1e18'"],
    [{ file: '{"strict":"yes"}' }, "setting strict: expected true or false, not 'yes'"],
    [{ file: '{"ingest":{"label":"x"}}' }, "setting ingest.label: expected a list, not 'x'"],
    [{ file: '{"store":null}' }, 'setting store: expected text, not null'],
  ])('%j', (places, message) => {
    const error = refusal(places as never);
    expect(error.message).toBe(message);
    expect([error.code, error.exit]).toEqual(['settings-invalid', 2]);
  });

  test('with the line of the file', () => {
    expect(refusal({ file: '{\n"ingest": {\n"threads": 0}}' }).where).toEqual({
      file: 'recal.config.json',
      line: 3,
    });
  });

  test('a required setting names all three ways to give it', () => {
    const required = defineSettings({ modelFile: { type: z.string(), description: 'the trained model' } });
    expect(() => resolveSettings(required, { flags: {}, env: {} })).toThrow(
      '--model-file is required: the trained model',
    );
    try {
      resolveSettings(required, { flags: {}, env: {} });
    } catch (error) {
      expect((error as RecalError).hint).toMatch(/--model-file.*RECAL_MODEL_FILE.*modelFile/);
    }
  });
});

test('misspelt variables are found, strangers are left alone', () => {
  const env = { RECAL_STROE: 'x', RECAL_STORE: 'y', RECAL_BENCHMARK_HOME: 'z', PATH: '/' };
  expect(misspeltVariables(env, [settings])).toEqual([{ name: 'RECAL_STROE', meant: 'RECAL_STORE' }]);
});
