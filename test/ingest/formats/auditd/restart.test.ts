import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Batch } from '../../../../src/ingest/batch.js';
import { AuditAssembler } from '../../../../src/ingest/formats/auditd/audit-assembler.js';
import { AuditdReader } from '../../../../src/ingest/formats/auditd/auditd-reader.js';
import { fixtureLog } from '../../../fixture-logs.js';
import { type Decoded, decode, mergeEntities } from '../../records.js';
import { AuditLog, cwd, path } from './audit-lines.js';

const FIXTURE = fixtureLog('auditd-raw');

/** Reads pieces as several ingests do: each one restores the state of the one before from JSON. */
function readPieces(pieces: readonly string[]): Decoded {
  let saved: unknown;
  const batches: Batch[] = [];
  for (const piece of pieces) {
    const assembler = new AuditAssembler(saved);
    assembler.beginFile();
    const batch = new Batch();
    const bytes = Buffer.from(piece);
    new AuditdReader({ maxLine: 1 << 20 }).read(bytes, bytes.length, batch);
    assembler.take(batch);
    const last = new Batch();
    assembler.finish(last);
    batches.push(batch, last);
    saved = JSON.parse(JSON.stringify(assembler.save()));
  }
  return decode(batches);
}

function meaning({ events, upserts, losses }: Decoded): unknown {
  return {
    events,
    entities: mergeEntities(upserts),
    lost: losses.reduce((sum, { records }) => sum + records, 0),
  };
}

describe('an audit log in pieces', () => {
  it('gives the same as the whole, wherever it is cut', () => {
    const lines = FIXTURE.trimEnd()
      .split('\n')
      .map((line) => `${line}\n`);
    const whole = meaning(readPieces([FIXTURE]));
    // Only a whole event shows that this log ends its events, and so whether another one was cut.
    const place = fc.integer({ min: 3, max: lines.length });
    fc.assert(
      fc.property(place, place, (a, b) => {
        const [first, second] = [Math.min(a, b), Math.max(a, b)];
        const pieces = [lines.slice(0, first), lines.slice(first, second), lines.slice(second)];
        expect(meaning(readPieces(pieces.map((piece) => piece.join(''))))).toEqual(whole);
      }),
      { numRuns: 150 },
    );
  });

  it('starts anew if a piece is from an earlier time', () => {
    const unlink = (ms: number) => ({ ms, records: [cwd('/'), path(0, '/a', 'DELETE')] });
    const late = new AuditLog().call('unlink', unlink(60_000));
    const early = new AuditLog().call('unlink', unlink(1));
    const { events } = readPieces([late.text, early.text, late.text]);
    expect(events.map(({ subj }) => subj?.id)).toEqual([
      'pid:100@1700000060000000000',
      'pid:100@1700000000001000000',
      'pid:100@1700000000001000000',
    ]);
  });

  it('starts anew from a state of another version', () => {
    for (const saved of [undefined, null, 7, {}, { kernel: { version: 99, hosts: [] } }, { audit: {} }])
      expect(() => new AuditAssembler(saved)).not.toThrow();
  });
});
