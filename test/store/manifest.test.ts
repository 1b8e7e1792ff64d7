import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RecalError } from '../../src/base/errors.js';
import { Random } from '../../src/base/random.js';
import { emptyManifest, type Manifest, readManifest, replaceManifest } from '../../src/store/manifest.js';
import { newFolder } from '../folders.js';

const { version: VERSION } = emptyManifest();

function withSegment(path: string): Manifest {
  return {
    ...emptyManifest(),
    segments: [
      {
        kind: 'events',
        path,
        ingest: 1,
        host: 'h',
        day: '2018-04-06',
        rows: 1,
        bytes: 100,
        firstTs: '1522972800000000001',
        lastTs: '1522972800000000001',
      },
    ],
  };
}

const GOOD = withSegment('events/h/2018-04-06/00001-0001.parquet');

/** Creates a folder with this text as its manifest. */
function folderWith(text: string): string {
  const folder = newFolder();
  writeFileSync(join(folder, 'manifest.json'), text);
  return folder;
}

test('a written manifest is read back, and no draft remains', async () => {
  const folder = newFolder();
  await replaceManifest(folder, emptyManifest());
  await replaceManifest(folder, GOOD);
  expect(await readManifest(folder)).toEqual(GOOD);
  expect(readdirSync(folder)).toEqual(['manifest.backup.json', 'manifest.json']);
});

test('a folder without a manifest, and a missing folder, give undefined', async () => {
  const folder = newFolder();
  expect(await readManifest(folder)).toBeUndefined();
  expect(await readManifest(join(folder, 'nosuch'))).toBeUndefined();
});

test('a file instead of a folder is refused', async () => {
  const path = join(newFolder(), 'store');
  writeFileSync(path, 'x');
  await expect(readManifest(path)).rejects.toMatchObject({ code: 'not-a-store' });
});

test.each([
  ['newer', { format: 'recal-store', version: VERSION + 1, new: [] }],
  ['older', { ...emptyManifest(), version: 0 }],
])('a manifest of a %s version is refused, whatever else it contains', async (_age, manifest) => {
  const folder = folderWith(JSON.stringify(manifest));
  await expect(readManifest(folder)).rejects.toMatchObject({
    code: 'store-version',
    message: expect.stringContaining(`version ${manifest.version}`),
    where: { file: join(folder, 'manifest.json') },
  });
});

test.each([
  ['not JSON', '{"format":"recal-st', /JSON/],
  ['empty', '', /JSON/],
  ['of another program', '{"name":"something","version":1}', /recal store/],
  ['incomplete', '{"format":"recal-store","version":1}', /hostNames/],
  ['with an unknown key', JSON.stringify({ ...emptyManifest(), extra: 1 }), /extra/],
  ['an array', '[]', /recal store/],
])('a manifest that is %s is damaged, and the error says where', async (_what, text, datum) => {
  const folder = folderWith(text);
  await expect(readManifest(folder)).rejects.toMatchObject({
    code: 'store-damaged',
    message: expect.stringMatching(datum),
    where: { file: join(folder, 'manifest.json') },
  });
});

test.each([
  '../outside.parquet',
  'events/../../outside.parquet',
  'events/h/../../../outside.parquet',
  '/etc/outside.parquet',
  'events/.hidden.parquet',
  'events/h/x.txt',
  'manifest.json',
])('a segment outside the store is refused: %s', async (path) => {
  await expect(readManifest(folderWith(JSON.stringify(withSegment(path))))).rejects.toMatchObject({
    code: 'store-damaged',
    message: expect.stringContaining('segments.0.path'),
  });
});

test('an invalid manifest is not written', async () => {
  const folder = newFolder();
  await replaceManifest(folder, GOOD);
  const before = readFileSync(join(folder, 'manifest.json'));
  await expect(replaceManifest(folder, { ...GOOD, nextFile: Number.NaN })).rejects.toThrow();
  expect(readFileSync(join(folder, 'manifest.json'))).toEqual(before);
  expect(readdirSync(folder)).toEqual(['manifest.backup.json', 'manifest.json']);
});

test('a draft that cannot be written leaves the old manifest', async () => {
  const folder = newFolder();
  await replaceManifest(folder, GOOD);
  mkdirSync(join(folder, 'manifest.json.new')); // blocks the draft
  await expect(replaceManifest(folder, emptyManifest())).rejects.toMatchObject({
    code: expect.stringContaining('EISDIR'),
  });
  expect(await readManifest(folder)).toEqual(GOOD);
});

describe('the checksum of a manifest', () => {
  async function sealed(): Promise<string> {
    const folder = newFolder();
    await replaceManifest(folder, GOOD);
    return readFileSync(join(folder, 'manifest.json'), 'utf8');
  }

  test('finds every changed value, and its own absence', async () => {
    const text = await sealed();
    for (const [from, to] of [
      ['"rows": 1', '"rows": 2'],
      ['1522972800000000001', '1522972800000000002'],
      ['"host": "h"', '"host": "i"'],
      [/"checksum": "[0-9a-f]{4}/.exec(text)?.[0] ?? '', '"checksum": "0000'],
      [/,\s*"checksum": "[0-9a-f]+"/.exec(text)?.[0] ?? '', ''],
    ]) {
      const changed = text.replace(from, to);
      expect(changed).not.toBe(text);
      await expect(readManifest(folderWith(changed))).rejects.toMatchObject({ code: 'store-damaged' });
    }
  });

  test('finds every flipped bit that changes what is read', async () => {
    const bytes = Buffer.from(await sealed());
    const random = new Random(22);
    for (let round = 0; round < 300; round++) {
      const flipped = Buffer.from(bytes);
      flipped[random.below(bytes.length)] ^= 1 << random.below(8);
      const folder = newFolder();
      writeFileSync(join(folder, 'manifest.json'), flipped);
      const read = await readManifest(folder).catch((error: RecalError) => error.code);
      if (typeof read === 'string') expect(['store-damaged', 'store-version']).toContain(read);
      else expect(read).toEqual(GOOD);
    }
  });

  test('ignores how the manifest is laid out', async () => {
    const compact = JSON.stringify(JSON.parse(await sealed()));
    expect(await readManifest(folderWith(compact))).toEqual(GOOD);
  });
});
