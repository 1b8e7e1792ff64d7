import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
  expect(readdirSync(folder)).toEqual(['manifest.json']);
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
  ['older', { ...emptyManifest(), version: VERSION - 1 }],
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
  expect(readdirSync(folder)).toEqual(['manifest.json']);
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
