import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import { isSystemError, RecalError } from '../errors.js';
import { printable } from '../printable.js';
import { safeJson } from '../safe-json.js';
import { tryLock } from './file-lock.js';
import { makeFolder } from './make-folder.js';

/** A ledger of decisions by people stays far below this. */
const MOST_BYTES = 1 << 28;
const MOST_WAIT_MS = 10_000;
const SUM = /,"sum":"([0-9a-f]{32})"\}$/;
const NEWLINE = 0x0a;

/** The intact entries of a ledger. */
export interface LedgerContent<Entry> {
  readonly entries: readonly Entry[];
  /** Bytes of a last line that its writer did not finish. They are not part of the ledger. */
  readonly tornBytes: number;
}

interface Read<Entry> extends LedgerContent<Entry> {
  readonly lastSum: string;
  readonly intactBytes: number;
}

/**
 * An append-only file of JSON lines. The checksum of each line covers the lines before it, so that a changed or removed
 * line is found. Readers need no lock. A writer that is killed leaves at most an unfinished last line, which readers report
 * and the next writer removes.
 */
export class Ledger<Entry extends object> {
  readonly path: string;
  readonly #schema: z.ZodType<Entry>;

  constructor(path: string, schema: z.ZodType<Entry>) {
    this.path = path;
    this.#schema = schema;
  }

  /** A missing file has no entries. */
  async read(): Promise<LedgerContent<Entry>> {
    const { entries, tornBytes } = await this.#read();
    return { entries, tornBytes };
  }

  /**
   * Appends what `make` returns for the entries so far. Waits for other writers, so that `make` sees all of theirs. The
   * entries are on the disk when this returns.
   */
  async append(make: (entries: readonly Entry[]) => readonly Entry[]): Promise<readonly Entry[]> {
    await makeFolder(dirname(this.path));
    const release = await this.#lock();
    try {
      const { entries, lastSum, intactBytes, tornBytes } = await this.#read();
      const added = make(entries).map((entry) => this.#schema.parse(entry));
      if (added.length === 0) return added;
      let sum = lastSum;
      let text = '';
      for (const entry of added) {
        const body = safeJson(entry);
        sum = sumOf(sum, body);
        text += `${body.slice(0, -1)},"sum":"${sum}"}\n`;
      }
      const file = await open(this.path, 'a', 0o640);
      try {
        if (tornBytes > 0) await file.truncate(intactBytes);
        await appendWhole(file, text, intactBytes);
      } finally {
        await file.close();
      }
      return added;
    } finally {
      await release();
    }
  }

  async #read(): Promise<Read<Entry>> {
    const bytes = await readAll(this.path);
    const entries: Entry[] = [];
    let [start, lastSum] = [0, ''];
    for (let line = 1; ; line++) {
      const end = bytes.indexOf(NEWLINE, start);
      if (end < 0) break;
      const text = bytes.toString('utf8', start, end);
      const { entry, sum } = this.#parse(text, lastSum, line);
      entries.push(entry);
      lastSum = sum;
      start = end + 1;
    }
    return { entries, lastSum, intactBytes: start, tornBytes: bytes.length - start };
  }

  #parse(text: string, before: string, line: number): { entry: Entry; sum: string } {
    const sum = SUM.exec(text)?.[1];
    if (sum === undefined) throw this.#damaged('it has no checksum', line);
    const body = text.replace(SUM, '}');
    if (sumOf(before, body) !== sum) throw this.#damaged('checksum mismatch', line);
    const parsed = this.#schema.safeParse(JSON.parse(body));
    if (!parsed.success) throw this.#damaged('it is not an entry, or a newer recal wrote it', line);
    return { entry: parsed.data, sum };
  }

  #damaged(why: string, line: number): RecalError {
    return new RecalError('ledger-damaged', `${printable(this.path)}: line ${line} is damaged: ${why}`, {
      hint: `restore the file from a backup, or keep the ${line - 1} lines before it and repeat the later decisions`,
      where: { file: this.path, line },
    });
  }

  async #lock(): Promise<() => Promise<void>> {
    const path = `${this.path}.lock`;
    const until = performance.now() + MOST_WAIT_MS;
    for (let pause = 5; ; pause = Math.min(100, pause * 2)) {
      const attempt = await tryLock(path);
      if (attempt.kind === 'taken') return attempt.release;
      if (attempt.kind === 'blocked' || performance.now() > until) {
        const who = attempt.kind === 'blocked' ? attempt.what : `process ${attempt.holder.pid}`;
        throw new RecalError('ledger-busy', `cannot lock ${printable(this.path)}: ${who} holds its lock`, {
          hint: `try again; if no other recal process is running, remove the lock with: rm ${printable(path)}`,
          where: { file: path },
        });
      }
      await wait(pause * (0.5 + (process.pid % 16) / 16)); // waiting writers must not meet again and again
    }
  }
}

/** Leaves no half line behind if the disk is full. */
async function appendWhole(file: FileHandle, text: string, length: number): Promise<void> {
  try {
    await file.appendFile(text);
    await file.sync();
  } catch (error) {
    await file.truncate(length).catch(() => undefined);
    throw error;
  }
}

function sumOf(before: string, body: string): string {
  return createHash('sha256').update(`${before}\n${body}`).digest('hex').slice(0, 32);
}

async function readAll(path: string): Promise<Buffer> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (file === undefined) return Buffer.alloc(0);
  try {
    const { size } = await file.stat();
    if (size <= MOST_BYTES) return await file.readFile();
    throw new RecalError('ledger-damaged', `${printable(path)} is too large: ${size} bytes`, {
      hint: 'check that recal wrote it; if not, move it away',
      where: { file: path },
    });
  } finally {
    await file.close();
  }
}
