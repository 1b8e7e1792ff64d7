import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Spool } from './spool.js';
import type { Feed } from './spooled-source.js';
import { copyLines } from './stream-feed.js';

const FIRST_WAIT_MS = 250;
const MOST_WAIT_MS = 10_000;

/**
 * Reads the socket of auditd's `af_unix` plugin, which writes every record as a line. Connects again when auditd restarts;
 * what auditd could not write in between is counted as a loss with an unknown number of records.
 */
export class SocketFeed implements Feed {
  readonly ended = false;
  readonly ends = false;
  readonly losses = new Map<string, number>();
  readonly #path: string;
  readonly #stop = new AbortController();
  #socket: Socket | undefined;
  #running: Promise<void> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async start(spool: Spool): Promise<void> {
    this.#running ??= this.#run(spool);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#socket?.destroy();
    await this.#running;
  }

  async #run(spool: Spool): Promise<void> {
    let wait = FIRST_WAIT_MS;
    let wasConnected = false;
    while (!this.#stop.signal.aborted) {
      const socket = createConnection(this.#path);
      this.#socket = socket;
      try {
        await connected(socket);
        if (wasConnected) this.losses.set('disconnected', (this.losses.get('disconnected') ?? 0) + 1);
        wasConnected = true;
        wait = FIRST_WAIT_MS;
        await copyLines(socket, spool, () => this.#stop.signal.aborted);
      } catch {
        // Tried again below.
      }
      socket.destroy();
      await sleep(wait, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      wait = Math.min(MOST_WAIT_MS, wait * 2);
    }
  }
}

function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed')));
  });
}
