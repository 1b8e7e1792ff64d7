import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextPool } from '../../../src/ingest/scan/text-pool.js';

const viewOf = (text: string): DataView => {
  const bytes = new TextEncoder().encode(text);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
};

/** Looks a text up, and keeps it if it is new. */
function intern(pool: TextPool, text: string): string {
  const view = viewOf(text);
  return pool.find(view, 0, view.byteLength) ?? pool.keep(view, 0, view.byteLength, text);
}

describe('TextPool', () => {
  it('returns the text of the bytes, whatever came before', () => {
    const texts = fc.array(
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.constantFrom('', 'a', 'ab', 'abc', 'abcd'),
      ),
    );
    fc.assert(
      fc.property(texts, (list) => {
        const pool = new TextPool();
        for (const text of [...list, ...list]) expect(intern(pool, text)).toBe(text);
      }),
    );
  });

  it('finds what it kept, but not other texts of the same length', () => {
    const pool = new TextPool();
    intern(pool, 'C:\\Windows\\explorer.exe');
    expect(pool.find(viewOf('C:\\Windows\\explorer.exe'), 0, 23)).toBe('C:\\Windows\\explorer.exe');
    for (let at = 0; at < 23; at++) {
      const other = viewOf('C:\\Windows\\explorer.exe');
      other.setUint8(at, 0x7e);
      expect(pool.find(other, 0, 23)).toBeUndefined();
    }
  });

  it('stays right when it is full', () => {
    const pool = new TextPool();
    for (let i = 0; i < 20_000; i++) {
      const text = `${i}`.padStart(200, 'x');
      expect(intern(pool, text)).toBe(text);
    }
  });
});
