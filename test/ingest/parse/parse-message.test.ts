import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Batch, setKey, TEXT_NAME } from '../../../src/ingest/batch.js';
import { EntityKey } from '../../../src/ingest/entity-key.js';
import { packBatch, unpackBatch } from '../../../src/ingest/parse/parse-message.js';
import { decode } from '../records.js';

/** Fills every column of a batch. */
function fill(batch: Batch, names: readonly string[]): Batch {
  batch.symbols = ['rel', 'host', 'kind'];
  for (const [i, name] of names.entries()) {
    const key = Object.assign(new EntityKey(), { w0: i + 1, w1: -i, w2: i * 7, w3: -1 });
    const row = batch.addEvent();
    batch.ts[row] = 2n ** 62n + BigInt(i);
    batch.tsDigits[row] = 19;
    batch.seq[row] = -BigInt(i);
    for (const column of [batch.subject, batch.object, batch.object2]) setKey(column, row, key);
    batch.relation[row] = 0;
    batch.host[row] = 1;
    batch.flow[row] = i % 3;
    batch.ok[row] = (i + 1) % 3;
    batch.line[row] = i;
    if (i % 2 === 0) batch.attrs.push({ row, json: JSON.stringify({ i, name }) });
    const at = batch.addUpsert(key, 1, row);
    Object.assign(key, { w0: 9, w1: i });
    setKey(batch.upsertParent, at, key);
    setKey(batch.upsertUser, at, key);
    batch.upsertType[at] = (i % 10) + 1;
    batch.upsertKind[at] = 2;
    batch.upsertPid[at] = i;
    batch.upsertRank[at] = i % 3;
    batch.setText(at, TEXT_NAME, name);
  }
  batch.hostNames.set('host', 'name');
  batch.skip('why');
  batch.count('Event');
  batch.problem({ line: names.length, code: 'record', reason: 'reason', sample: 'sample' });
  batch.lines = names.length + 1;
  return batch;
}

/** Returns the batch as the other thread receives it. */
function send(block: number, batch: Batch, memory?: ArrayBuffer): { block: number; batch: Batch } {
  const result = packBatch(block, batch, memory);
  const sent = structuredClone(result, { transfer: [result.columns] });
  return { block: sent.block, batch: unpackBatch(sent) };
}

describe('a batch sent to another thread', () => {
  it('is the same there', () => {
    const names = fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 30 });
    fc.assert(
      fc.property(names, fc.nat(7), (texts, block) => {
        const batch = fill(new Batch(), texts);
        const arrived = send(block, batch);
        expect(arrived.block).toBe(block);
        expect(arrived.batch).toBeInstanceOf(Batch);
        expect(decode([arrived.batch])).toEqual(decode([batch]));
      }),
      { numRuns: 100 },
    );
  });

  it('does not change when the first thread fills its batch again', () => {
    const batch = fill(new Batch(), ['a', 'bb', 'ccc']);
    const arrived = send(0, batch).batch;
    const before = decode([arrived]);
    batch.clear();
    fill(batch, ['x', 'y', 'z', 'more']);
    expect(decode([arrived])).toEqual(before);
    expect(decode([send(0, batch).batch])).toEqual(decode([fill(new Batch(), ['x', 'y', 'z', 'more'])]));
  });

  it('has room for the texts of an assembler, and its own texts stay', () => {
    const batch = fill(new Batch(), ['a', 'bb', 'ccc']);
    batch.extendTape(2);
    const arrived = send(0, batch).batch;
    const { text } = arrived;
    arrived.setText(0, TEXT_NAME, 'longer than before');
    expect(arrived.text).toBe(text);
    expect([0, 1, 2].map((at) => arrived.textOf(at, TEXT_NAME))).toEqual(['longer than before', 'bb', 'ccc']);
  });

  it('has room for the events of an assembler, and its own events stay', () => {
    const batch = fill(new Batch(), ['a', 'bb', 'ccc']);
    batch.eventRoom = 2;
    batch.upsertRoom = 2;
    const arrived = send(0, batch).batch;
    const { ts, upsertKey } = arrived;
    fill(arrived, ['d', 'ee']);
    expect([arrived.ts, arrived.upsertKey]).toEqual([ts, upsertKey]);
    expect(arrived.ts).toBe(ts);
    const all = decode([fill(fill(new Batch(), ['a', 'bb', 'ccc']), ['d', 'ee'])]);
    expect(decode([arrived])).toEqual(all);
    arrived.tsWords[0] = 7;
    expect(arrived.ts[0] & 0xffffffffn).toBe(7n);
    expect(decode([fill(arrived, ['beyond the room'])]).events).toHaveLength(6);
  });

  it('uses memory of an earlier one, whatever that holds, if it is large enough', () => {
    const names = ['a', 'bb', 'ccc'];
    const earlier = send(0, fill(new Batch(), ['other', 'names', 'before', 'these'])).batch;
    const memory = earlier.memory as ArrayBuffer;
    new Uint8Array(memory).fill(0xaa);
    const { batch } = send(0, fill(new Batch(), names), memory);
    expect(decode([batch])).toEqual(decode([fill(new Batch(), names)]));
    expect(memory.byteLength).toBe(0); // it was sent
    const { batch: fresh } = send(0, fill(new Batch(), names), new ArrayBuffer(8));
    expect(decode([fresh])).toEqual(decode([batch]));
  });

  it('may be empty', () => expect(decode([send(1, new Batch()).batch])).toEqual(decode([new Batch()])));
});
