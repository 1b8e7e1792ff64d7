import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import zlib, { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecalError } from '../../src/base/errors.js';
import { type ByteSource, hashFile, type InputFile, openInput } from '../../src/ingest/byte-source.js';
import { sharedFolder } from '../folders.js';

const folder = sharedFolder();

let count = 0;
function put(content: Uint8Array | string): string {
  const path = join(folder, `in-${count++}`); // no extension: only content counts
  writeFileSync(path, content);
  return path;
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const zeros = (length: number) => Buffer.alloc(length);

/** Everything a source holds, read through targets of the given sizes in turn. */
async function drain(source: ByteSource, sizes: number[] = [65536]): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let turn = 0; ; turn++) {
    const target = new Uint8Array(new SharedArrayBuffer(sizes[turn % sizes.length]));
    const length = await source.read(target);
    parts.push(Buffer.from(target.slice(0, length)));
    if (length < target.length) expect(await source.read(target)).toBe(0); // short only at the end
    if (length === 0) return Buffer.concat(parts);
  }
}

interface Whole {
  names: string[];
  contents: Buffer[];
  sha256: string;
  input: InputFile;
}

async function readAll(
  path: string,
  options: Parameters<typeof openInput>[1] = {},
  sizes?: number[],
): Promise<Whole> {
  const input = await openInput(path, options);
  try {
    const names: string[] = [];
    const contents: Buffer[] = [];
    for await (const source of input.sources()) {
      names.push(source.name);
      contents.push(await drain(source, sizes));
      if (input.size !== undefined) expect(source.consumed).toBeLessThanOrEqual(input.size);
    }
    return { names, contents, sha256: await input.sha256(), input };
  } finally {
    await input.close();
  }
}

async function failure(run: Promise<unknown>): Promise<RecalError> {
  const error = await run.then(
    () => new Error('no error'),
    (error: unknown) => error,
  );
  if (!(error instanceof RecalError)) throw error;
  return error;
}

/** Fails instead of hanging. */
function soon<T>(promise: Promise<T>): Promise<T> {
  const timeout = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error('hangs')), 5000).unref(),
  );
  return Promise.race([promise, timeout]);
}

const openFiles = () => readdirSync('/proc/self/fd').length;

interface Entry {
  name: string;
  data?: Uint8Array;
  type?: string;
  /** Raw size field, to override the octal one. */
  size?: Uint8Array;
}

function tarEntry({ name, data = zeros(0), type = '0', size }: Entry): Buffer {
  const header = zeros(512);
  header.write(name.slice(0, 100), 0);
  header.write('0000644\0', 100);
  header.write(`${data.length.toString(8).padStart(11, '0')}\0`, 124);
  if (size !== undefined) header.set(size, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, data, zeros((512 - (data.length % 512)) % 512)]);
}

const tar = (...entries: Entry[]) => Buffer.concat([...entries.map(tarEntry), zeros(1024)]);

function pax(key: string, value: string): Entry {
  const body = ` ${key}=${value}\n`;
  let length = body.length;
  while (`${length}${body}`.length !== length) length = `${length}${body}`.length;
  return { name: 'PaxHeader', type: 'x', data: Buffer.from(`${length}${body}`) };
}

const text = (words: string) => Buffer.from(words);

describe('round trip', () => {
  const content = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 3000 }),
    fc
      .tuple(fc.integer({ min: 1, max: 4_000_000 }), fc.string({ minLength: 1 }))
      .map(([n, s]) => Buffer.alloc(n, s)),
    fc.integer({ min: 1, max: 1_500_000 }).map((length) => randomBytes(length)),
  );
  // What begins like a known format is that format; one leading letter keeps random bytes plain.
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

  it('reads tiny targets', async () => {
    const bytes = randomBytes(3000);
    bytes[0] = 0x7b;
    for (const path of [put(bytes), put(gzipSync(bytes)), put(tar({ name: 'x', data: bytes }))]) {
      expect((await readAll(path, {}, [1, 7, 511])).contents[0].equals(bytes)).toBe(true);
    }
  });

  it('finds members at every boundary between chunks', async () => {
    // Random bytes do not compress, so the first member ends close to where a step of 256 KiB does.
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

  it('is peeked, not consumed: plain, gzip and archives work, in any pieces', async () => {
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

  it('is refused when empty', async () => {
    expect(await failure(openInput('-', { stdin: Readable.from([]) }))).toMatchObject({
      code: 'empty-input',
    });
  });

  it('passes on the failure of the stream', async () => {
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

  it('holds back a fast writer', async () => {
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

async function readSources(input: InputFile): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const source of input.sources()) parts.push(await drain(source));
  return Buffer.concat(parts);
}

describe('what is refused', () => {
  it.each([
    ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00], 'unsupported-compression', 'xz -dc'],
    ['bzip2', [...text('BZh9'), 0x31, 0x41, 0x59, 0x26, 0x53, 0x59], 'unsupported-compression', 'bzip2 -dc'],
    ['zip', [...text('PK\u0003\u0004'), 20, 0], 'unsupported-archive', 'unzip -p'],
    ['7z', [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], 'unsupported-archive', '7z'],
    ['avro', [...text('Obj\u0001'), 4, 20], 'avro-input', '.json.tar.gz'],
  ])('%s, with a hint how to convert', async (_, bytes, code, hint) => {
    const path = put(Uint8Array.from(bytes));
    const error = await failure(openInput(path));
    expect(error).toMatchObject({ code, where: { file: path } });
    expect(error.hint).toContain(hint);
    expect(await failure(openInput(put(gzipSync(Uint8Array.from(bytes)))))).toMatchObject({ code });
  });

  it('nothing: 0 bytes, gzip of 0 bytes, an archive without content', async () => {
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

  it('compression in compression, archives in archives', async () => {
    expect(await failure(openInput(put(gzipSync(gzipSync('x')))))).toMatchObject({
      code: 'nested-compression',
    });
    const inner = tar({ name: 'y', data: text('z') });
    expect(await failure(readAll(put(tar({ name: 'x', data: inner }))))).toMatchObject({
      code: 'nested-archive',
    });
  });

  it('text that only looks like something else stays text', async () => {
    for (const words of ['BZhello', `${'x'.repeat(257)}ustar  ${'y'.repeat(400)}`, 'PK', 'Object']) {
      expect((await readAll(put(words))).contents[0].toString()).toBe(words);
    }
  });
});

describe('gzip that is not whole', () => {
  it('truncated anywhere: always an error, never a hang', async () => {
    const bytes = Buffer.concat([text('{'), randomBytes(400_000), Buffer.alloc(400_000, 'abc')]);
    const forms = [gzipSync(bytes), gzipSync(tar({ name: 'a', data: bytes }, { name: 'b', data: bytes }))];
    for (const whole of forms) {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: whole.length - 1 }), async (length) => {
          const path = put(whole.subarray(0, length));
          const error = await failure(soon(readAll(path)));
          expect(error).toMatchObject({ code: 'truncated-gzip', where: { file: path } });
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

  it('truncated in a later member', async () => {
    const [first, second] = [gzipSync('{"first":1}'), gzipSync('{"second":2}')];
    const whole = Buffer.concat([first, second]);
    for (let length = first.length + 1; length < whole.length; length++) {
      expect(await failure(soon(readAll(put(whole.subarray(0, length)))))).toMatchObject({
        code: 'truncated-gzip',
      });
    }
  });

  it('damaged: the checksum or the data itself tells', async () => {
    const whole = gzipSync(Buffer.alloc(100_000, 'some words to compress '));
    for (const at of [3, 20, whole.length >> 1, whole.length - 6, whole.length - 2]) {
      const bad = Buffer.from(whole);
      bad[at] ^= 0xff;
      const error = await failure(soon(readAll(put(bad))));
      expect(['corrupt-gzip', 'truncated-gzip']).toContain(error.code);
    }
    const checksum = Buffer.from(whole);
    checksum[whole.length - 6] ^= 1;
    expect(await failure(readAll(put(checksum)))).toMatchObject({ code: 'corrupt-gzip' });
  });

  it('followed by anything but zeros', async () => {
    const whole = gzipSync('{"a":1}');
    const tails = ['garbage', '\u0000\u0000garbage', `${'\u0000'.repeat(600_000)}x`].map(text);
    for (const tail of [...tails, Buffer.concat([zeros(8), whole])]) {
      expect(await failure(soon(readAll(put(Buffer.concat([whole, tail])))))).toMatchObject({
        code: 'trailing-data',
      });
    }
    expect(await failure(soon(readAll(put(Buffer.concat([whole, text('\n')])))))).toBeInstanceOf(RecalError);
  });

  it('a bomb', async () => {
    const member = gzipSync(zeros(16 << 20), { level: 9 });
    const path = put(Buffer.concat(Array.from({ length: 20 }, () => member)));
    const sizes = [8 << 20];
    expect(await failure(readAll(path, {}, sizes))).toMatchObject({ code: 'decompression-ratio' });
    expect(statSync(path).size).toBeLessThan(400_000);
  });

  it('high ratios are fine below 256 MiB, and where allowed', async () => {
    const path = put(gzipSync(Buffer.alloc(20 << 20, 'a')));
    expect((await readAll(path, { maxRatio: 1 }, [8 << 20])).contents[0].length).toBe(20 << 20);
  });
});

describe('tar', () => {
  const long = `${'long/'.repeat(60)}name.json`;

  it('knows long names, links, folders and attributes of pax and GNU', async () => {
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

  it('believes sizes over 8 GiB in base 256', async () => {
    const size = Uint8Array.from([0x80, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0]); // 12 GiB
    const path = put(Buffer.concat([tarEntry({ name: 'huge', data: text('{'), size }), zeros(4096)]));
    expect(await failure(readAll(path))).toMatchObject({ code: 'truncated-tar' });
    const small = Uint8Array.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5]);
    const [content] = (await readAll(put(tar({ name: 'x', data: text('hello'), size: small })))).contents;
    expect(content.toString()).toBe('hello');
  });

  it('skips what a reader leaves, and ends sources that are passed', async () => {
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

  it('truncated before its end mark: always an error', async () => {
    const whole = tar({ name: 'a', data: text('{'.repeat(700)) }, { name: 'b', data: text('{'.repeat(100)) });
    for (let length = 512; length < whole.length - 512; length += 37) {
      expect(await failure(soon(readAll(put(whole.subarray(0, length)))))).toMatchObject({
        code: 'truncated-tar',
      });
    }
  });

  it('damaged headers, lying extensions, sparse files and joined archives are refused', async () => {
    const good = { name: 'a', data: text('{}') };
    const bad = tar(good, good);
    bad[1024] ^= 1;
    const cases: [Buffer, string][] = [
      [bad, 'corrupt-tar'],
      [tar({ name: 'x', type: 'x', data: text('999 path=x\n') }, good), 'corrupt-tar'],
      [tar({ ...pax('size', '-1') }, good), 'corrupt-tar'],
      [tar({ name: 'L', type: 'L', data: zeros((1 << 20) + 1) }, good), 'corrupt-tar'],
      [tar({ name: 'a', data: text('x'), size: text('zzz\0') }), 'corrupt-tar'],
      [tar({ name: 'S', type: 'S' }), 'unsupported-archive'],
      [tar(pax('GNU.sparse.major', '1'), good), 'unsupported-archive'],
      [Buffer.concat([tar(good), tar(good)]), 'trailing-data'],
    ];
    for (const [archive, code] of cases) expect(await failure(readAll(put(archive)))).toMatchObject({ code });
  });

  it('does not let a member name rewrite the terminal', async () => {
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

describe('zstd', () => {
  type Zstd = { zstdCompressSync?: (bytes: Uint8Array) => Buffer };
  const compress = (zlib as Zstd).zstdCompressSync as (bytes: Uint8Array) => Buffer;
  const supported = compress !== undefined;

  it.skipIf(supported)('says which Node can read it', async () => {
    const error = await failure(
      openInput(put(Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, 1, 9, 0, 0, 65]))),
    );
    expect(error).toMatchObject({ code: 'zstd-unsupported' });
    expect(error.hint).toContain('zstd -d');
  });

  it.runIf(supported)('joined frames, skippable frames and archives come out whole', async () => {
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

  it.runIf(supported)('truncated, or followed by garbage: always an error', async () => {
    const frame = compress(Buffer.concat([text('{'), randomBytes(300_000), Buffer.alloc(300_000, 'abc')]));
    for (let length = 4; length < frame.length; length += 4001) {
      const error = await failure(soon(readAll(put(frame.subarray(0, length)))));
      expect(error).toMatchObject({ code: 'truncated-zstd' });
    }
    const tail = await failure(soon(readAll(put(Buffer.concat([frame, text('garbage')])))));
    expect(tail).toMatchObject({ code: 'corrupt-zstd' });
  });
});

describe('hash and close', () => {
  it('hashFile gives the hash of the file on disk', async () => {
    const bytes = randomBytes(9_000_001);
    expect(await hashFile(put(bytes))).toBe(sha256(bytes));
    expect(await hashFile(put(''))).toBe(sha256(zeros(0)));
  });

  it('has no hash before the end, one read of the sources, and keeps the hash after close', async () => {
    const bytes = Buffer.alloc(100_000, 'x');
    const input = await openInput(put(bytes));
    expect(await failure(input.sha256())).toMatchObject({ code: 'hash-incomplete' });
    await readSources(input);
    expect(() => input.sources()).toThrow(/only once/);
    await input.close();
    await input.close();
    expect(await input.sha256()).toBe(sha256(bytes));
  });

  it.runIf(process.platform === 'linux')(
    'a close in the middle rejects the read and frees the file',
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

  it.runIf(process.platform === 'linux')('a failed open frees the file', async () => {
    const before = openFiles();
    for (const bytes of [zeros(0), gzipSync(''), Uint8Array.from([0x1f, 0x8b, 8]), text('PK\u0003\u0004')]) {
      await failure(openInput(put(bytes)));
    }
    expect(openFiles()).toBe(before);
  });

  it('a close while standard input is silent does not hang', async () => {
    for (const bytes of [Buffer.alloc(2000, 'x'), gzipSync(randomBytes(2000)).subarray(0, 1500)]) {
      const stdin = new PassThrough();
      stdin.write(bytes);
      const opening = openInput('-', { stdin });
      if (bytes[0] === 0x1f) {
        // The decompressor wants a full step before it starts: the open itself is what is interrupted.
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
