import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  emptyManifest,
  type Manifest,
  readManifest,
  replaceManifest,
  STORE_VERSION,
} from '../../src/store/manifest.js';
import { newFolder } from '../folders.js';

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

/** A folder with this text as its manifest. */
function holding(text: string): string {
  const folder = newFolder();
  writeFileSync(join(folder, 'manifest.json'), text);
  return folder;
}

test('what is written is read back, and no draft stays', async () => {
  const folder = newFolder();
  await replaceManifest(folder, emptyManifest());
  await replaceManifest(folder, GOOD);
  expect(await readManifest(folder)).toEqual(GOOD);
  expect(readdirSync(folder)).toEqual(['manifest.json']);
});

test('a folder without one, and no folder at all', async () => {
  const folder = newFolder();
  expect(await readManifest(folder)).toBeUndefined();
  expect(await readManifest(join(folder, 'nosuch'))).toBeUndefined();
});

test('a file in place of the folder', async () => {
  const path = join(newFolder(), 'store');
  writeFileSync(path, 'x');
  await expect(readManifest(path)).rejects.toMatchObject({
    code: 'not-a-store',
    message: expect.stringContaining('is a file'),
    hint: expect.stringContaining('folder'),
  });
});

test('a newer version is refused, whatever else the manifest says', async () => {
  const folder = holding(JSON.stringify({ format: 'recal-store', version: STORE_VERSION + 1, new: [] }));
  await expect(readManifest(folder)).rejects.toMatchObject({
    code: 'store-version',
    message: `this store has version ${STORE_VERSION + 1}; this recal knows ${STORE_VERSION}`,
    hint: expect.stringContaining('newer'),
    where: { file: join(folder, 'manifest.json') },
  });
});

test('an older version is explained', async () => {
  const folder = holding(JSON.stringify({ ...emptyManifest(), version: STORE_VERSION - 1 }));
  await expect(readManifest(folder)).rejects.toMatchObject({
    code: 'store-version',
    message: expect.stringContaining(`version ${STORE_VERSION - 1}`),
    hint: expect.stringContaining('ingest the logs again'),
  });
});

test.each([
  ['not JSON', '{"format":"recal-st', /not JSON/],
  ['empty', '', /not JSON/],
  ['another program’s', '{"name":"something","version":1}', /does not say that it is a recal store/],
  ['incomplete', '{"format":"recal-store","version":1}', /hostNames/],
  ['an unknown key', JSON.stringify({ ...emptyManifest(), extra: 1 }), /extra/],
  ['an array', '[]', /does not say/],
])('damage is told: %s', async (_what, text, why) => {
  const folder = holding(text);
  await expect(readManifest(folder)).rejects.toMatchObject({
    code: 'store-damaged',
    message: expect.stringMatching(why),
    hint: expect.stringContaining('backup'),
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
  await expect(readManifest(holding(JSON.stringify(withSegment(path))))).rejects.toMatchObject({
    code: 'store-damaged',
    message: expect.stringContaining('segments.0.path'),
  });
});

test('what could not be read again is not written', async () => {
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
  mkdirSync(join(folder, 'manifest.json.new')); // stands in the draft's way
  await expect(replaceManifest(folder, emptyManifest())).rejects.toMatchObject({ code: 'EISDIR' });
  expect(await readManifest(folder)).toEqual(GOOD);
});
