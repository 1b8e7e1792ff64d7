import { appendFileSync, truncateSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openInput } from '../../../src/ingest/sources/byte-source.js';
import { newFolder } from '../../folders.js';
import { eventLine, MIDNIGHT, writeLog } from '../../store/small-logs.js';

const lines = Array.from({ length: 3000 }, (_, i) => eventLine({ ts: MIDNIGHT + BigInt(i) }));

test('a file that becomes shorter while it is read is refused', async () => {
  const path = writeLog(newFolder(), 'log.ndjson', lines);
  const input = await openInput(path);
  truncateSync(path, 150_000);
  const read = async () => {
    for await (const source of input.sources()) {
      const target = new Uint8Array(1 << 16);
      while ((await source.read(target)) === target.length);
    }
  };
  await expect(read()).rejects.toMatchObject({ code: 'input-changed', where: { file: path } });
  await input.close();
});

test('a file that grows while it is read is not refused', async () => {
  const path = writeLog(newFolder(), 'log.ndjson', lines);
  const input = await openInput(path);
  appendFileSync(path, `${eventLine()}\n`);
  for await (const source of input.sources()) {
    const target = new Uint8Array(1 << 20);
    expect(await source.read(target)).toBeGreaterThan(lines.length);
  }
  await input.close();
});
