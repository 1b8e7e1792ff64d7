import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { spaceProblem } from '../../base/files/space-problem.js';
import type { Spool } from './spool.js';
import type { Feed } from './spooled-source.js';

const NEWLINE = 0x0a;
/** A line without an end is passed on at this length. */
const MOST_CARRY = 8 << 20;
const FULL_DISK_MS = 500;

/** Copies the lines of a stream to a spool. Does not read on while the spool or the disk is full, so that the sender waits. */
export async function copyLines(
  stream: Readable,
  spool: Pick<Spool, 'append' | 'room'>,
  isStopped: () => boolean,
): Promise<void> {
  const appendWhenRoom = async (lines: Uint8Array): Promise<void> => {
    for (;;) {
      try {
        return await spool.append(lines, false);
      } catch (error) {
        if (spaceProblem(error) === undefined || isStopped()) throw error;
        await sleep(FULL_DISK_MS);
      }
    }
  };
  let carry: Buffer = Buffer.alloc(0);
  for await (const piece of stream) {
    await spool.room();
    const bytes = carry.length === 0 ? (piece as Buffer) : Buffer.concat([carry, piece as Buffer]);
    const end = bytes.length > MOST_CARRY ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1;
    // What the process has taken survives its end, because it is in the hands of the system.
    if (end > 0) await appendWhenRoom(bytes.subarray(0, end));
    carry = Buffer.from(bytes.subarray(end));
  }
  if (carry.length > 0) await appendWhenRoom(Buffer.concat([carry, Buffer.from('\n')]));
}

/** Reads a stream such as standard input, up to its end. */
export class StreamFeed implements Feed {
  readonly ends = true;
  readonly losses = new Map<string, number>();
  readonly #stream: Readable;
  #ended = false;
  #stopped = false;
  #copying: Promise<void> | undefined;

  constructor(stream: Readable) {
    this.#stream = stream;
  }

  get ended(): boolean {
    return this.#ended;
  }

  async start(spool: Spool): Promise<void> {
    this.#copying ??= copyLines(this.#stream, spool, () => this.#stopped)
      .catch(() => {
        this.losses.set('broken', (this.losses.get('broken') ?? 0) + 1);
      })
      .finally(() => {
        this.#ended = true;
      });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stream.destroy();
  }
}
