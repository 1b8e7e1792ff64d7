import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type ByteSource, hashFile, openInput } from '../../../src/ingest/sources/byte-source.js';
import { pax, tar, tarEntry } from './tar-archive.js';
import { failure, folder, put, readAll, sha256, soon, text, zeros } from './whole-input.js';

describe('tar', () => {
  const long = `${'long/'.repeat(60)}name.json`;

  it('reads long names, links, folders and attributes of pax and GNU', async () => {
    const archive = tar(
      { name: 'folder/', type: '5' },
      { name: 'pax_global_header', type: 'g', data: text('18 comment=abcdef\n') },
      pax('path', long),
      { name: 'short', data: text('one') },
      { name: '././@LongLink', type: 'L', data: text(`${long}\0`) },
      { name: 'short', data: text('two') },
      { name: 'link', type: '2' },
      { name: 'plain', type: '\0', data: text('three') },
      pax('size', '4'),
      { name: 'sized', data: text('four'), size: text('00000000000\0') },
    );
    const path = put(archive);
    const whole = await readAll(path);
    expect(whole.names).toEqual([long, long, 'plain', 'sized'].map((name) => `${path}!${name}`));
    expect(whole.contents.map(String)).toEqual(['one', 'two', 'three', 'four']);
  });

  it('reads sizes in base 256', async () => {
    const size = Uint8Array.from([0x80, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0]); // 12 GiB
    const path = put(Buffer.concat([tarEntry({ name: 'huge', data: text('{'), size }), zeros(4096)]));
    expect(await failure(readAll(path))).toMatchObject({ code: 'truncated-input' });
    const small = Uint8Array.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5]);
    const [content] = (await readAll(put(tar({ name: 'x', data: text('hello'), size: small })))).contents;
    expect(content.toString()).toBe('hello');
  });

  it('skips the rest of a member, and closes members that are passed', async () => {
    const members = ['a', 'b', 'c'].map((name) => ({ name, data: Buffer.alloc(700_000, name) }));
    members[1].data = gzipSync(members[1].data);
    const file = gzipSync(tar(...members));
    const input = await openInput(put(file));
    const firsts: string[] = [];
    const passed: ByteSource[] = [];
    for await (const source of input.sources()) {
      const target = new Uint8Array(10);
      await source.read(target);
      firsts.push(String.fromCharCode(target[0]));
      passed.push(source);
    }
    expect(firsts).toEqual(['a', 'b', 'c']);
    expect(await input.sha256()).toBe(sha256(file));
    for (const source of passed) {
      expect(await failure(source.read(new Uint8Array(10)))).toMatchObject({ code: 'input-closed' });
    }
    await input.close();
  });

  it('truncated before its end mark is an error', async () => {
    const whole = tar({ name: 'a', data: text('{'.repeat(700)) }, { name: 'b', data: text('{'.repeat(100)) });
    for (let length = 512; length < whole.length - 512; length += 37) {
      expect(await failure(soon(readAll(put(whole.subarray(0, length)))))).toMatchObject({
        code: 'truncated-input',
      });
    }
  });

  it('rejects damaged headers, wrong extensions, sparse files and joined archives', async () => {
    const good = { name: 'a', data: text('{}') };
    const bad = tar(good, good);
    bad[1024] ^= 1;
    const cases: [Buffer, string][] = [
      [bad, 'corrupt-input'],
      [tar({ name: 'x', type: 'x', data: text('999 path=x\n') }, good), 'corrupt-input'],
      [tar({ ...pax('size', '-1') }, good), 'corrupt-input'],
      [tar({ name: 'L', type: 'L', data: zeros((1 << 20) + 1) }, good), 'corrupt-input'],
      [tar({ name: 'a', data: text('x'), size: text('zzz\0') }), 'corrupt-input'],
      [tar({ name: 'S', type: 'S' }), 'unsupported-archive'],
      [tar(pax('GNU.sparse.major', '1'), good), 'unsupported-archive'],
      [Buffer.concat([tar(good), tar(good)]), 'trailing-data'],
    ];
    for (const [archive, code] of cases) expect(await failure(readAll(put(archive)))).toMatchObject({ code });
  });

  it('escapes member names', async () => {
    const { names } = await readAll(put(tar({ name: 'a\u001b[2J', data: text('{}') })));
    expect(names[0].endsWith('!a\\e[2J')).toBe(true);
  });

  it.runIf(process.platform === 'linux').each(['gnu', 'posix', 'ustar'])(
    'reads what tar writes (%s)',
    async (format) => {
      const root = join(folder, `tree-${format}`);
      const deep = 'd'.repeat(90);
      mkdirSync(join(root, deep), { recursive: true });
      writeFileSync(join(root, 'a.json'), 'first');
      writeFileSync(join(root, deep, `${'n'.repeat(80)}.json`), 'second');
      const path = join(root, '..', `${format}.tar.gz`);
      execFileSync('tar', [`--format=${format}`, '-czf', path, '-C', root, 'a.json', deep]);
      const whole = await readAll(path);
      expect(whole.names).toEqual([`${path}!a.json`, `${path}!${deep}/${'n'.repeat(80)}.json`]);
      expect(whole.contents.map(String)).toEqual(['first', 'second']);
      expect(whole.sha256).toBe(await hashFile(path));
    },
  );
});
