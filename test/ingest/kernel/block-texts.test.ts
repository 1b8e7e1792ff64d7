import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Batch } from '../../../src/ingest/batch.js';
import { EntityKey } from '../../../src/ingest/entity-key.js';
import { NONE, TEXT_WORDS } from '../../../src/ingest/kernel/act.js';
import { BlockTexts } from '../../../src/ingest/kernel/block-texts.js';

it('numbers texts in the order of their first use, and gives them back', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 200 }), (texts) => {
      const table = new BlockTexts();
      for (let turn = 0; turn < 2; turn++) {
        table.begin(new Batch());
        const known = new Map<string, number>();
        for (const text of texts) {
          if (!known.has(text)) known.set(text, known.size);
          const bytes = Buffer.from(`xx${text}yy`);
          expect(table.number(bytes, 2, bytes.length - 2)).toBe(known.get(text));
          expect(table.numberOf(text)).toBe(known.get(text));
        }
        for (const [text, number] of known) expect(table.text(number)).toBe(text);
      }
    }),
  );
});

it('grows', () => {
  const table = new BlockTexts();
  table.begin(new Batch());
  const texts = Array.from({ length: 30_000 }, (_, i) => `/file/${i}`);
  for (const [number, text] of texts.entries()) expect(table.numberOf(text)).toBe(number);
  for (const [number, text] of texts.entries()) expect(table.numberOf(text)).toBe(number);
  expect(table.text(29_999)).toBe('/file/29999');
});

it('makes paths absolute', () => {
  const table = new BlockTexts();
  table.begin(new Batch());
  const path = (folder: string | undefined, name: string) => {
    const number = table.path(folder === undefined ? NONE : table.numberOf(folder), table.numberOf(name));
    return number === NONE ? undefined : table.text(number);
  };
  for (let turn = 0; turn < 2; turn++) {
    expect(path('/home/bob', 'a')).toBe('/home/bob/a');
    expect(path('/home/eve', 'a')).toBe('/home/eve/a');
    expect(path('/home/bob', '../x//y')).toBe('/home/x/y');
    expect(path('/home/bob', '/etc/../etc/passwd')).toBe('/etc/passwd');
    expect(path(undefined, '/etc/passwd')).toBe('/etc/passwd');
    expect(path(undefined, '/etc//passwd')).toBe('/etc/passwd');
    expect(path(undefined, 'a')).toBeUndefined();
    expect(path('/home/bob', '')).toBe('/home/bob');
  }
});

it('gives each text its key, also in later blocks', () => {
  const table = new BlockTexts();
  const key = new EntityKey();
  // More texts than places, so that texts take places from each other; empty, long and non-ASCII ones.
  const texts = [
    '',
    'x'.repeat(128),
    'x'.repeat(129),
    'é/ü',
    ...Array.from({ length: 20_000 }, (_, i) => `/f/${i}`),
  ];
  for (let block = 0; block < 3; block++) {
    table.begin(new Batch());
    for (const text of texts) {
      const at = table.keyed(table.numberOf(text)) * TEXT_WORDS;
      key.hash(Buffer.from(text));
      expect([...table.words.subarray(at + 2, at + 6)], text).toEqual([key.w0, key.w1, key.w2, key.w3]);
    }
    texts.reverse();
  }
});
