import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dropDays } from '../../src/store/drop-days.js';
import { ingestFiles } from '../../src/store/ingest.js';
import { verifyStore } from '../../src/store/integrity/verify-store.js';
import { Store, StoreWriter } from '../../src/store/store.js';
import { filesBelow, newFolder } from '../folders.js';
import { flipBit } from './integrity/flip-bit.js';
import {
  cdmEvent,
  cdmLine,
  DAY,
  entitiesOf,
  eventLine,
  eventsOf,
  file,
  MIDNIGHT,
  process,
  uuid,
  writeLog,
} from './small-logs.js';

async function storeOf(lines: readonly string[]): Promise<string> {
  const folder = newFolder();
  const store = join(folder, 'store');
  await ingestFiles([writeLog(folder, 'log.ndjson', lines)], { store, threads: 0 });
  return store;
}

async function drop(store: string, before: string) {
  const writer = await StoreWriter.open(store, { create: false });
  try {
    return await dropDays(writer, before);
  } finally {
    await writer.close();
  }
}

const names = async (store: string) => (await entitiesOf(store)).map(({ id }) => id).sort();

test('statements that no kept event refers to are removed, the others stay as they were', async () => {
  const store = await storeOf([
    eventLine({ ts: MIDNIGHT, subj: process('old'), obj: file('gone', { name: '/gone' }) }),
    eventLine({
      ts: MIDNIGHT + 1n,
      subj: process('lasting', { name: 'sshd' }),
      obj: file('kept', { name: '/kept' }),
    }),
    eventLine({ ts: MIDNIGHT + DAY, subj: process('lasting'), obj: file('kept') }),
    eventLine({ ts: MIDNIGHT + DAY, host: 'i', subj: process('other'), obj: file('there') }),
  ]);
  const before = (await entitiesOf(store)).filter(({ id }) => id !== 'old' && id !== 'gone');
  const events = (await eventsOf(store)).slice(2);
  expect(await drop(store, '2018-04-07')).toMatchObject({ segments: 1, events: 2, statements: 2 });
  expect(await entitiesOf(store)).toEqual(before);
  expect(await eventsOf(store)).toEqual(events);
  const { manifest } = await Store.open(store);
  expect(await verifyStore(store)).toMatchObject({ damaged: [], unlisted: [], withoutChecksum: 0 });
  expect(filesBelow(store)).toHaveLength(2 + manifest.segments.length);
});

test('parents and users of kept entities stay, with their own parents', async () => {
  const [init, shell, editor, user, lost] = [1, 2, 3, 4, 5].map(uuid);
  const subject = (id: string, parent?: string) =>
    cdmLine('Subject', {
      uuid: id,
      type: 'SUBJECT_PROCESS',
      parentSubject: parent === undefined ? null : { 'com.bbn.tc.schema.avro.cdm18.UUID': parent },
      localPrincipal: user,
      cid: 1,
      startTimestampNanos: 1,
    });
  const store = await storeOf([
    cdmLine('Principal', { uuid: user, type: 'PRINCIPAL_LOCAL', userId: '0' }),
    subject(init),
    subject(shell, init),
    subject(editor, shell),
    subject(lost, init),
    cdmEvent({ ts: MIDNIGHT, subject: lost }),
    cdmEvent({ ts: MIDNIGHT + DAY, subject: editor }),
  ]);
  expect(await names(store)).toEqual([init, shell, editor, user, lost].sort());
  await drop(store, '2018-04-07');
  expect(await names(store)).toEqual([init, shell, editor, user].sort());
});

test('repeated drops of a store that goes on keep only what is still in use', async () => {
  const folder = newFolder();
  const store = join(folder, 'store');
  for (let day = 0; day < 6; day++) {
    const lines = Array.from({ length: 300 }, (_, i) =>
      eventLine({
        ts: MIDNIGHT + BigInt(day) * DAY + BigInt(i),
        obj: file(`f${day}-${i}`, { name: `/d${day}/${i}` }),
      }),
    );
    await ingestFiles([writeLog(folder, `${day}.ndjson`, lines)], { store, append: true, threads: 0 });
    const today = new Date(Number((MIDNIGHT + BigInt(day) * DAY) / 1_000_000n)).toISOString().slice(0, 10);
    await drop(store, today);
    const { manifest } = await Store.open(store);
    const statements = manifest.segments.filter(({ kind }) => kind === 'entities');
    // One statement of each earlier day is left: about the process that still runs.
    expect(statements.reduce((sum, { rows }) => sum + rows, 0)).toBe(301 + day);
    expect(await entitiesOf(store)).toHaveLength(301);
  }
});

test('a damaged segment is not written again with a new checksum', async () => {
  const store = await storeOf([
    eventLine({ ts: MIDNIGHT, obj: file('gone') }),
    eventLine({ ts: MIDNIGHT + DAY, obj: file('kept') }),
  ]);
  const [segment] = (await Store.open(store)).segments('entities');
  flipBit(join(store, segment.path), 8 * 60);
  const { mtimeMs } = statSync(join(store, 'manifest.json'));
  await expect(drop(store, '2018-04-07')).rejects.toMatchObject({ code: 'segment-damaged' });
  expect(statSync(join(store, 'manifest.json')).mtimeMs).toBe(mtimeMs);
  expect(existsSync(join(store, 'staging'))).toBe(false);
});
