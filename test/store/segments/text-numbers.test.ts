import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_TEXT, TextNumbers } from '../../../src/store/segments/text-numbers.js';

function numberOf(texts: TextNumbers, text: string, padding = 0): number {
  const bytes = Buffer.concat([Buffer.alloc(padding, 'x'), Buffer.from(text), Buffer.from('tail')]);
  return texts.number(bytes, padding, bytes.length - padding - 4);
}

describe('TextNumbers', () => {
  it('numbers texts in the order of their first call, like a Map, and returns the texts', () => {
    const text = fc.oneof(fc.string({ maxLength: 3, unit: 'binary' }), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.nat(5)), { maxLength: 200 }), (calls) => {
        const texts = new TextNumbers();
        const known = new Map<string, number>();
        for (const [text] of calls) if (!known.has(text)) known.set(text, known.size + 1);
        const numbers = calls.map(([text, padding]) => numberOf(texts, text, padding));
        expect(numbers).toEqual(calls.map(([text]) => known.get(text)));
        expect(texts.size).toBe(known.size);
        expect([...known.values()].map((number) => texts.text(number))).toEqual([...known.keys()]);
      }),
    );
  });

  it('keeps its numbers when the table and its bytes grow', () => {
    const texts = new TextNumbers();
    const names = Array.from({ length: 20_000 }, (_, i) => `/var/log/${i % 7}/file-${i}`);
    const first = names.map((name) => numberOf(texts, name));
    expect(first).toEqual(names.map((_, i) => i + 1));
    expect(names.map((name) => numberOf(texts, name))).toEqual(first);
    expect(names.map((_, i) => texts.text(i + 1))).toEqual(names);
    expect(texts.byteLength).toBe(names.join('').length);
  });

  it('distinguishes the empty text from no text', () => {
    const texts = new TextNumbers();
    const empty = numberOf(texts, '');
    expect(empty).not.toBe(NO_TEXT);
    expect(texts.text(empty)).toBe('');
  });

  it('stores a text longer than all previous texts together', () => {
    const texts = new TextNumbers();
    const long = 'long '.repeat(100_000);
    expect(texts.text(numberOf(texts, long))).toBe(long);
  });
});
