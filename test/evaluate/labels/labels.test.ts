import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TIER_CHOICES } from '../../../src/evaluate/labels/labels.js';
import { parseLabels } from '../../../src/evaluate/labels/parse-labels.js';
import { readLabels } from '../../../src/evaluate/labels/read-labels.js';
import { EntityKey, formatKey } from '../../../src/ingest/entity-key.js';
import { ROOT } from '../../built.js';
import { sharedFolder } from '../../folders.js';

const A = '674D8313-390A-11E8-BF66-D9AA8AFF4A69';
const B = '60040266-39AE-11E8-BF66-D9AA8AFF4A69';
const C = '6034BA72-39AE-11E8-BF66-D9AA8AFF4A69';

const parse = (text: string, tier: (typeof TIER_CHOICES)[number] = 'all') => parseLabels(text, 'x', tier);
/** Each id with the names of its attacks and its tier. */
const described = (labels: ReturnType<typeof parseLabels>) =>
  labels.labels.map((label) => [label.id, label.attacks.map((a) => labels.attacks?.[a]), label.tier]);

describe('a list', () => {
  it('has one id per line, with comments, blank lines and either line end', () => {
    const labels = parse(`\uFEFF# attack nodes\r\n\r\n${A}\r\n  ${B.toLowerCase()}  \n${C}  # the dropper\n`);
    expect(labels).toMatchObject({ form: 'text', rows: 3, merged: 0, otherTier: 0, attacks: null });
    expect([...labels.byKey.keys()]).toEqual([A, B, C]);
  });

  it('merges ids in either case and counts them', () => {
    const labels = parse(`${A}\n${B}\n${A.toLowerCase()}\n${A}`);
    expect(labels).toMatchObject({ rows: 4, merged: 2 });
    expect(labels.labels).toHaveLength(2);
  });

  it('accepts UUIDs in quotes and braces, with or without a comment', () => {
    const labels = parse(`"${A}"\n{${B.toLowerCase()}}  # the dropper\n'{${C}}'\n${A}\n`);
    expect([...labels.byKey.keys()]).toEqual([A, B, C]);
    expect(labels.merged).toBe(1);
    expect([...parse(`uuid,attack\n{${A}},A1\n"{${B}}",A1\n'${C}',A1\n`).byKey.keys()]).toEqual([A, B, C]);
  });

  it('accepts ids that are not UUIDs as ingest does', () => {
    const key = new EntityKey();
    key.fromText('proc 17#web');
    expect(parse('proc 17#web').byKey.get(formatKey(key.w0, key.w1, key.w2, key.w3))).toBe(0);
  });

  it('refuses columns without a header, with the line', () => {
    for (const line of [`${A}\tA1`, `${A} core`, `${A},A1`, `${A};A1`, `"${A}";A1`, `{${A}} core`]) {
      expect(() => parse(`# x\n${B}\n${line}\n`), line).toThrow(
        expect.objectContaining({ code: 'labels-row', where: { file: 'x', line: 3 } }),
      );
    }
    expect(() => parse(`uuid\tattack\n`)).toThrow(expect.objectContaining({ code: 'labels-row' }));
  });
});

describe('a CSV', () => {
  it('names several attacks with ; or in several rows, and a tier', () => {
    const labels = parse(
      `# made by hand\nType,UUID,Attack,Tier\nfile,${A},A1; A2,core\n"a,b",${B.toLowerCase()},"A2",Touched\n\nfile,${A},A3;A1,touched\nfile,${C},,\n`,
    );
    expect(described(labels)).toEqual([
      [A, ['A1', 'A2', 'A3'], 'core'],
      [B.toLowerCase(), ['A2'], 'touched'],
      [C, [], null],
    ]);
    expect(labels).toMatchObject({
      form: 'csv',
      rows: 4,
      merged: 1,
      otherTier: 0,
      attacks: ['A1', 'A2', 'A3'],
    });
  });

  it('may have a uuid column only', () => {
    expect(parse(`uuid\n${A}\n`)).toMatchObject({ form: 'csv', attacks: null, rows: 1 });
    expect(parse(`uuid,attack\n${A},\n`).attacks).toBeNull();
  });

  it('prefers the tier core if rows of a node differ', () => {
    expect(described(parse(`uuid,tier\n${A},\n${A},touched\n${A},core\n${A},touched\n`))).toEqual([
      [A, [], 'core'],
    ]);
  });

  it('leaves out rows of other tiers and their attacks', () => {
    const text = `uuid,attack,tier\n${A},A1,core\n${A},A2,touched\n${B},A2,touched\n${C},A3,\n`;
    const labels = parse(text, 'core');
    expect(described(labels)).toEqual([[A, ['A1'], 'core']]);
    expect(labels).toMatchObject({ rows: 4, otherTier: 3, merged: 0, attacks: ['A1'] });
    expect(parse(text, 'all').labels).toHaveLength(3);
  });

  it('refuses a tier that no row has, and names the tiers of the file', () => {
    expect(() => parse(`uuid,tier\n${A},touched\n`, 'core')).toThrow(
      expect.objectContaining({ code: 'labels-tier', hint: expect.stringContaining("'touched'") }),
    );
    expect(() => parse(A, 'core')).toThrow(expect.objectContaining({ code: 'labels-tier' }));
  });

  it('refuses a row that does not fit its header, with the line', () => {
    expect(() => parse(`uuid,attack\n${A},x\n${B}\n`)).toThrow(
      expect.objectContaining({ code: 'labels-row', where: { file: 'x', line: 3 } }),
    );
    expect(() => parse(`uuid,attack\n ,x\n`)).toThrow(
      expect.objectContaining({ code: 'labels-row', where: { file: 'x', line: 2 } }),
    );
  });
});

describe('a file', () => {
  const folder = sharedFolder();

  it.each([
    ['', 'labels-empty'],
    ['# nothing\n\n', 'labels-empty'],
    ['uuid,attack\n', 'labels-empty'],
    [`id,attack\n${A},A1\n`, 'labels-header'],
    [`${A},A1\n${B},A1\n`, 'labels-header'],
    ['\u001f\u008b\u0000\u0000', 'labels-not-text'],
    [Buffer.from(`\uFEFF${A}\r\n`, 'utf16le').toString(), 'labels-utf16'],
    [Buffer.from(`\uFEFF${A}\r\n`, 'utf16le').swap16().toString(), 'labels-utf16'],
    [Buffer.from(`uuid,attack\n${A},x\n`, 'utf16le').toString(), 'labels-utf16'],
    ['uuid,name\n"x', 'labels-row'],
  ])('%j is refused as %s, with a hint and the file', (text, code) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        code,
        hint: expect.any(String),
        where: expect.objectContaining({ file: 'x' }),
      }),
    );
  });

  it('is read from disk; a missing file or a folder is refused', async () => {
    const path = join(folder, 'labels.txt');
    writeFileSync(path, `${A}\n`);
    expect((await readLabels(path)).file).toBe(path);
    await expect(readLabels(join(folder, 'label'))).rejects.toMatchObject({
      code: 'input-not-found',
      hint: expect.stringContaining('labels.txt'),
    });
    await expect(readLabels(folder)).rejects.toMatchObject({ code: 'input-is-directory' });
  });
});

const PUBLIC = join(ROOT, '../shared/data/labels');
const E1 = join(ROOT, '../shared/data/cadets-e1');

if (existsSync(PUBLIC) && existsSync(E1)) {
  describe('public labels', () => {
    // Rows and ids as in the README of each folder.
    it.each([
      ['threatrace/cadets.txt', 12_858, 12_858, null],
      ['threatrace/theia.txt', 25_363, 25_358, null],
      ['threatrace/trace.txt', 68_265, 68_172, null],
      ['orthrus/E3-CADETS.csv', 79, 76, 4],
      ['orthrus/E3-THEIA.csv', 119, 118, 2],
      ['orthrus/E3-TRACE.csv', 36, 35, 3],
    ])('%s has %d rows, %d ids', async (name, rows, ids, attacks) => {
      const labels = await readLabels(join(PUBLIC, name));
      expect([labels.rows, labels.merged, labels.labels.length]).toEqual([rows, rows - ids, ids]);
      expect(labels.attacks?.length ?? null).toBe(attacks);
    });

    it('of CADETS E1 have 41 core labels and 47 in all, equal as list and as CSV', async () => {
      const keys = async (name: string, tier?: 'core') =>
        [...(await readLabels(join(E1, name), tier)).byKey.keys()].sort();
      expect(await keys('labels.test.csv')).toHaveLength(47);
      expect(await keys('labels.test.csv', 'core')).toHaveLength(41);
      expect(await keys('labels.test.csv', 'core')).toEqual(await keys('labels.core.txt'));
      expect(await keys('labels.test.csv')).toEqual(await keys('labels.txt'));
      expect((await readLabels(join(E1, 'ambiguous.csv'))).rows).toBe(895);
      const all = await readLabels(join(E1, 'labels.csv'));
      expect(all.attacks).toHaveLength(3);
      expect(all.labels[0].attacks.map((attack) => all.attacks?.[attack])).toEqual([
        'A1-nginx-dropper-1235',
        'A2-nginx-dropper-1645',
      ]);
    });
  });
} else {
  it('skipped, because ../shared is missing: public labels against their READMEs', () => {
    expect(existsSync(PUBLIC) && existsSync(E1)).toBe(false);
  });
}
