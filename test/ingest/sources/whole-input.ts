import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { RecalError } from '../../../src/base/errors.js';
import { type ByteSource, type InputFile, openInput } from '../../../src/ingest/sources/byte-source.js';
import { sharedFolder } from '../../folders.js';

export const folder = sharedFolder();

let count = 0;
export function put(content: Uint8Array | string): string {
  const path = join(folder, `in-${count++}`); // no extension, because only the content counts
  writeFileSync(path, content);
  return path;
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
export const zeros = (length: number) => Buffer.alloc(length);
export const text = (words: string) => Buffer.from(words);

/** Reads a whole source, with targets of the given sizes in turn. */
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

export async function readSources(input: InputFile): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const source of input.sources()) parts.push(await drain(source));
  return Buffer.concat(parts);
}

interface Whole {
  names: string[];
  contents: Buffer[];
  sha256: string;
  input: InputFile;
}

export async function readAll(
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

export async function failure(run: Promise<unknown>): Promise<RecalError> {
  const error = await run.then(
    () => new Error('no error'),
    (error: unknown) => error,
  );
  if (!(error instanceof RecalError)) throw error;
  return error;
}

/** Rejects after five seconds instead of hanging. */
export function soon<T>(promise: Promise<T>): Promise<T> {
  const timeout = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error('timeout')), 5000).unref(),
  );
  return Promise.race([promise, timeout]);
}
