import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashFile, openInput } from '../../../src/ingest/sources/byte-source.js';
import { tar } from './tar-archive.js';
import { failure, folder, put, readAll, readSources, sha256, soon, text, zeros } from './whole-input.js';

const openFiles = () => readdirSync('/proc/self/fd').length;

describe('round trip', () => {
  const content = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 3000 }),
    fc
      .tuple(fc.integer({ min: 1, max: 4_000_000 }), fc.string({ minLength: 1 }))
      .map(([n, s]) => Buffer.alloc(n, s)),
    fc.integer({ min: 1, max: 1_500_000 }).map((length) => randomBytes(length)),
  );
  // A leading bracket keeps random bytes from looking like a known format.
  const plain = content.map((bytes) => Buffer.concat([text('{'), bytes]));
  const sizes = fc.array(fc.integer({ min: 5000, max: 3 << 20 }), { minLength: 1, maxLength: 4 });
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 });

  function members(bytes: Uint8Array, at: number[]): Buffer {
    const ends = [
      0,
      ...at.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b),
      bytes.length,
    ];
    return Buffer.concat(ends.slice(1).map((end, i) => gzipSync(bytes.subarray(ends[i], end), { level: 1 })));
  }

  it.each(['plain', 'gzip', 'many gzip members', 'gzip and padding'])('%s', async (form) => {
    await fc.assert(
      fc.asyncProperty(plain, sizes, cuts, async (bytes, targets, at) => {
        const disk =
          { plain: bytes, 'many gzip members': members(bytes, at) }[form] ?? gzipSync(bytes, { level: 1 });
        const file = form === 'gzip and padding' ? Buffer.concat([disk, zeros(1 + targets[0])]) : disk;
        const path = put(file);
        const whole = await readAll(path, {}, targets);
        expect(whole.names).toEqual([path]);
        expect(whole.contents[0].equals(bytes)).toBe(true);
        expect(whole.sha256).toBe(sha256(file));
        expect(whole.input).toMatchObject({ archive: false, size: file.length });
        expect(whole.input.compression).toBe(form === 'plain' ? 'none' : 'gzip');
      }),
      { numRuns: 15 },
    );
  });

  it.each(['tar', 'tar.gz', 'tar of gz'])('%s', async (form) => {
    await fc.assert(
      fc.asyncProperty(fc.array(plain, { minLength: 1, maxLength: 4 }), sizes, async (contents, targets) => {
        const packed =
          form === 'tar of gz' ? contents.map((bytes) => gzipSync(bytes, { level: 1 })) : contents;
        const archive = tar(...packed.map((data, i) => ({ name: `d/part.${i}`, data })));
        const file = form === 'tar.gz' ? gzipSync(archive, { level: 1 }) : archive;
        const path = put(file);
        const whole = await readAll(path, {}, targets);
        expect(whole.names).toEqual(contents.map((_, i) => `${path}!d/part.${i}`));
        contents.forEach((bytes, i) => {
          expect(whole.contents[i].equals(bytes)).toBe(true);
        });
        expect(whole.sha256).toBe(sha256(file));
        expect(whole.input.archive).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  it('works with tiny targets', async () => {
    const bytes = randomBytes(3000);
    bytes[0] = 0x7b;
    for (const path of [put(bytes), put(gzipSync(bytes)), put(tar({ name: 'x', data: bytes }))]) {
      expect((await readAll(path, {}, [1, 7, 511])).contents[0].equals(bytes)).toBe(true);
    }
  });

  it('reads gzip members that end near a chunk boundary', async () => {
    // Random bytes do not compress, so the first member ends near the end of a 256 KiB chunk.
    for (let off = -12; off <= 12; off++) {
      const first = randomBytes((256 << 10) - 23 - 20 + off);
      first[0] = 0x7b;
      const whole = Buffer.concat([gzipSync(first), gzipSync('second'), zeros(700)]);
      const read = (await readAll(put(whole))).contents[0];
      expect(read.equals(Buffer.concat([first, text('second')]))).toBe(true);
    }
  });
});

describe('standard input', () => {
  const inPieces = (bytes: Uint8Array, size: number) =>
    Readable.from(
      (function* () {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      })(),
    );

  it('may be plain, gzip or an archive, in chunks of any size', async () => {
    const bytes = Buffer.alloc(50_000, '{"a":1}\n');
    const forms = [
      bytes,
      gzipSync(bytes),
      tar({ name: 'm', data: bytes }),
      gzipSync(tar({ name: 'm', data: bytes })),
    ];
    for (const form of forms) {
      for (const size of [1, 100, 65536].filter((size) => form.length / size < 20_000)) {
        const whole = await readAll('-', { stdin: inPieces(form, size) });
        expect(whole.contents[0].equals(bytes)).toBe(true);
        expect(whole.names[0]).toMatch(/^<stdin>(!m)?$/);
        expect(whole.sha256).toBe(sha256(form));
        expect(whole.input.size).toBeUndefined();
      }
    }
  });

  it('must not be empty', async () => {
    expect(await failure(openInput('-', { stdin: Readable.from([]) }))).toMatchObject({
      code: 'empty-input',
    });
  });

  it('reports an error of the stream', async () => {
    const stdin = new PassThrough();
    stdin.write('{"a":1}\n'.repeat(100));
    const input = await openInput('-', { stdin });
    const reading = readSources(input);
    stdin.destroy(Object.assign(new Error('gone'), { code: 'EIO' }));
    expect(await failure(soon(reading))).toMatchObject({
      code: 'input-read-failed',
      where: { file: '<stdin>' },
    });
  });

  it('pauses a fast writer', async () => {
    let made = 0;
    const stdin = new Readable({
      read() {
        made += 65536;
        this.push(made > 64 << 20 ? null : Buffer.alloc(65536, 'x'));
      },
    });
    const input = await openInput('-', { stdin });
    for await (const source of input.sources()) {
      await source.read(new Uint8Array(1000));
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(made).toBeLessThan(4 << 20);
    }
    await input.close();
  });

  it.runIf(process.platform === 'linux')('reads a named pipe', async () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const [input] = await Promise.all([openInput(path), writeFile(path, gzipSync('{"a":1}'))]);
    expect(input.size).toBeUndefined();
    expect((await readSources(input)).toString()).toBe('{"a":1}');
    await input.close();
  });
});

describe('rejected inputs', () => {
  it.each([
    ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00], 'unsupported-compression', 'xz -dc'],
    ['bzip2', [...text('BZh9'), 0x31, 0x41, 0x59, 0x26, 0x53, 0x59], 'unsupported-compression', 'bzip2 -dc'],
    ['zip', [...text('PK\u0003\u0004'), 20, 0], 'unsupported-archive', 'unzip -p'],
    ['7z', [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], 'unsupported-archive', '7z'],
    ['evtx', [...text('ElfFile\u0000'), 0, 0], 'evtx-input', 'evtx_dump'],
    ['avro', [...text('Obj\u0001'), 4, 20], 'avro-input', '.json.tar.gz'],
  ])('%s, with a hint how to convert it', async (_, bytes, code, hint) => {
    const path = put(Uint8Array.from(bytes));
    const error = await failure(openInput(path));
    expect(error).toMatchObject({ code, where: { file: path } });
    expect(error.hint).toContain(hint);
    expect(await failure(openInput(put(gzipSync(Uint8Array.from(bytes)))))).toMatchObject({ code });
  });

  it('empty: 0 bytes, gzip of 0 bytes, an archive without content', async () => {
    for (const bytes of [zeros(0), gzipSync(''), Buffer.concat([gzipSync(''), gzipSync('')])]) {
      expect(await failure(openInput(put(bytes)))).toMatchObject({ code: 'empty-input' });
    }
    for (const archive of [tar({ name: 'd/', type: '5' }), tar({ name: 'empty' })]) {
      expect(await failure(readAll(put(archive)))).toMatchObject({ code: 'empty-input' });
    }
  });

  it('missing files and directories', async () => {
    expect(await failure(openInput(join(folder, 'nowhere')))).toMatchObject({ code: 'input-not-found' });
    expect(await failure(openInput(folder))).toMatchObject({ code: 'input-is-directory' });
    expect(await failure(hashFile(folder))).toMatchObject({ code: 'input-is-directory' });
  });

  it('compressed twice, or an archive inside an archive', async () => {
    expect(await failure(openInput(put(gzipSync(gzipSync('x')))))).toMatchObject({
      code: 'nested-compression',
    });
    const inner = tar({ name: 'y', data: text('z') });
    expect(await failure(readAll(put(tar({ name: 'x', data: inner }))))).toMatchObject({
      code: 'nested-archive',
    });
  });

  it('do not include text that resembles another format', async () => {
    for (const words of ['BZhello', `${'x'.repeat(257)}ustar  ${'y'.repeat(400)}`, 'PK', 'Object']) {
      expect((await readAll(put(words))).contents[0].toString()).toBe(words);
    }
  });
});

describe('hash and close', () => {
  it('hashFile returns the hash of the file on disk', async () => {
    const bytes = randomBytes(9_000_001);
    expect(await hashFile(put(bytes))).toBe(sha256(bytes));
    expect(await hashFile(put(''))).toBe(sha256(zeros(0)));
  });

  it('the hash is available at the end and after close, and sources can be read once', async () => {
    const bytes = Buffer.alloc(100_000, 'x');
    const input = await openInput(put(bytes));
    expect(await failure(input.sha256())).toMatchObject({ code: 'hash-incomplete' });
    await readSources(input);
    expect(() => input.sources()).toThrow(expect.objectContaining({ code: 'input-consumed' }));
    await input.close();
    await input.close();
    expect(await input.sha256()).toBe(sha256(bytes));
  });

  it.runIf(process.platform === 'linux')(
    'a close during a read rejects the read and closes the file',
    async () => {
      const bytes = Buffer.alloc(32 << 20, 'x');
      const archive = tar({ name: 'a', data: bytes }, { name: 'b', data: gzipSync(bytes) });
      const paths = [bytes, gzipSync(bytes, { level: 1 }), archive, gzipSync(archive, { level: 1 })].map(put);
      const before = openFiles();
      for (const path of paths) {
        for (const wait of [0, 1, 5]) {
          const input = await openInput(path);
          for await (const source of input.sources()) {
            const pending = source.read(new Uint8Array(64 << 20)).catch((error: unknown) => error);
            await new Promise((resolve) => setTimeout(resolve, wait));
            await soon(input.close());
            const outcome = await soon(pending);
            if (typeof outcome !== 'number') expect(outcome).toMatchObject({ code: 'input-closed' });
            expect(await failure(source.read(new Uint8Array(10)))).toMatchObject({ code: 'input-closed' });
            break;
          }
        }
      }
      expect(openFiles()).toBe(before);
    },
  );

  it.runIf(process.platform === 'linux')('a failed open closes the file', async () => {
    const before = openFiles();
    for (const bytes of [zeros(0), gzipSync(''), Uint8Array.from([0x1f, 0x8b, 8]), text('PK\u0003\u0004')]) {
      await failure(openInput(put(bytes)));
    }
    expect(openFiles()).toBe(before);
  });

  it('a close while standard input is idle does not hang', async () => {
    for (const bytes of [Buffer.alloc(2000, 'x'), gzipSync(randomBytes(2000)).subarray(0, 1500)]) {
      const stdin = new PassThrough();
      stdin.write(bytes);
      const opening = openInput('-', { stdin });
      if (bytes[0] === 0x1f) {
        // The decompressor waits for a full chunk, so this interrupts the open itself.
        setTimeout(() => stdin.destroy(), 10);
        expect(await failure(soon(opening))).toMatchObject({ code: 'input-closed' });
        continue;
      }
      const input = await opening;
      for await (const source of input.sources()) {
        const pending = source.read(new Uint8Array(1 << 20));
        setTimeout(() => input.close(), 10);
        expect(await failure(soon(pending))).toMatchObject({ code: 'input-closed' });
      }
    }
  });
});
