import { appendFileSync, cpSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { RecalError } from '../../../src/base/errors.js';
import { Random } from '../../../src/base/random.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { hashSegment } from '../../../src/store/integrity/verify-segments.js';
import { verifyStore } from '../../../src/store/integrity/verify-store.js';
import { loadEvents } from '../../../src/store/load.js';
import { Store } from '../../../src/store/store.js';
import { runHere } from '../../cli/run-here.js';
import { newFolder, sharedFolder } from '../../folders.js';
import { entitiesOf, eventLine, eventsOf, file, MIDNIGHT, writeLog } from '../small-logs.js';
import { flipBit } from './flip-bit.js';

const folder = sharedFolder();
const good = join(folder, 'store');
let events: Awaited<ReturnType<typeof eventsOf>>;
let entities: Awaited<ReturnType<typeof entitiesOf>>;

beforeAll(async () => {
  const lines = Array.from({ length: 200 }, (_, i) =>
    eventLine({ ts: MIDNIGHT + BigInt(i * 977), obj: file(`f${i % 30}`, { name: `/data/${i % 30}` }) }),
  );
  await ingestFiles([writeLog(folder, 'log.ndjson', lines)], { store: good, threads: 0 });
  [events, entities] = [await eventsOf(good), await entitiesOf(good)];
});

function copy(): string {
  const store = join(newFolder(), 'store');
  cpSync(good, store, { recursive: true });
  return store;
}

test('the manifest has the size and the hash of every segment', async () => {
  const { manifest } = await Store.open(good);
  for (const { path, bytes, sha256 } of manifest.segments) {
    expect({ bytes, sha256 }).toEqual(await hashSegment(join(good, path)));
  }
});

test('no flipped bit in a segment changes what is read', async () => {
  const random = new Random(20180406);
  const { manifest } = await Store.open(good);
  const store = copy();
  for (let round = 0; round < 120; round++) {
    const { path, kind, bytes } = manifest.segments[random.below(manifest.segments.length)];
    const bit = random.below(bytes * 8);
    flipBit(join(store, path), bit);
    const read: Promise<unknown> = kind === 'events' ? eventsOf(store) : entitiesOf(store);
    await expect(read).rejects.toMatchObject({
      code: 'segment-damaged',
      message: expect.stringContaining(path),
      where: { file: join(store, path) },
    });
    flipBit(join(store, path), bit);
  }
  expect(await eventsOf(store)).toEqual(events);
  expect(await entitiesOf(store)).toEqual(entities);
});

describe('verify', () => {
  test('names the damage of each segment, and exits with 1', async () => {
    const store = copy();
    const { manifest } = await Store.open(store);
    const [first, second] = manifest.segments;
    appendFileSync(join(store, first.path), 'x');
    rmSync(join(store, second.path));
    const { damaged, segments } = await verifyStore(store);
    expect(damaged.map(({ segment, reason }) => [segment.path, reason])).toEqual([
      [first.path, 'size'],
      [second.path, 'missing'],
    ]);
    expect(segments).toBe(manifest.segments.length);
    const ended = await runHere(['verify', '--store', store], { cwd: store, env: {} });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(first.path);
    expect(ended.stderr).toContain(second.path);
  });

  test('finds nothing in an intact store, and changes nothing', async () => {
    const store = copy();
    const before = statSync(join(store, 'manifest.json'), { bigint: true }).mtimeNs;
    const ended = await runHere(['verify', '--store', store, '--add', '--json'], { cwd: store, env: {} });
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ intact: true, damaged: [], added: 0, backup: 'equal' });
    expect(statSync(join(store, 'manifest.json'), { bigint: true }).mtimeNs).toBe(before);
  });

  test('finds a damaged copy of the manifest', async () => {
    const store = copy();
    flipBit(join(store, 'manifest.backup.json'), 8 * 100);
    expect((await verifyStore(store)).backup).toBe('differs');
  });
});

test('a segment is verified once in a run', async () => {
  const store = await Store.open(copy());
  await loadEvents(store);
  const [segment] = store.segments('events');
  appendFileSync(store.path(segment), 'x');
  expect((await store.openSegments([segment])).paths).toEqual([store.path(segment)]);
  await expect((await Store.open(store.folder)).openSegments([segment])).rejects.toBeInstanceOf(RecalError);
});
