import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Batch, NO_SYMBOL, setKey, TEXT_NAME } from '../../src/ingest/batch.js';
import { EntityKey, formatKey } from '../../src/ingest/entity-key.js';

const PROBLEMS_KEPT = 10;
const TEXT_FIELDS = ['id', 'name', 'cmd', 'local'];
const KEY = Object.assign(new EntityKey(), { w0: -1, w1: 2, w2: -3, w3: 4 });

describe('events', () => {
  it('keep their values when the columns grow', () => {
    const batch = new Batch();
    for (let i = 0; i < 20_000; i++) {
      const row = batch.addEvent();
      if (row !== i) throw new Error(`row ${row} instead of ${i}`);
      batch.tsWords[row * 2] = i;
      batch.tsWords[row * 2 + 1] = 1;
      batch.seqWords[row * 2] = ~i;
      batch.seqWords[row * 2 + 1] = 0xffffffff;
      batch.relation[row] = i & 0xff;
      batch.line[row] = i;
      setKey(batch.subject, row, KEY);
    }
    for (const i of [0, 1023, 1024, 4095, 4096, 19_999]) {
      expect(batch.ts[i]).toBe(2n ** 32n + BigInt(i));
      expect(batch.seq[i]).toBe(-BigInt(i) - 1n);
      expect([batch.relation[i], batch.line[i]]).toEqual([i & 0xff, i]);
    }
    expect(batch.subject.length).toBe(batch.ts.length * 4);
  });
});

describe('texts of upserts', () => {
  it('are absent at first', () => {
    const batch = new Batch();
    const at = batch.addUpsert(KEY, NO_SYMBOL, -1);
    for (const field of TEXT_FIELDS.keys()) expect(batch.textOf(at, field)).toBeUndefined();
    expect([batch.upsertType[at], batch.upsertKind[at], batch.upsertPid[at]]).toEqual([0, NO_SYMBOL, -1]);
  });

  it('are returned as set, in any order and of any length', () => {
    const text = fc.oneof(
      { weight: 20, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
      { weight: 1, arbitrary: fc.constantFrom('x'.repeat(70_000), 'é'.repeat(40_000)) },
    );
    const entry = fc.record({ field: fc.nat(TEXT_FIELDS.length - 1), text });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), (entries) => {
        const batch = new Batch();
        const ascii = entries.map(({ text: value }) => /^[\x00-\x7f]*$/.test(value));
        for (const [i, { field, text: value }] of entries.entries()) {
          const at = batch.addUpsert(KEY, 0, -1);
          const bytes = Buffer.from(`<${value}>`);
          if (ascii[i]) batch.setAscii(at, field, bytes, 1, bytes.length - 1);
          else batch.setText(at, field, value);
        }
        for (const [i, { field, text: value }] of entries.entries()) {
          for (const other of TEXT_FIELDS.keys())
            expect(batch.textOf(i, other)).toBe(other === field ? value : undefined);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('are counted if they are not valid', () => {
    const batch = new Batch();
    const at = batch.addUpsert(KEY, 0, -1);
    batch.setText(at, TEXT_NAME, 'é');
    expect(batch.badText).toBe(0);
    batch.setText(at, TEXT_NAME, 'a\ud800');
    expect(batch.badText).toBe(1);
    expect(batch.textOf(at, TEXT_NAME)).toBe('a\ufffd');
    batch.setText(at, TEXT_NAME, 'b\ufffd');
    expect(batch.badText).toBe(2);
  });
});

describe('counters', () => {
  it('count all problems and describe the first ones', () => {
    const batch = new Batch();
    for (let i = 0; i < 25; i++)
      batch.problem({ line: i, code: 'record', reason: `reason ${i}`, sample: '' });
    expect(batch.malformed).toBe(25);
    expect(batch.problems.map((p) => p.line)).toEqual([...Array(PROBLEMS_KEPT).keys()]);
  });

  it('are reset when the batch is cleared', () => {
    const batch = new Batch();
    const { capacity, ...fresh } = { capacity: 0, ...new Batch() };
    expect(capacity).toBe(0);
    batch.addEvent();
    batch.setText(batch.addUpsert(KEY, 0, 0), TEXT_NAME, 'x\ufffd');
    batch.attrs.push({ row: 0, json: '{}' });
    batch.hostNames.set('h', 'n');
    batch.problem({ line: 1, code: 'record', reason: 'r', sample: 's' });
    batch.skip('why');
    batch.count('Event');
    Object.assign(batch, { lines: 5, blank: 1 });
    batch.clear();
    for (const [name, value] of Object.entries(fresh)) {
      if (!ArrayBuffer.isView(value)) expect(batch[name as keyof Batch], name).toEqual(value);
    }
  });
});

describe('keys', () => {
  it('are formatted as UUIDs in upper case', () => {
    expect(formatKey(KEY.w0, KEY.w1, KEY.w2, KEY.w3)).toBe('FFFFFFFF-0000-0002-FFFF-FFFD00000004');
    expect(formatKey(0, 0, 0, 0)).toBe('00000000-0000-0000-0000-000000000000');
  });

  it('are stored with the low half first and the top bit flipped, as in DuckDB', () => {
    const column = new Uint32Array(8);
    setKey(column, 1, KEY);
    expect([...column]).toEqual([0, 0, 0, 0, 4, 0xfffffffd, 2, 0x7fffffff]);
  });

  it('of other identifiers are the first half of their SHA-256', () => {
    const key = new EntityKey();
    key.hash(Buffer.from('abc'));
    expect(formatKey(key.w0, key.w1, key.w2, key.w3)).toBe('BA7816BF-8F01-CFEA-4141-40DE5DAE2223');
    expect(key.absent).toBe(false);
    key.clear();
    expect(key.absent).toBe(true);
  });
});
