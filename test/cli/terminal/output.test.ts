import { describe, expect, test } from 'vitest';
import { safeJson } from '../../../src/base/safe-json.js';
import { Output, type OutputOptions } from '../../../src/cli/terminal/output.js';
import { Sink } from './sink.js';

function open(options: Partial<OutputOptions> = {}, columns?: number) {
  const stdout = new Sink(columns);
  const stderr = new Sink(columns);
  return { stdout, stderr, out: new Output({ stdout, stderr, env: {}, ...options }) };
}

function printAll(out: Output): void {
  out.info('working');
  out.warn('careful');
  out.print('a line');
  out.result({ nodes: 3 }, () => ['3 nodes']);
  out.error('error: bad');
}

describe('modes', () => {
  test.each([
    ['plain', {}, 'a line\n3 nodes\n', 'working\nwarning: careful\nerror: bad\n'],
    ['--quiet', { quiet: true }, 'a line\n3 nodes\n', 'warning: careful\nerror: bad\n'],
    ['--json', { json: true }, '{"nodes":3}\n', 'working\nwarning: careful\nerror: bad\n'],
    ['--json --quiet', { json: true, quiet: true }, '{"nodes":3}\n', 'warning: careful\nerror: bad\n'],
  ])('%s', (_name, options, result, notes) => {
    const { stdout, stderr, out } = open(options);
    printAll(out);
    expect([stdout.text, stderr.text]).toEqual([result, notes]);
  });

  test('only one JSON object can be printed', () => {
    const { out, stdout } = open({ json: true });
    out.result({ a: 1 });
    expect(() => out.result({ b: 2 })).toThrow(Error);
    expect(JSON.parse(stdout.text)).toEqual({ a: 1 });
  });
});

describe('colour', () => {
  test.each([
    ['on a terminal', {}, 80, true],
    ['not in a pipe', {}, undefined, false],
    ['not with NO_COLOR', { env: { NO_COLOR: '1' } }, 80, false],
    ['an empty NO_COLOR is ignored', { env: { NO_COLOR: '' } }, 80, true],
    ['NO_COLOR over FORCE_COLOR', { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, undefined, false],
    ['FORCE_COLOR in a pipe', { env: { FORCE_COLOR: '1' } }, undefined, true],
    ['FORCE_COLOR=0', { env: { FORCE_COLOR: '0' } }, 80, false],
    ['not on a dumb terminal', { env: { TERM: 'dumb' } }, 80, false],
    ['--no-color', { color: false, env: { FORCE_COLOR: '1' } }, 80, false],
    ['--color', { color: true, env: { NO_COLOR: '1' } }, undefined, true],
  ])('%s', (_name, options, columns, coloured) => {
    const { out, stderr } = open(options, columns);
    out.warn('x');
    expect(stderr.text.includes('\u001b[')).toBe(coloured);
    expect(out.colors.isColorSupported).toBe(coloured);
  });
});

test('the width comes from the terminal or COLUMNS, and has no limit in a pipe', () => {
  expect(open({}, 72).out.width).toBe(72);
  expect(open({ env: { COLUMNS: '99' } }).out.width).toBe(99);
  expect(open().out.width).toBe(Number.POSITIVE_INFINITY);
});

test.each([
  [{ LANG: 'en_US.UTF-8' }, true],
  [{ LANG: 'en_US.UTF-8', LC_ALL: 'C' }, false],
  [{ LC_CTYPE: 'de_DE.utf8' }, true],
  [{}, false],
])('block characters with %j: %s', (env, unicode) => {
  expect(open({ env: env as OutputOptions['env'] }).out.unicode).toBe(unicode);
});

describe('the status line', () => {
  test('is redrawn in place, below other lines', () => {
    const { out, stderr } = open({ color: false }, 40);
    out.status('reading 10%');
    out.info('note');
    out.status('reading 9%');
    expect(stderr.screen).toEqual(['note', 'reading 9%']);
    out.status('');
    expect(stderr.screen).toEqual(['note', '']);
  });

  test('is cut to the width of the terminal', () => {
    const { out, stderr } = open({}, 10);
    out.status('a very long line');
    expect(stderr.screen).toEqual(['a very l…']);
  });

  test('is not printed without a terminal, on a dumb terminal, or with --quiet', () => {
    for (const { out, stderr } of [open(), open({ quiet: true }, 80), open({ env: { TERM: 'dumb' } }, 80)]) {
      out.status('reading');
      expect(stderr.text).toBe('');
    }
  });
});

describe('safeJson', () => {
  test('writes bigints, typed arrays, maps and sets', () => {
    const value = {
      ts: 1523037672123456789n,
      x: new Float32Array([1, 2]),
      m: new Map([['a', 1]]),
      s: new Set([1]),
    };
    expect(safeJson(value)).toBe('{"ts":"1523037672123456789","x":[1,2],"m":{"a":1},"s":[1]}');
  });

  test('keeps names exactly and prints no control characters', () => {
    const name = 'a\u001b[2J\u009b\u202e\u2028\ud800\u{e0001}"\\é😀';
    const text = safeJson({ name });
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    expect(text).toContain('é😀');
    expect(JSON.parse(text)).toEqual({ name });
  });
});
