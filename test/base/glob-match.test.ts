import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globMatcher } from '../../src/base/glob-match.js';

const matches = (pattern: string, text: string) => globMatcher(pattern, { classes: true })(text);

describe('globMatcher', () => {
  it.each([
    ['*.json*', 'x.json.1', true],
    ['*.json', 'x.json.1', false],
    ['x.json.?', 'x.json.1', true],
    ['x.json.?', 'x.json.10', false],
    ['x.json.[12]', 'x.json.2', true],
    ['x.json.[0-4]', 'x.json.5', false],
    ['x.json.[!0-4]', 'x.json.5', true],
    ['x[]]y', 'x]y', true],
    ['x[', 'x[', true],
    ['?', '😀', true],
    ['*', '', true],
    ['', 'x', false],
  ])('%s on %s: %s', (pattern, name, expected) => expect(matches(pattern, name)).toBe(expected));

  it('takes brackets literally without classes', () => {
    expect(globMatcher('web[1]*')('web[1].example')).toBe(true);
    expect(globMatcher('web[1]')('web1')).toBe(false);
  });

  it('is fast for a pattern that causes backtracking', () => {
    const start = performance.now();
    expect(matches('*a'.repeat(40), `${'a'.repeat(5000)}b`)).toBe(false);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  it('agrees with a regular expression on short names', () => {
    const symbols = fc.constantFrom('a', 'b', '*', '?');
    const short = fc.string({ unit: symbols, maxLength: 6 });
    fc.assert(
      fc.property(short, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 }), (pattern, name) => {
        const regex = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`);
        expect(matches(pattern, name)).toBe(regex.test(name));
      }),
    );
  });
});
