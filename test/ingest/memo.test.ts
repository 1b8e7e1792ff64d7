import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntityKey } from '../../src/ingest/entity-key.js';
import { Memo, SAID_AGAIN, SAID_LATE, SAID_NEW } from '../../src/ingest/memo.js';

const buffer = Buffer.from('alpha beta alpha beta alphA');
const ALPHA = [0, 5] as const;
const BETA = [6, 10] as const;
const ALPHA_AGAIN = [11, 16] as const;
const ALPHA_LIKE = [22, 27] as const;

function key(w0: number, w1 = 0, w2 = 0, w3 = 0): EntityKey {
  return Object.assign(new EntityKey(), { w0, w1, w2, w3 });
}

/** A memo in its first block. */
function memo(): Memo {
  const fresh = new Memo();
  fresh.beginBlock();
  return fresh;
}

/** Says bytes of the buffer of an entity's field. */
function say(
  known: Memo,
  of: EntityKey,
  field: number,
  [start, stop]: readonly [number, number],
  time: number,
  row = 0,
) {
  return known.note(of, field, buffer, start, stop, true, time, row);
}

describe('what was said before', () => {
  it('is known by its text, not its place', () => {
    const known = memo();
    expect(say(known, key(1), 0, ALPHA, 1)).toBe(SAID_NEW);
    expect(say(known, key(1), 0, ALPHA_AGAIN, 1)).toBe(SAID_AGAIN);
    expect(say(known, key(1), 0, ALPHA_LIKE, 1)).toBe(SAID_NEW);
    expect(say(known, key(1), 0, BETA, 1)).toBe(SAID_NEW);
    expect(say(known, key(1), 0, [0, 4], 1)).toBe(SAID_NEW);
  });

  it('is what was said last', () => {
    const known = memo();
    const said = [ALPHA, BETA, ALPHA_AGAIN].map((text, i) => say(known, key(1), 0, text, i));
    expect(said).toEqual([SAID_NEW, SAID_NEW, SAID_NEW]);
  });

  it('is of one entity and one field', () => {
    const known = memo();
    say(known, key(1, 2, 3, 4), 0, ALPHA, 1);
    expect(say(known, key(1, 2, 3, 4), 1, ALPHA, 1)).toBe(SAID_NEW);
    for (const other of [key(2, 2, 3, 4), key(1, 3, 3, 4), key(1, 2, 4, 4), key(1, 2, 3, 5)])
      expect(say(known, other, 0, ALPHA, 1)).toBe(SAID_NEW);
  });

  it('is forgotten with its block', () => {
    const known = memo();
    say(known, key(1), 0, ALPHA, 1);
    known.beginBlock();
    expect(say(known, key(1), 0, ALPHA, 1)).toBe(SAID_NEW);
    expect(say(known, key(1), 0, ALPHA, 1)).toBe(SAID_AGAIN);
  });

  it('is said again where it comes late', () => {
    const known = memo();
    say(known, key(1), 0, ALPHA, 100);
    expect(say(known, key(1), 0, ALPHA, 200)).toBe(SAID_AGAIN);
    expect(say(known, key(1), 0, ALPHA, 50)).toBe(SAID_NEW);
  });

  it('still holds when something else is said late', () => {
    const known = memo();
    say(known, key(1), 0, ALPHA, 100, 1);
    say(known, key(1), 0, ALPHA_AGAIN, 300, 3);
    expect(say(known, key(1), 0, BETA, 200, 4)).toBe(SAID_LATE);
    expect([known.start, known.stop, known.row]).toEqual([...ALPHA, 3]);
    expect(say(known, key(1), 0, ALPHA, 400, 5)).toBe(SAID_AGAIN);
  });

  it('is never claimed of what was not', () => {
    const texts = [ALPHA, BETA, ALPHA_LIKE];
    const said = fc.record({ id: fc.nat(5), field: fc.nat(2), text: fc.nat(2), step: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(said, { maxLength: 60 }), (list) => {
        const known = memo();
        const last = new Map<string, number>();
        let time = 0;
        for (const { id, field, text, step } of list) {
          time += step;
          const of = `${id}/${field}`;
          // It may forget, but it may not invent.
          if (say(known, key(id * 0x10001, id), field, texts[text], time) === SAID_AGAIN)
            expect(last.get(of)).toBe(text);
          last.set(of, text);
        }
      }),
      { numRuns: 300 },
    );
  });
});
