import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineBlocks } from '../../../src/ingest/sources/line-blocks.js';
import { sourceOf } from './memory-source.js';

interface Piece {
  text: string;
  dropped: number[];
}

async function cut(content: string, capacity: number): Promise<Piece[]> {
  const blocks = new LineBlocks(sourceOf(Buffer.from(content, 'latin1')));
  const block = new Uint8Array(capacity + 64).fill(0x0a); // newlines after the capacity must have no effect
  const pieces: Piece[] = [];
  for (;;) {
    const { length, dropped } = await blocks.fill(block, capacity);
    if (length === 0 && dropped.length === 0) return pieces;
    pieces.push({ text: Buffer.from(block.subarray(0, length)).toString('latin1'), dropped });
  }
}

describe('blocks of lines', () => {
  it('hold as many whole lines as fit', async () => {
    expect(await cut('ab\ncd\nef\n', 7)).toEqual([
      { text: 'ab\ncd\n', dropped: [] },
      { text: 'ef\n', dropped: [] },
    ]);
    expect(await cut('ab\ncd\n', 6)).toEqual([{ text: 'ab\ncd\n', dropped: [] }]);
    expect(await cut('ab\ncd', 6)).toEqual([{ text: 'ab\ncd', dropped: [] }]);
    expect(await cut('\n\n\n', 2)).toEqual([
      { text: '\n\n', dropped: [] },
      { text: '\n', dropped: [] },
    ]);
  });

  it('do not exist for an empty input', async () => expect(await cut('', 5)).toEqual([]));

  it('drop a line that is too long, and report its length', async () => {
    expect(await cut('a\n0123456789\nb\n', 5)).toEqual([
      { text: 'a\n', dropped: [] },
      { text: 'b\n', dropped: [10] },
    ]);
    expect(await cut('0123456789', 5)).toEqual([{ text: '', dropped: [10] }]);
    expect(await cut('0123456789\n', 5)).toEqual([{ text: '', dropped: [10] }]);
  });

  it('drop several long lines in a row', async () => {
    expect(await cut('0123456789\nabcdefgh\nABCDEF\nx\n', 5)).toEqual([{ text: 'x\n', dropped: [10, 8, 6] }]);
    expect(await cut('a\n0123456789\n\nabcdefgh', 5)).toEqual([
      { text: 'a\n', dropped: [] },
      { text: '\n', dropped: [10] },
      { text: '', dropped: [8] },
    ]);
  });

  it('hold the whole input together, for any block size', async () => {
    const line = fc.oneof({ weight: 4, arbitrary: fc.nat(12) }, { weight: 1, arbitrary: fc.nat(60) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 30 }),
        fc.boolean(),
        fc.integer({ min: 2, max: 40 }),
        async (lengths, open, capacity) => {
          const lines = lengths.map((length, i) => String.fromCharCode(97 + (i % 26)).repeat(length));
          const content = lines.join('\n') + (open || lines.length === 0 ? '' : '\n');
          const pieces = await cut(content, capacity);
          const found: (string | number)[] = [];
          for (const { text, dropped } of pieces) {
            found.push(...dropped);
            expect(text.length).toBeLessThanOrEqual(capacity);
            found.push(...text.split('\n').slice(0, text.endsWith('\n') || text === '' ? -1 : undefined));
          }
          const expected = content.split('\n');
          if (expected.at(-1) === '') expected.pop();
          expect(found.map((item, i) => (typeof item === 'number' ? expected[i]?.length : item))).toEqual(
            expected.map((text, i) => (typeof found[i] === 'number' ? text.length : text)),
          );
          // Only lines that are too long are dropped.
          for (const item of found)
            if (typeof item === 'number') expect(item).toBeGreaterThanOrEqual(capacity);
          for (const { text } of pieces.slice(0, -1)) expect(text.endsWith('\n') || text === '').toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});
