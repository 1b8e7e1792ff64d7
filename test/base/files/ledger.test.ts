import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Ledger } from '../../../src/base/files/ledger.js';
import { newFolder } from '../../folders.js';

const schema = z.strictObject({ text: z.string(), number: z.int() });
type Entry = z.output<typeof schema>;

const ledgerAt = (path: string) => new Ledger<Entry>(path, schema);
const entry = (number: number, text = 'x'): Entry => ({ number, text });

describe('Ledger', () => {
  it('a missing file has no entries', async () => {
    expect(await ledgerAt(join(newFolder(), 'none.jsonl')).read()).toEqual({ entries: [], tornBytes: 0 });
  });

  it('returns any texts as they were, each entry on one line', async () => {
    const folder = newFolder();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }), async (texts) => {
        const path = join(folder, `${runs++}.jsonl`);
        const ledger = ledgerAt(path);
        for (const [i, text] of texts.entries()) await ledger.append(() => [entry(i, text)]);
        expect((await ledger.read()).entries).toEqual(texts.map((text, i) => entry(i, text)));
        const lines = texts.length === 0 ? [] : readFileSync(path, 'utf8').trimEnd().split('\n');
        expect(lines).toHaveLength(texts.length);
      }),
      { numRuns: 30 },
    );
  });

  it('cut anywhere, it keeps the whole lines and the next writer goes on after them', async () => {
    const folder = newFolder();
    const path = join(folder, 'whole.jsonl');
    await ledgerAt(path).append(() => [entry(1), entry(2), entry(3)]);
    const bytes = readFileSync(path);
    for (let length = 0; length <= bytes.length; length += 7) {
      const cut = join(folder, `cut-${length}.jsonl`);
      writeFileSync(cut, bytes.subarray(0, length));
      const whole = bytes.subarray(0, length).toString().split('\n').length - 1;
      const ledger = ledgerAt(cut);
      const { entries, tornBytes } = await ledger.read();
      expect(entries.map(({ number }) => number)).toEqual([1, 2, 3].slice(0, whole));
      expect(tornBytes > 0).toBe(length > 0 && bytes[length - 1] !== 10);
      await ledger.append(() => [entry(9)]);
      expect((await ledger.read()).entries.map(({ number }) => number)).toEqual([
        ...[1, 2, 3].slice(0, whole),
        9,
      ]);
    }
  });

  it.each([
    ['changed', (lines: string[]) => lines.map((line, i) => (i === 1 ? line.replace('2', '7') : line))],
    ['removed', (lines: string[]) => lines.filter((_, i) => i !== 1)],
    ['swapped', (lines: string[]) => [lines[1], lines[0], lines[2]]],
    ['foreign', (lines: string[]) => [lines[0], '{"text":"x","number":2}', lines[2]]],
  ])('finds a line that was %s', async (_, damage) => {
    const path = join(newFolder(), 'j.jsonl');
    await ledgerAt(path).append(() => [entry(1), entry(2), entry(3)]);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    writeFileSync(path, `${damage(lines).join('\n')}\n`);
    await expect(ledgerAt(path).read()).rejects.toMatchObject({ code: 'ledger-damaged' });
    await expect(ledgerAt(path).append(() => [entry(4)])).rejects.toMatchObject({ code: 'ledger-damaged' });
  });

  it('writers at the same time lose nothing, and each sees what came before', async () => {
    const path = join(newFolder(), 'j.jsonl');
    await Promise.all(
      Array.from({ length: 20 }, () => ledgerAt(path).append((before) => [entry(before.length)])),
    );
    const { entries } = await ledgerAt(path).read();
    expect(entries.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(readdirSync(join(path, '..'))).toEqual(['j.jsonl']);
  });

  it('takes over the lock of a dead process, and refuses a folder in its place', async () => {
    const path = join(newFolder(), 'j.jsonl');
    appendFileSync(`${path}.lock`, JSON.stringify({ pid: 0, host: '' }));
    await ledgerAt(path).append(() => [entry(1)]);
    expect(existsSync(`${path}.lock`)).toBe(false);
    mkdirSync(`${path}.lock`);
    await expect(ledgerAt(path).append(() => [entry(2)])).rejects.toMatchObject({ code: 'ledger-busy' });
  });

  it('an entry that the schema refuses writes nothing', async () => {
    const path = join(newFolder(), 'j.jsonl');
    await expect(ledgerAt(path).append(() => [entry(0.5)])).rejects.toThrow();
    expect(existsSync(path)).toBe(false);
  });
});
