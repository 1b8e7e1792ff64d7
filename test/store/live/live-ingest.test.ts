import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { simulate } from '../../../src/simulate/simulate.js';
import { exportEvents } from '../../../src/store/export.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { verifyStore } from '../../../src/store/integrity/verify-store.js';
import { LiveIngest } from '../../../src/store/live/live-ingest.js';
import { Store } from '../../../src/store/store.js';
import { newFolder, sharedFolder } from '../../folders.js';

const FUTURE = 2n ** 62n;
let lines: string[];
let batch: string;

beforeAll(async () => {
  const folder = sharedFolder();
  const out = join(folder, 'world');
  await simulate({ scenario: 'linux-desktop', format: 'auditd', events: 20_000, days: [1, 1, 1], out });
  const text = readFileSync(join(out, 'test.log'), 'utf8');
  lines = text.split(/(?<=\n)/);
  const log = join(folder, 'audit.log');
  writeFileSync(log, text);
  await ingestFiles([log], { store: join(folder, 'batch') });
  batch = await exported(join(folder, 'batch'));
});

async function exported(store: string): Promise<string> {
  let text = '';
  for await (const line of exportEvents(await Store.open(store))) text += line;
  return text;
}

function part(from: number, to: number, idle = false) {
  const bytes = Buffer.from(lines.slice(from, to).join(''));
  const chunk = { log: 'l', name: 'audit.log', linesBefore: from, bytes };
  return { source: 's', chunks: bytes.length === 0 ? [] : [chunk], position: { line: to }, idle };
}

describe('a store that is written in pieces', () => {
  it('has the events and names of one ingest, however the log is cut and whenever it restarts', async () => {
    const store = join(newFolder(), 'store');
    const random = new Random(5);
    let ingest = await LiveIngest.open(store);
    for (let at = 0; at < lines.length; ) {
      const next = Math.min(lines.length, at + 1 + random.below(900));
      await ingest.append([part(at, next, next === lines.length)], { futureAfter: FUTURE });
      if (random.chance(0.3)) {
        await ingest.close();
        ingest = await LiveIngest.open(store);
        expect(ingest.position('s')).toEqual({ line: next });
      }
      if (random.chance(0.2)) await ingest.compact();
      at = next;
    }
    expect(await exported(store)).toBe(batch);
    for (let before = 0; before !== ingest.manifest.ingests.length; ) {
      before = ingest.manifest.ingests.length;
      await ingest.compact();
      expect(await exported(store)).toBe(batch);
    }
    const { segments, ingests } = ingest.manifest;
    expect(ingests).toHaveLength(1);
    expect(segments.filter(({ kind }) => kind === 'entities')).toHaveLength(1);
    await ingest.close();
    expect((await verifyStore(store)).damaged).toEqual([]);
  });

  it('is as before when a commit fails, and goes on', async () => {
    const store = join(newFolder(), 'store');
    const ingest = await LiveIngest.open(store);
    await ingest.append([part(0, 500)], { futureAfter: FUTURE });
    const broken = { ...part(500, 1000), position: 1n };
    await expect(ingest.append([broken], { futureAfter: FUTURE })).rejects.toThrow();
    expect(ingest.position('s')).toEqual({ line: 500 });
    await ingest.append([part(500, lines.length, true)], { futureAfter: FUTURE });
    expect(await exported(store)).toBe(batch);
    await ingest.close();
  });

  it('counts late events, and does not believe a clock that is far ahead', async () => {
    const ingest = await LiveIngest.open(join(newFolder(), 'store'));
    const added = await ingest.append([part(0, lines.length, true)], { futureAfter: 0n, lateBefore: FUTURE });
    expect(added.late).toBe(added.summary.events);
    expect(added.latest.size).toBe(0);
    await ingest.close();
  });

  it('counts the lines of an unknown format', async () => {
    const ingest = await LiveIngest.open(join(newFolder(), 'store'));
    const chunk = { log: 'l', name: 'x', linesBefore: 0, bytes: Buffer.from('what\nis this\n') };
    const part = { source: 's', chunks: [chunk], position: 1, idle: false };
    expect((await ingest.append([part], { futureAfter: FUTURE })).unknownLines).toBe(2);
    await ingest.close();
  });
});
