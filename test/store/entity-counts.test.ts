import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDuckDB } from '../../src/store/duckdb.js';
import { countEntities } from '../../src/store/entity-counts.js';
import { ingestFiles } from '../../src/store/ingest.js';
import { readManifest } from '../../src/store/manifest.js';
import { newFolder } from '../folders.js';
import { cdmEvent, cdmLine, MIDNIGHT, uuid, writeLog } from './small-logs.js';

test('counts the same in any number of parts', async () => {
  const folder = newFolder();
  const at = (moment: number) => MIDNIGHT + BigInt(moment);
  const lines = Array.from({ length: 400 }, (_, i) => {
    const [subject, object, object2] = [uuid(1000 + (i % 90)), uuid(2000 + (i % 70)), uuid(3000 + (i % 50))];
    const event = cdmEvent({ ts: at(i), subject, object, ...(i % 7 === 0 ? { object2 } : {}) });
    if (i % 3 === 0) return [event, cdmLine('Subject', { uuid: subject, type: 'SUBJECT_PROCESS', cid: i })];
    if (i % 5 === 0) return [event, cdmLine('FileObject', { uuid: object, type: 'FILE_OBJECT_FILE' })];
    return [event];
  }).flat();
  const store = join(folder, 'store');
  await ingestFiles([writeLog(folder, 'log.json', lines)], { store, threads: 0 });
  const segments = (await readManifest(store))?.segments ?? [];
  const database = await openDuckDB();
  const connection = await database.connect();
  const whole = await countEntities(connection, store, segments);
  expect(whole.entities.total).toBeGreaterThan(150);
  expect(whole.entities.placeholders).toBeGreaterThan(10);
  expect(whole.unresolved).toBeGreaterThan(10);
  for (const rows of [1, 7, 50])
    expect(await countEntities(connection, store, segments, rows)).toEqual(whole);
  connection.closeSync();
  database.closeSync();
});
