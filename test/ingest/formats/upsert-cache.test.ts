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

/** A reader in its first block: says things of entities and gives the upserts that came of it. */
class Speaker {
  readonly upsertCache = new UpsertCache();
  readonly batch = new Batch();

  constructor() {
    this.upsertCache.beginBlock();
  }

  /** True if it was news. */
  say(of: EntityKey, what: number, [start, stop]: readonly [number, number], time: number): boolean {
    const row = this.batch.addEvent();
    this.batch.ts[row] = BigInt(time);
    this.batch.seq[row] = 0n;
    if (this.upsertCache.knows(of, what, buffer, start, stop)) {
      this.upsertCache.extend(this.batch, row);
      return false;
    }
    this.upsertCache.remember(of, what, start, stop, this.batch.addUpsert(of, 0, row));
    return true;
  }

  /** First and last event of each upsert. */
  spans(): number[][] {
    const { upserts, upsertRow, upsertLast } = this.batch;
    return Array.from({ length: upserts }, (_, i) => [upsertRow[i], upsertLast[i]]);
  }
}

describe('what was said before', () => {
  it('is known by its text, not its place', () => {
    const speaker = new Speaker();
    expect(speaker.say(key(1), 0, ALPHA, 1)).toBe(true);
    expect(speaker.say(key(1), 0, ALPHA_AGAIN, 1)).toBe(false);
    expect(speaker.say(key(1), 0, ALPHA_LIKE, 1)).toBe(true);
    expect(speaker.say(key(1), 0, BETA, 1)).toBe(true);
    expect(speaker.say(key(1), 0, [0, 4], 1)).toBe(true);
  });

  it('is what was said last', () => {
    const speaker = new Speaker();
    expect([ALPHA, BETA, ALPHA_AGAIN].map((text, i) => speaker.say(key(1), 0, text, i))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('is of one entity and one field', () => {
    const speaker = new Speaker();
    speaker.say(key(1, 2, 3, 4), 0, ALPHA, 1);
    expect(speaker.say(key(1, 2, 3, 4), 1, ALPHA, 1)).toBe(true);
    for (const other of [key(2, 2, 3, 4), key(1, 3, 3, 4), key(1, 2, 4, 4), key(1, 2, 3, 5)])
      expect(speaker.say(other, 0, ALPHA, 1)).toBe(true);
  });

  it('is forgotten with its block', () => {
    const speaker = new Speaker();
    speaker.say(key(1), 0, ALPHA, 1);
    speaker.upsertCache.beginBlock();
    expect(speaker.say(key(1), 0, ALPHA, 1)).toBe(true);
    expect(speaker.say(key(1), 0, ALPHA, 1)).toBe(false);
  });

  it('keeps the first and the last time it was said, also out of order', () => {
    const speaker = new Speaker();
    speaker.say(key(1), 0, ALPHA, 100);
    speaker.say(key(1), 0, ALPHA_AGAIN, 300);
    speaker.say(key(1), 0, ALPHA, 200);
    speaker.say(key(1), 0, ALPHA, 50);
    expect(speaker.spans()).toEqual([[3, 1]]);
  });

  it('still has its time when something else is said late', () => {
    const speaker = new Speaker();
    speaker.say(key(1), 0, ALPHA, 100);
    speaker.say(key(1), 0, ALPHA_AGAIN, 300);
    speaker.say(key(1), 0, BETA, 200);
    expect(speaker.spans()).toEqual([
      [0, 1],
      [2, 2],
    ]);
  });

  it('is never claimed of what was not', () => {
    const texts = [ALPHA, BETA, ALPHA_LIKE];
    const said = fc.record({ id: fc.nat(5), field: fc.nat(2), text: fc.nat(2), step: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(said, { maxLength: 60 }), (list) => {
        const speaker = new Speaker();
        const last = new Map<string, number>();
        let time = 0;
        for (const { id, field, text, step } of list) {
          time += step;
          const of = `${id}/${field}`;
          // It may forget, but it may not invent.
          if (!speaker.say(key(id * 0x10001, id), field, texts[text], time)) expect(last.get(of)).toBe(text);
          last.set(of, text);
        }
      }),
      { numRuns: 300 },
    );
  });
});
