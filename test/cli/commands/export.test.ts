import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { ingestFiles } from '../../../src/store/ingest.js';
import { newFolder, sharedFolder } from '../../folders.js';
import { eventLine, file, MIDNIGHT, writeLog } from '../../store/small-logs.js';
import { runHere } from '../run-here.js';

const folder = sharedFolder();
const store = join(folder, 'store');

beforeAll(async () => {
  for (const [i, split] of ['train', 'test'].entries()) {
    const line = eventLine({ ts: MIDNIGHT + BigInt(i), obj: file(split) });
    const log = writeLog(folder, `${split}.ndjson`, [line]);
    await ingestFiles([log], { store, split, append: true, threads: 0 });
  }
});

const run = (...words: string[]) => runHere(['export', '--store', store, ...words], { cwd: folder, env: {} });

const objectsIn = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).obj.id);

describe('recal export', () => {
  test('writes the events of a split, compressed if the name says so', async () => {
    const out = newFolder();
    expect((await run('--split', 'test', '--out', join(out, 'test.ndjson'))).code).toBe(0);
    expect((await run('--out', join(out, 'all.ndjson.gz'))).code).toBe(0);
    expect(objectsIn(readFileSync(join(out, 'test.ndjson'), 'utf8'))).toEqual(['test']);
    const packed = gunzipSync(readFileSync(join(out, 'all.ndjson.gz'))).toString();
    expect(objectsIn(packed)).toEqual(['train', 'test']);
    expect(readdirSync(out).sort()).toEqual(['all.ndjson.gz', 'test.ndjson']);
  });

  test('says in words why it cannot write, and leaves nothing', async () => {
    const out = newFolder();
    mkdirSync(join(out, 'taken'));
    for (const [path, why] of [
      [join(out, 'none/x'), 'it does not exist'],
      [join(out, 'taken'), 'it is a folder'],
    ]) {
      const { code, stderr } = await run('--out', path);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`cannot write ${path}: ${why}`)]);
      expect(stderr).toMatch(/^hint: choose a file/m);
      expect(existsSync(`${path}.new`)).toBe(false);
    }
  });
});
