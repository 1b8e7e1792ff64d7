import { readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { ContentHash } from './content-hash.js';
import type { ReadReply, ReadRequest } from './read-thread.js';

/** The size of one read. Small, so that the bytes are hashed while they are in the cache. */
const READ_BYTES = 1 << 18;

// The thread of ReadThread. It answers one request at a time, in order.
let hash = new ContentHash();

function answer(request: ReadRequest): ReadReply {
  if ('digest' in request) {
    const digest = hash.finish();
    hash = new ContentHash();
    return { digest };
  }
  const { descriptor, bytes } = request;
  if (descriptor === undefined) {
    hash.update(bytes);
    return { length: bytes.length };
  }
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(descriptor, bytes, length, Math.min(READ_BYTES, bytes.length - length), null);
    if (read === 0) break;
    hash.update(bytes.subarray(length, length + read));
    length += read;
  }
  return { length };
}

parentPort?.on('message', (request: ReadRequest) => {
  try {
    parentPort?.postMessage(answer(request));
  } catch (error) {
    // Cloning the error would lose its code.
    const { message, code } = error as NodeJS.ErrnoException;
    parentPort?.postMessage({ error: { message, code } });
  }
});
