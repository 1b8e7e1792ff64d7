import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { RecalError } from '../../../src/base/errors.js';
import { defineSettings, misspeltVariables, resolveSettings } from '../../../src/base/settings/settings.js';
import { configFileOf } from '../config-text.js';

const settings = defineSettings({
  store: { type: z.string().min(1).default('recal-store'), description: 'folder of the store', value: 'DIR' },
  strict: { type: z.boolean().default(false), description: 'stop at the first malformed record' },
  timeUnit: { type: z.enum(['ns', 'us', 'ms', 's']).optional(), description: 'unit of times without one' },
  threads: { type: z.int().min(1).max(64).default(2), description: 'worker threads' },
  label: { type: z.array(z.string()).default([]), description: 'labels' },
  sizes: { type: z.array(z.number()).default([1]), description: 'sizes' },
  from: { type: z.bigint().optional(), description: 'first nanosecond' },
});

function resolve(places: { flags?: Record<string, unknown>; env?: Record<string, string>; file?: string }) {
  const file = places.file === undefined ? undefined : configFileOf(places.file, 'recal.config.json');
  return resolveSettings(settings, { flags: places.flags ?? {}, env: places.env ?? {}, file }, 'ingest');
}

function errorOf(places: Parameters<typeof resolve>[0]): RecalError {
  try {
    resolve(places);
  } catch (error) {
    if (error instanceof RecalError) return error;
    throw error;
  }
  throw new Error('expected a RecalError');
}

test('names and kinds follow from the declaration', () => {
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
  ]);
});

test('rejects declarations that cannot become a flag', () => {
  expect(() => defineSettings({ 'time-unit': { type: z.string(), description: '' } })).toThrow(TypeError);
  expect(() => defineSettings({ map: { type: z.object({}), description: '' } })).toThrow(TypeError);
});

describe('precedence', () => {
  const flags = { store: 'F' };
  const env = { RECAL_STORE: 'E' };
  const shared = '{"store":"T"}';
  const both = '{"store":"T","ingest":{"store":"S"}}';
  const other = '{"demo":{"store":"X"}}';
  test.each([
    ['a flag overrides everything', { flags, env, file: both }, 'F', 'flag'],
    ['the environment overrides the file', { env, file: both }, 'E', 'environment'],
    ['a section overrides the top of the file', { file: both }, 'S', 'file'],
    ['the top of the file overrides the default', { file: shared }, 'T', 'file'],
    ["another command's section has no effect", { file: other }, 'recal-store', 'default'],
    ['the default applies last', {}, 'recal-store', 'default'],
    ['an empty variable counts as not set', { env: { RECAL_STORE: '' }, file: shared }, 'T', 'file'],
    ['a flag overrides the environment', { flags, env }, 'F', 'flag'],
    ['a flag overrides a section', { flags, file: both }, 'F', 'flag'],
    ['the environment overrides a section', { env, file: '{"ingest":{"store":"S"}}' }, 'E', 'environment'],
  ])('%s', (_name, places, value, from) => {
    const { values, sources } = resolve(places);
    expect([values.store, sources.store.from]).toEqual([value, from]);
  });

  test('a flag turns off a switch that is set elsewhere', () => {
    expect(resolve({ flags: { strict: false }, env: { RECAL_STRICT: '1' } }).values.strict).toBe(false);
  });

  test('the source of a value from the file has its line', () => {
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

describe('conversion of text', () => {
  test.each([
    [{ RECAL_STRICT: 'yes' }, { strict: true }],
    [{ RECAL_STRICT: 'OFF' }, { strict: false }],
    [{ RECAL_THREADS: ' 8 ' }, { threads: 8 }],
    [{ RECAL_LABEL: 'a,b' }, { label: ['a', 'b'] }],
    [{ RECAL_SIZES: '1,2.5' }, { sizes: [1, 2.5] }],
    [{ RECAL_FROM: '1523037672123456789' }, { from: 1523037672123456789n }],
  ])('environment %j', (env, expected) => {
    expect(resolve({ env: env as unknown as Record<string, string> }).values).toMatchObject(expected);
  });

  test('a repeated flag keeps its commas', () => {
    expect(resolve({ flags: { label: ['a,b', 'c'] } }).values.label).toEqual(['a,b', 'c']);
  });

  test('the file holds JSON values, and nanoseconds as digits in quotes', () => {
    const file = '{"threads":3,"label":["x"],"from":"1523037672123456789"}';
    expect(resolve({ file }).values).toMatchObject({
      threads: 3,
      label: ['x'],
      from: 1523037672123456789n,
    });
  });
});

describe('invalid values', () => {
  test.each([
    [{ flags: { threads: 'many' } }, '--threads', 'a number', "'many'"],
    [{ flags: { threads: '0x10' } }, '--threads', 'a number', "'0x10'"],
    [{ flags: { threads: '1.5' } }, '--threads', 'a whole number', "'1.5'"],
    [{ flags: { threads: '0' } }, '--threads', 'at least 1', "'0'"],
    [{ flags: { threads: '65' } }, '--threads', 'at most 64', "'65'"],
    [{ flags: { store: '' } }, '--store', 'at least 1 character', "''"],
    [{ env: { RECAL_TIME_UNIT: 'min' } }, 'RECAL_TIME_UNIT', 'ns, us, ms, s', "'min'"],
    [{ env: { RECAL_STRICT: 'maybe' } }, 'RECAL_STRICT', 'true or false', "'maybe'"],
    [{ env: { RECAL_FROM: '1e18' } }, 'RECAL_FROM', 'a whole number', "'1e18'"],
    [{ file: '{"strict":"yes"}' }, 'strict', 'true or false', "'yes'"],
    [{ file: '{"ingest":{"label":"x"}}' }, 'ingest.label', 'a list', "'x'"],
    [{ file: '{"store":null}' }, 'store', 'text', 'null'],
  ])('%j: the error has the name, the expected and the given value', (places, name, expected, given) => {
    const error = errorOf(places as never);
    expect(error).toMatchObject({ code: 'settings-invalid', exit: 2 });
    for (const part of [name, expected, given]) expect(error.message).toContain(part);
  });

  test('the error has the line of the file', () => {
    expect(errorOf({ file: '{\n"ingest": {\n"threads": 0}}' }).where).toEqual({
      file: 'recal.config.json',
      line: 3,
    });
  });

  test('the error for a required setting shows the three ways to set it', () => {
    const required = defineSettings({ modelFile: { type: z.string(), description: 'the trained model' } });
    expect(() => resolveSettings(required, { flags: {}, env: {} })).toThrow(
      expect.objectContaining({
        code: 'settings-missing',
        message: expect.stringContaining('--model-file'),
        hint: expect.stringMatching(/--model-file.*RECAL_MODEL_FILE.*modelFile/),
      }),
    );
  });
});

test('finds misspelt variables and ignores those of other programs', () => {
  const env = { RECAL_STROE: 'x', RECAL_STORE: 'y', RECAL_BENCHMARK_HOME: 'z', PATH: '/' };
  expect(misspeltVariables(env, [settings])).toEqual([{ name: 'RECAL_STROE', meant: 'RECAL_STORE' }]);
});
