import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { ReadReply, ReadRequest } from './read-thread.js';

/** Read and hashed at a time: what was just read is hashed while it is still in the cache. */
const PIECE = 1 << 18;

// The other half of ReadThread: one request at a time, in order.
let hash = createHash('sha256');

function answer(request: ReadRequest): ReadReply {
  if ('digest' in request) {
    const digest = hash.digest('hex');
    hash = createHash('sha256');
    return { digest };
  }
  const { descriptor, bytes } = request;
  if (descriptor === undefined) {
    hash.update(bytes);
    return { length: bytes.length };
  }
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(descriptor, bytes, length, Math.min(PIECE, bytes.length - length), null);
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
    // A cloned error would lose its code.
    const { message, code } = error as NodeJS.ErrnoException;
    parentPort?.postMessage({ error: { message, code } });
  }
});
