import { createHash, randomBytes } from 'node:crypto';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as ByteSources from '../../../src/ingest/sources/byte-source.js';
import type { ReadThread } from '../../../src/ingest/sources/read-thread.js';
import { built } from '../../built.js';
import { sharedFolder } from '../../folders.js';

const folder = sharedFolder();
let thread: ReadThread;
let openInput: typeof ByteSources.openInput;

beforeAll(async () => {
  const { ReadThread: Built } = (await import(built('ingest/sources/read-thread.js'))) as {
    ReadThread: typeof ReadThread;
  };
  ({ openInput } = (await import(built('ingest/sources/byte-source.js'))) as typeof ByteSources);
  thread = new Built();
});
afterAll(() => thread.close());

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let count = 0;
function put(content: Uint8Array): string {
  const path = join(folder, `in-${count++}`);
  writeFileSync(path, content);
  return path;
}

/** Reads all bytes of an input and its hash, with targets in shared or other memory. */
async function readAll(input: ByteSources.InputFile, targetBytes: number, shared: boolean) {
  const parts: Buffer[] = [];
  try {
    for await (const source of input.sources()) {
      for (;;) {
        const target = new Uint8Array(
          shared ? new SharedArrayBuffer(targetBytes) : new ArrayBuffer(targetBytes),
        );
        const length = await source.read(target);
        parts.push(Buffer.from(target.slice(0, length)));
        target.fill(0xee); // a hash of these bytes that is still running becomes wrong
        if (length < targetBytes) break;
      }
    }
    return { content: Buffer.concat(parts), sha256: await input.sha256() };
  } finally {
    await input.close();
  }
}

describe('ReadThread', () => {
  const content = randomBytes(3_000_001);

  it.each([
    [4096, true],
    [1 << 20, true],
    [4 << 20, true],
    [3_000_001, true],
    [1 << 20, false],
  ])('reads a file and its SHA-256 with targets of %i bytes, shared: %s', async (targetBytes, shared) => {
    const input = await openInput(put(content), { thread });
    const read = await readAll(input, targetBytes, shared);
    expect(read.content.equals(content)).toBe(true);
    expect(read.sha256).toBe(sha256(content));
  });

  it('hashes the bytes on disk, not the decompressed ones', async () => {
    const packed = gzipSync(content);
    const read = await readAll(await openInput(put(packed), { thread }), 1 << 20, true);
    expect(read.content.equals(content)).toBe(true);
    expect(read.sha256).toBe(sha256(packed));
  });

  it('hashes the bytes of a pipe', async () => {
    const pieces = Array.from({ length: 30 }, (_, i) => content.subarray(i * 100_001, (i + 1) * 100_001));
    const input = await openInput('-', { thread, stdin: Readable.from(pieces) });
    const read = await readAll(input, 1 << 20, true);
    expect(read.content.equals(content.subarray(0, 3_000_030))).toBe(true);
    expect(read.sha256).toBe(sha256(content.subarray(0, 3_000_030)));
  });

  it('reports the code of a failed read', async () => {
    const descriptor = openSync(folder, 'r'); // a folder can be opened but not read
    try {
      const target = new Uint8Array(new SharedArrayBuffer(16));
      await expect(thread.read(descriptor, target)).rejects.toMatchObject({ code: 'EISDIR' });
    } finally {
      closeSync(descriptor);
    }
    expect(await thread.digest()).toMatchObject({ bytes: 0, sha256: sha256(Buffer.alloc(0)) });
  });

  it('rejects pending requests when it is closed', async () => {
    const { ReadThread: Built } = (await import(built('ingest/sources/read-thread.js'))) as {
      ReadThread: typeof ReadThread;
    };
    const other = new Built();
    const waiting = other.digest();
    const outcome = waiting.then(
      () => 'answered',
      () => 'failed',
    );
    await other.close();
    expect(['answered', 'failed']).toContain(await outcome);
    await expect(other.digest()).rejects.toThrow(Error);
  });
});
