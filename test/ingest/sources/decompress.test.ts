import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import zlib, { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecalError } from '../../../src/base/errors.js';
import { openInput } from '../../../src/ingest/sources/byte-source.js';
import { tar } from './tar-archive.js';
import { failure, put, readAll, sha256, soon, text, zeros } from './whole-input.js';

describe('damaged gzip', () => {
  it('truncated anywhere is an error and does not hang', async () => {
    const bytes = Buffer.concat([text('{'), randomBytes(400_000), Buffer.alloc(400_000, 'abc')]);
    const forms = [gzipSync(bytes), gzipSync(tar({ name: 'a', data: bytes }, { name: 'b', data: bytes }))];
    for (const whole of forms) {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: whole.length - 1 }), async (length) => {
          const path = put(whole.subarray(0, length));
          const error = await failure(soon(readAll(path)));
          expect(error).toMatchObject({ code: 'truncated-input', where: { file: path } });
          expect(error.where?.offset).toBeLessThanOrEqual(bytes.length * 2 + 4096);
          expect(error.hint).toContain('gzip -t');
        }),
        {
          numRuns: 40,
          examples: [[1], [2], [9], [10], [11], [whole.length - 1], [whole.length - 8], [whole.length - 9]],
        },
      );
    }
  });

  it('truncated in a later member is an error', async () => {
    const [first, second] = [gzipSync('{"first":1}'), gzipSync('{"second":2}')];
    const whole = Buffer.concat([first, second]);
    for (let length = first.length + 1; length < whole.length; length++) {
      expect(await failure(soon(readAll(put(whole.subarray(0, length)))))).toMatchObject({
        code: 'truncated-input',
      });
    }
  });

  it('with changed bytes is an error', async () => {
    const whole = gzipSync(Buffer.alloc(100_000, 'some words to compress '));
    for (const at of [3, 20, whole.length >> 1, whole.length - 6, whole.length - 2]) {
      const bad = Buffer.from(whole);
      bad[at] ^= 0xff;
      const error = await failure(soon(readAll(put(bad))));
      expect(['corrupt-input', 'truncated-input']).toContain(error.code);
    }
    const checksum = Buffer.from(whole);
    checksum[whole.length - 6] ^= 1;
    expect(await failure(readAll(put(checksum)))).toMatchObject({ code: 'corrupt-input' });
  });

  it('followed by bytes other than zeros is an error', async () => {
    const whole = gzipSync('{"a":1}');
    const tails = ['garbage', '\u0000\u0000garbage', `${'\u0000'.repeat(600_000)}x`].map(text);
    for (const tail of [...tails, Buffer.concat([zeros(8), whole])]) {
      expect(await failure(soon(readAll(put(Buffer.concat([whole, tail])))))).toMatchObject({
        code: 'trailing-data',
      });
    }
    expect(await failure(soon(readAll(put(Buffer.concat([whole, text('\n')])))))).toBeInstanceOf(RecalError);
  });

  it('with a very high ratio is an error', async () => {
    const member = gzipSync(zeros(16 << 20), { level: 9 });
    const path = put(Buffer.concat(Array.from({ length: 20 }, () => member)));
    const sizes = [8 << 20];
    expect(await failure(readAll(path, {}, sizes))).toMatchObject({ code: 'decompression-ratio' });
    expect(statSync(path).size).toBeLessThan(400_000);
  });

  it('with a high ratio is allowed below 256 MiB', async () => {
    const path = put(gzipSync(Buffer.alloc(20 << 20, 'a')));
    expect((await readAll(path, { maxRatio: 1 }, [8 << 20])).contents[0].length).toBe(20 << 20);
  });
});

describe('zstd', () => {
  type Zstd = { zstdCompressSync?: (bytes: Uint8Array) => Buffer };
  const compress = (zlib as Zstd).zstdCompressSync as (bytes: Uint8Array) => Buffer;
  const supported = compress !== undefined;

  it.skipIf(supported)('is an error with a hint on versions of Node without it', async () => {
    const error = await failure(
      openInput(put(Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, 1, 9, 0, 0, 65]))),
    );
    expect(error).toMatchObject({ code: 'unsupported-compression' });
    expect(error.hint).toContain('zstd -d');
  });

  it.runIf(supported)('reads joined frames, skippable frames and archives', async () => {
    const big = Buffer.concat([text('{'), randomBytes(900_000), Buffer.alloc(900_000, 'abc')]);
    const skippable = Uint8Array.from([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]);
    const file = Buffer.concat([
      skippable,
      compress(text('{')),
      compress(big),
      skippable,
      compress(text('}')),
    ]);
    const whole = await readAll(put(file));
    expect(whole.contents[0].equals(Buffer.concat([text('{'), big, text('}')]))).toBe(true);
    expect(whole.sha256).toBe(sha256(file));
    expect(whole.input.compression).toBe('zstd');
    expect((await readAll(put(compress(tar({ name: 'x', data: big }))))).contents[0].equals(big)).toBe(true);
  });

  it.runIf(supported)('truncated or followed by garbage is an error', async () => {
    const frame = compress(Buffer.concat([text('{'), randomBytes(300_000), Buffer.alloc(300_000, 'abc')]));
    for (let length = 4; length < frame.length; length += 4001) {
      const error = await failure(soon(readAll(put(frame.subarray(0, length)))));
      expect(error).toMatchObject({ code: 'truncated-input' });
    }
    const tail = await failure(soon(readAll(put(Buffer.concat([frame, text('garbage')])))));
    expect(tail).toMatchObject({ code: 'corrupt-input' });
  });
});
