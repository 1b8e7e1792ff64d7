import { appendFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { FileSource } from '../../../src/live/sources/file-source.js';
import { HttpFeed } from '../../../src/live/sources/http-feed.js';
import { SocketFeed } from '../../../src/live/sources/socket-feed.js';
import { SpooledSource } from '../../../src/live/sources/spooled-source.js';
import { StreamFeed } from '../../../src/live/sources/stream-feed.js';
import { newFolder } from '../../folders.js';
import { sourceContract } from './source-contract.js';

sourceContract('a file', async () => {
  const path = join(newFolder(), 'audit.log');
  return {
    open: async () => new FileSource(path),
    send: async (lines) => appendFileSync(path, lines),
  };
});

sourceContract('a stream', async () => {
  const folder = newFolder();
  let stream = new PassThrough();
  return {
    open: async () => {
      stream = new PassThrough();
      return new SpooledSource('stdin', folder, new StreamFeed(stream));
    },
    send: async (lines) => {
      stream.write(lines);
      await sleep(50);
    },
  };
});

sourceContract('the audit socket', async () => {
  const folder = newFolder();
  const path = join(folder, 'audispd_events');
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  server.unref();
  return {
    open: async () => new SpooledSource('unix', join(folder, 'spool'), new SocketFeed(path)),
    send: async (lines) => {
      while (sockets.size === 0) await sleep(20);
      for (const socket of sockets) socket.write(lines);
      await sleep(50);
    },
  };
});

sourceContract('HTTP', async () => {
  const folder = newFolder();
  let feed: HttpFeed;
  return {
    open: async () => {
      feed = new HttpFeed(new URL('http://127.0.0.1:0'));
      return new SpooledSource('http', folder, feed);
    },
    send: async (lines) => {
      const { status } = await fetch(`http://127.0.0.1:${feed.port}/`, { method: 'POST', body: lines });
      if (status !== 204) throw new Error(`answered ${status}`);
    },
  };
});
