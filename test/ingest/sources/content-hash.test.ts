import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ContentHash, FIRST_CHECKPOINT } from '../../../src/ingest/sources/content-hash.js';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('a fingerprint is the same for all ways to cut the bytes', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 3000 }),
      fc.array(fc.nat(3000), { maxLength: 5 }),
      fc.array(fc.nat(3000), { maxLength: 5 }),
      (bytes, cuts, positions) => {
        const hash = new ContentHash(positions);
        let from = 0;
        for (const cut of [...cuts.sort((a, b) => a - b), bytes.length]) {
          hash.update(bytes.subarray(from, cut));
          from = Math.max(from, Math.min(cut, bytes.length));
        }
        const print = hash.finish();
        const last = bytes.lastIndexOf(0x0a) + 1;
        expect(print).toMatchObject({ bytes: bytes.length, sha256: sha256(bytes) });
        expect(print.lines).toEqual({ bytes: last, sha256: sha256(bytes.subarray(0, last)) });
        print.checkpoints.forEach((hash, at) => {
          expect(hash).toBe(sha256(bytes.subarray(0, FIRST_CHECKPOINT * 2 ** at)));
        });
        expect(FIRST_CHECKPOINT * 2 ** print.checkpoints.length).toBeGreaterThan(bytes.length);
        for (const position of positions)
          expect(print.at.get(position)).toBe(
            position <= bytes.length ? sha256(bytes.subarray(0, position)) : undefined,
          );
      },
    ),
  );
});
