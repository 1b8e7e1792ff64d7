import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printable } from '../../src/base/printable.js';

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

// Dangerous characters, which random text would hold too rarely.
const hostile = fc.constantFrom(
  '\u001b',
  '\u009b',
  '\n',
  '\r',
  '\b',
  '\0',
  '\u007f',
  '\u00ad',
  '\u200b',
  '\u200e',
  '\u202e',
  '\u2066',
  '\u2028',
  '\u2029',
  '\ufeff',
  '\ud800',
  '\udc00',
  '\u{e0001}',
  '\u{1bca0}',
  '𝒳',
  'é',
  'a',
  '\\',
);
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(hostile).map((parts) => parts.join('')),
  // Any sequence of UTF-16 units, including lone surrogates.
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
);
const anyBytes = fc.uint8Array({ maxLength: 200 });

describe('printable', () => {
  test('escapes everything that moves the cursor, hides or reorders text', () => {
    fc.assert(
      fc.property(anyText, (text) => !UNSAFE.test(printable(text))),
      { numRuns: 2000 },
    );
  });

  test('escapes it in any bytes, however they were decoded', () => {
    fc.assert(
      fc.property(anyBytes, fc.constantFrom('utf8', 'latin1', 'utf16le'), (bytes, encoding) => {
        expect(printable(Buffer.from(bytes).toString(encoding as BufferEncoding))).not.toMatch(UNSAFE);
      }),
      { numRuns: 2000 },
    );
  });

  test('escapes it where a long text is cut, even inside a surrogate pair', () => {
    fc.assert(
      fc.property(anyText, fc.nat({ max: 20 }), (text, length) => {
        expect(printable(text, length)).not.toMatch(UNSAFE);
      }),
    );
    expect(printable('a😀', 2)).toBe('a\\u{d83d}… (3 characters)');
  });

  test('does not change other text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        fc.pre(!UNSAFE.test(text));
        expect(printable(text)).toBe(text);
      }),
    );
  });

  test('is idempotent', () => {
    fc.assert(fc.property(anyText, (text) => printable(printable(text)) === printable(text)));
  });

  test.each([
    ['/usr/bin/näno — “ok” 漢字 😀', '/usr/bin/näno — “ok” 漢字 😀'],
    ['C:\\Windows\\new', 'C:\\Windows\\new'],
    ['a\nerror: forged', 'a\\nerror: forged'],
    ['\u001b[2J', '\\e[2J'],
    ['\u009b31m', '\\x9b31m'],
    ['gpj.\u202eexe', 'gpj.\\u{202e}exe'],
    ['\ud800', '\\u{d800}'],
    ['', ''],
  ])('%j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});
