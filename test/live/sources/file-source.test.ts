import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FileSource } from '../../../src/live/sources/file-source.js';
import { newFolder } from '../../folders.js';
import { readAll } from './source-contract.js';

/** Lines that no two logs share. */
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `type=TEST msg=audit(1.0:${from + i}): n=${from + i}\n`).join(
    '',
  );

async function opened(path: string, position?: unknown): Promise<FileSource> {
  const source = new FileSource(path);
  await source.open(position);
  return source;
}

describe('the lag of a file', () => {
  it('counts what came after the last read, and parts that were not read yet', async () => {
    const path = join(newFolder(), 'audit.log');
    const all = lines(0, 5000);
    writeFileSync(path, all);
    const source = await opened(path);
    const { chunks } = await source.read(1);
    const read = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
    expect(read).toBeLessThan(all.length);
    expect((await source.lag()).bytes).toBe(all.length - read);
    const more = lines(5000, 5100);
    appendFileSync(path, more);
    renameSync(path, `${path}.1`);
    const newest = lines(5100, 5150);
    writeFileSync(path, newest);
    expect((await source.lag()).bytes).toBe(all.length - read + more.length + newest.length);
    expect((await readAll(source)).text).toBe((all + more + newest).slice(read));
    expect((await source.lag()).bytes).toBe(0);
    await source.close();
  });

  it('does not count a copy of what was read', async () => {
    const path = join(newFolder(), 'audit.log');
    writeFileSync(path, lines(0, 100));
    const source = await opened(path);
    await readAll(source);
    copyFileSync(path, `${path}.1`);
    writeFileSync(`${path}.2.gz`, gzipSync(lines(0, 100)));
    expect((await source.lag()).bytes).toBe(0);
    await source.close();
  });
});

describe('a file that is rotated', () => {
  it.each([
    ['while it is followed', false],
    ['while nobody looks', true],
  ])('by renaming, %s', async (_, restart) => {
    const path = join(newFolder(), 'audit.log');
    writeFileSync(path, lines(0, 10));
    let source = await opened(path);
    const first = await readAll(source);
    if (restart) await source.close();
    appendFileSync(path, lines(10, 15));
    renameSync(path, `${path}.1`);
    writeFileSync(path, lines(15, 20));
    if (restart) source = await opened(path, first.position);
    expect((await readAll(source)).text).toBe(lines(10, 20));
    await source.close();
  });

  it('by copying and truncating', async () => {
    const path = join(newFolder(), 'audit.log');
    writeFileSync(path, lines(0, 10));
    const source = await opened(path);
    await readAll(source);
    appendFileSync(path, lines(10, 15));
    copyFileSync(path, `${path}.1`);
    truncateSync(path);
    appendFileSync(path, lines(15, 18));
    expect((await readAll(source)).text).toBe(lines(10, 18));
    await source.close();
  });

  it('by copying and truncating, and has grown beyond its old length', async () => {
    const path = join(newFolder(), 'audit.log');
    writeFileSync(path, lines(0, 10));
    const source = await opened(path);
    await readAll(source);
    copyFileSync(path, `${path}.1`);
    truncateSync(path);
    appendFileSync(path, lines(10, 60));
    expect((await readAll(source)).text).toBe(lines(10, 60));
    await source.close();
  });

  it('and compressed while nobody looks', async () => {
    const path = join(newFolder(), 'audit.log');
    writeFileSync(path, lines(0, 10));
    const before = await opened(path);
    const { position } = await readAll(before);
    await before.close();
    writeFileSync(`${path}.2.gz`, gzipSync(lines(0, 20)));
    writeFileSync(`${path}.1`, lines(20, 30));
    writeFileSync(path, lines(30, 31));
    const source = await opened(path, position);
    expect((await readAll(source)).text).toBe(lines(10, 31));
    await source.close();
  });

  it('reads old parts first, the oldest before all others', async () => {
    const path = join(newFolder(), 'audit.log');
    writeFileSync(path, lines(30, 40));
    writeFileSync(`${path}.1`, lines(20, 30));
    writeFileSync(`${path}.10.gz`, gzipSync(lines(0, 10)));
    writeFileSync(`${path}.2`, lines(10, 20));
    const source = await opened(path);
    expect((await readAll(source)).text).toBe(lines(0, 40));
    await source.close();
  });
});

describe('a file that is followed', () => {
  it('keeps what it has open when the file is removed', async () => {
    const path = join(newFolder(), 'audit.log');
    writeFileSync(path, lines(0, 1));
    const source = await opened(path);
    await readAll(source);
    appendFileSync(path, lines(1, 5));
    rmSync(path);
    writeFileSync(path, lines(5, 6));
    expect((await readAll(source)).text).toBe(lines(1, 6));
    await source.close();
  });

  it('waits for the rest of a line', async () => {
    const path = join(newFolder(), 'audit.log');
    writeFileSync(path, `${lines(0, 1)}half`);
    const source = await opened(path);
    expect((await readAll(source)).text).toBe(lines(0, 1));
    appendFileSync(path, ' a line\n');
    expect((await readAll(source)).text).toBe('half a line\n');
    await source.close();
  });

  it('leaves out a line without an end, and counts it', async () => {
    const path = join(newFolder(), 'audit.log');
    writeFileSync(path, `${lines(0, 1)}${'x'.repeat(300_000)}\n${lines(1, 2)}`);
    const source = await opened(path);
    expect((await readAll(source, 70_000)).text).toBe(lines(0, 2));
    expect(source.losses.get('oversize')).toBe(1);
    await source.close();
  });

  it('keeps a long line that does not fit into the rest of a read', async () => {
    const path = join(newFolder(), 'audit.log');
    const text = `${lines(0, 1500)}${'x'.repeat(90_000)}\n${lines(1500, 1600)}`;
    writeFileSync(path, text);
    const source = await opened(path);
    expect((await readAll(source, 100_000)).text).toBe(text);
    expect([...source.losses]).toEqual([]);
    await source.close();
  });

  it('does not follow a copy, nor a file that is being written beside it', async () => {
    const path = join(newFolder(), 'audit.log');
    writeFileSync(path, lines(0, 10));
    const source = await opened(path);
    await readAll(source);
    copyFileSync(path, `${path}.bak`);
    writeFileSync(`${path}.1.tmp`, lines(50, 60));
    appendFileSync(path, lines(10, 12));
    expect((await readAll(source)).text).toBe(lines(10, 12));
    await source.close();
  });

  it('tells why there is nothing to read', async () => {
    const folder = newFolder();
    const path = join(folder, 'audit.log');
    const source = await opened(path);
    expect(await source.problem()).toMatch(/no such file/);
    writeFileSync(path, '');
    expect(await source.problem()).toMatch(/empty/);
    writeFileSync(path, lines(0, 1));
    await source.close();
    expect(await (await opened(folder)).problem()).toMatch(/folder/);
    const good = await opened(path);
    expect(await good.problem()).toBeUndefined();
    await good.close();
  });

  it('finds new files of a glob', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'a.log'), lines(0, 1));
    const source = await opened(join(folder, '*.log'));
    await readAll(source);
    writeFileSync(join(folder, 'b.log'), lines(1, 2));
    expect((await readAll(source)).text).toBe(lines(1, 2));
    await source.close();
  });

  it('follows what logrotate does', async () => {
    const folder = newFolder();
    const path = join(folder, 'audit.log');
    const config = join(folder, 'rotate.conf');
    writeFileSync(config, `${path} {\n  rotate 4\n  compress\n  delaycompress\n  size 1\n}\n`);
    writeFileSync(path, lines(0, 10));
    const source = await opened(path);
    let text = (await readAll(source)).text;
    for (let round = 1; round <= 3; round++) {
      appendFileSync(path, lines(round * 10, round * 10 + 5));
      try {
        execFileSync('logrotate', ['-f', '-s', join(folder, 'state'), config], { stdio: 'ignore' });
      } catch {
        renameSync(path, `${path}.${round}`); // no logrotate here, or not allowed
      }
      writeFileSync(path, lines(round * 10 + 5, round * 10 + 10));
      text += (await readAll(source)).text;
    }
    expect(text).toBe(lines(0, 40));
    await source.close();
  });
});
