import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecalError } from '../../../src/base/errors.js';
import { reportFailure } from '../../../src/cli/terminal/failure.js';
import { Output } from '../../../src/cli/terminal/output.js';
import { Sink } from './sink.js';

function report(error: unknown, options: { json?: boolean; stack?: boolean; columns?: number } = {}) {
  const stdout = new Sink();
  const stderr = new Sink(options.columns);
  const out = new Output({ stdout, stderr, env: {}, json: options.json ?? false });
  const exit = reportFailure(error, out, options.stack ?? false);
  return { exit, stdout: stdout.text, stderr };
}

const lines = (error: unknown) => report(error).stderr.lines;

test.each([
  [{ hint: 'do this', where: { file: 'a.json', line: 3 } }, ['error: bad', 'hint: do this', 'at a.json:3']],
  [{ where: { file: 'a.json.gz', offset: 77 } }, ['error: bad', 'at a.json.gz, byte 77']],
  [{ where: { file: 'a', line: 3, offset: 77 } }, ['error: bad', 'at a:3, byte 77']],
  [{ where: { line: 3 } }, ['error: bad', 'at line 3']],
  [{ where: {} }, ['error: bad']],
  [{}, ['error: bad']],
])('%j', (options, expected) => {
  expect(lines(new RecalError('no-store', 'bad', options))).toEqual(expected);
});

test('the exit code is 1, or 2 for usage errors', () => {
  expect(report(new RecalError('no-store', 'bad')).exit).toBe(1);
  expect(report(new RecalError('no-store', 'bad', { exit: 2 })).exit).toBe(2);
  expect(report(new TypeError('oops')).exit).toBe(1);
});

test('an unexpected exception is an internal error with a hint to --stack', () => {
  expect(lines(new TypeError('x is undefined'))).toEqual([
    'error: internal error: TypeError: x is undefined',
    expect.stringMatching(/^hint: .*--stack/),
  ]);
  expect(lines('text')[0]).toBe('error: internal error: text');
  expect(lines(undefined)[0]).toBe('error: internal error: undefined');
});

test('an error of the operating system is not an internal error', () => {
  try {
    readFileSync('/nonexistent/file');
  } catch (error) {
    expect(lines(error)).toEqual([
      'error: cannot open /nonexistent/file: it does not exist',
      'hint: check the path',
      'at /nonexistent/file',
    ]);
  }
});

test.each(['EACCES', 'EPERM', 'EISDIR', 'ENOTDIR', 'EROFS', 'EIO', 'ENOSPC', 'EMFILE', 'ELOOP'])(
  '%s is told in words, with a hint',
  (code) => {
    const error = Object.assign(new Error(`${code}: raw text, mkdir '/x'`), {
      code,
      syscall: 'mkdir',
      path: '/x',
    });
    expect(lines(error)).toEqual([
      expect.stringMatching(/^error: cannot create the folder \/x: [a-z]/),
      expect.stringMatching(/^hint: [a-z]/),
      'at /x',
    ]);
    expect(lines(error).join()).not.toContain(code);
    expect(JSON.parse(report(error, { json: true }).stdout).error.errno).toBe(code);
  },
);

test('no field and no stack can print control characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (tail) => {
      const text = `\u001b]0;x\u0007\nerror: forged\u202e${tail}`;
      const error = new RecalError('no-store', text, {
        hint: text,
        where: { file: text, line: 1 },
        cause: new Error(text),
      });
      const { stderr } = report(error, { stack: true });
      for (const line of stderr.lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      expect(stderr.lines.filter((line) => line.startsWith('error:'))).toHaveLength(1);
    }),
    { numRuns: 50 },
  );
});

test('the stack is printed only on request, with the cause', () => {
  const error = new RecalError('no-store', 'bad', { cause: new Error('deeper') });
  expect(report(error).stderr.text).toBe('error: bad\n');
  expect(report(error, { stack: true }).stderr.text).toMatch(
    /^error: bad\n.*failure\.test\.ts.*caused by\n.*deeper/s,
  );
});

test('with --json the error is the only object on stdout', () => {
  const error = new RecalError('no-store', 'bad', { where: { file: 'f', line: 2 } });
  const { stdout, stderr } = report(error, { json: true });
  expect(JSON.parse(stdout)).toEqual({
    error: { code: 'no-store', message: 'bad', where: { file: 'f', line: 2 } },
  });
  expect(stderr.lines[0]).toBe('error: bad');
});
