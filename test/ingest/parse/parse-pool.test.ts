import { afterEach, expect, it } from 'vitest';
import type * as Pools from '../../../src/ingest/parse/parse-pool.js';
import { built } from '../../built.js';

// Worker threads need built files, so this test imports the pool from dist/.
const { ParsePool } = (await import(built('ingest/parse/parse-pool.js'))) as typeof Pools;

const BLOCK_BYTES = 1 << 16;
const LINE = Buffer.from('type=EOE msg=audit(1700000000.123:42): \n');
let pool: Pools.ParsePool;

afterEach(() => pool.close());

/** Parses blocks, two at a time, and stays busy for a while after each. */
async function parse(blocks: number, busyMs: number): Promise<void> {
  let before: Promise<unknown> = Promise.resolve();
  for (let i = 0; i < blocks; i++) {
    const lease = await pool.acquire();
    lease.bytes.set(LINE);
    const parsed = lease.parse('auditd', LINE.length);
    await before;
    before = parsed;
    const end = performance.now() + busyMs;
    while (performance.now() < end);
  }
  await before;
}

it('starts with one thread, and with none if it must parse in the thread of the caller', async () => {
  pool = new ParsePool(0, BLOCK_BYTES, { maxLine: 1000 });
  expect(pool.threads).toBe(0);
  pool = new ParsePool(4, BLOCK_BYTES, { maxLine: 1000 });
  expect(pool.threads).toBe(1);
});

it('adds no thread for a caller that is busy itself', async () => {
  pool = new ParsePool(4, BLOCK_BYTES, { maxLine: 1000 });
  await parse(20, 10);
  expect(pool.threads).toBe(1);
});

it('adds threads while the caller waits, up to the number that was asked for', async () => {
  pool = new ParsePool(2, BLOCK_BYTES, { maxLine: 1000 });
  const leases = [await pool.acquire(), await pool.acquire()];
  for (let round = 0; round < 6; round++) {
    const parsed = leases.splice(0).map((lease) => {
      lease.bytes.set(LINE);
      return lease.parse('auditd', LINE.length);
    });
    await new Promise((resolve) => setTimeout(resolve, 20)); // the caller has nothing to do
    await Promise.all(parsed);
    leases.push(await pool.acquire(), await pool.acquire());
  }
  leases.push(await pool.acquire());
  expect(pool.threads).toBe(2);
  void pool.acquire();
  void pool.acquire().catch(() => undefined);
  expect(pool.threads).toBe(2);
});

it('starts threads at once for a format whose parsing is the slowest stage', async () => {
  pool = new ParsePool(3, BLOCK_BYTES, { maxLine: 1000 });
  const leases = [await pool.acquire(), await pool.acquire()];
  const waiting = pool.acquire();
  pool.start(2, 'auditd');
  expect(pool.threads).toBe(2);
  leases.push(await waiting);
  const parsed = leases.map((lease) => {
    lease.bytes.set(LINE);
    return lease.parse('auditd', LINE.length);
  });
  expect((await Promise.all(parsed)).map((batch) => batch.lines)).toEqual([1, 1, 1]);
  pool.start(2, 'auditd');
  expect(pool.threads).toBe(2);
});
