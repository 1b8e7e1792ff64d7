import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable } from '../../../src/base/printable.js';
import { shortenMiddle } from '../../../src/report/page/shorten.js';

test('keeps both ends, respects the limit, and never splits a character', () => {
  expect(shortenMiddle('/usr/local/bin/update', 11)).toBe('/usr/…pdate');
  expect(shortenMiddle('abc', 3)).toBe('abc');
  expect(shortenMiddle('abcd', 1)).toBe('…');
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.integer({ min: 1, max: 40 }),
      (text, most) => {
        const whole = printable(text);
        const short = shortenMiddle(text, most);
        expect([...short].length).toBe(Math.min(most, [...whole].length));
        const [head, tail] = short === whole ? [whole, ''] : short.split(/…(?=[^…]*$)/);
        if (short !== whole && !whole.includes('…')) {
          expect(whole.startsWith(head)).toBe(true);
          expect(whole.endsWith(tail)).toBe(true);
        }
        expect(short.isWellFormed()).toBe(true);
      },
    ),
  );
});
