import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Batch } from '../../../src/ingest/batch.js';
import { EntityKey } from '../../../src/ingest/entity-key.js';
import { UpsertCache } from '../../../src/ingest/formats/upsert-cache.js';

const buffer = Buffer.from('alpha beta alpha beta alphA');
const ALPHA = [0, 5] as const;
const BETA = [6, 10] as const;
const ALPHA_AGAIN = [11, 16] as const;
const ALPHA_LIKE = [22, 27] as const;

function key(w0: number, w1 = 0, w2 = 0, w3 = 0): EntityKey {
  return Object.assign(new EntityKey(), { w0, w1, w2, w3 });
}

/** Uses the cache like a reader in its first block. */
class CacheUser {
  readonly upsertCache = new UpsertCache();
  readonly batch = new Batch();

  constructor() {
    this.upsertCache.beginBlock();
  }

  /** Returns true if the value needs a new upsert. */
  upsert(of: EntityKey, attribute: number, [start, stop]: readonly [number, number], time: number): boolean {
    const row = this.batch.addEvent();
    this.batch.ts[row] = BigInt(time);
    this.batch.seq[row] = 0n;
    if (this.upsertCache.find(of, attribute, buffer, start, stop)) {
      this.upsertCache.extend(this.batch, row);
      return false;
    }
    this.upsertCache.add(of, attribute, start, stop, this.batch.addUpsert(of, 0, row));
    return true;
  }

  /** Returns the first and last event of each upsert. */
  spans(): number[][] {
    const { upserts, upsertRow, upsertLast } = this.batch;
    return Array.from({ length: upserts }, (_, i) => [upsertRow[i], upsertLast[i]]);
  }
}

describe('a cached upsert', () => {
  it('is found by its text, not by its position', () => {
    const user = new CacheUser();
    expect(user.upsert(key(1), 0, ALPHA, 1)).toBe(true);
    expect(user.upsert(key(1), 0, ALPHA_AGAIN, 1)).toBe(false);
    expect(user.upsert(key(1), 0, ALPHA_LIKE, 1)).toBe(true);
    expect(user.upsert(key(1), 0, BETA, 1)).toBe(true);
    expect(user.upsert(key(1), 0, [0, 4], 1)).toBe(true);
  });

  it('is the last one only', () => {
    const user = new CacheUser();
    expect([ALPHA, BETA, ALPHA_AGAIN].map((text, i) => user.upsert(key(1), 0, text, i))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('belongs to one entity and one attribute', () => {
    const user = new CacheUser();
    user.upsert(key(1, 2, 3, 4), 0, ALPHA, 1);
    expect(user.upsert(key(1, 2, 3, 4), 1, ALPHA, 1)).toBe(true);
    for (const other of [key(2, 2, 3, 4), key(1, 3, 3, 4), key(1, 2, 4, 4), key(1, 2, 3, 5)])
      expect(user.upsert(other, 0, ALPHA, 1)).toBe(true);
  });

  it('is removed with its block', () => {
    const user = new CacheUser();
    user.upsert(key(1), 0, ALPHA, 1);
    user.upsertCache.beginBlock();
    expect(user.upsert(key(1), 0, ALPHA, 1)).toBe(true);
    expect(user.upsert(key(1), 0, ALPHA, 1)).toBe(false);
  });

  it('keeps its first and last event, also out of order', () => {
    const user = new CacheUser();
    user.upsert(key(1), 0, ALPHA, 100);
    user.upsert(key(1), 0, ALPHA_AGAIN, 300);
    user.upsert(key(1), 0, ALPHA, 200);
    user.upsert(key(1), 0, ALPHA, 50);
    expect(user.spans()).toEqual([[3, 1]]);
  });

  it('keeps its events when another value is late', () => {
    const user = new CacheUser();
    user.upsert(key(1), 0, ALPHA, 100);
    user.upsert(key(1), 0, ALPHA_AGAIN, 300);
    user.upsert(key(1), 0, BETA, 200);
    expect(user.spans()).toEqual([
      [0, 1],
      [2, 2],
    ]);
  });

  it('is never found for another value', () => {
    const texts = [ALPHA, BETA, ALPHA_LIKE];
    const value = fc.record({ id: fc.nat(5), field: fc.nat(2), text: fc.nat(2), step: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 60 }), (list) => {
        const user = new CacheUser();
        const last = new Map<string, number>();
        let time = 0;
        for (const { id, field, text, step } of list) {
          time += step;
          const of = `${id}/${field}`;
          // The cache may miss a repetition, but must not find one that does not exist.
          if (!user.upsert(key(id * 0x10001, id), field, texts[text], time)) expect(last.get(of)).toBe(text);
          last.set(of, text);
        }
      }),
      { numRuns: 300 },
    );
  });
});
