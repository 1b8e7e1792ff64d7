import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparePartNames, partOf } from '../../../src/ingest/sources/part-order.js';

describe('partOf', () => {
  it.each([
    ['X.json', 'X.json', 0],
    ['X.json.0', 'X.json', 0],
    ['X.json.10', 'X.json', 10],
    ['d/X.json.2.gz', 'd/X.json', 2],
    ['X.json.2.zst', 'X.json', 2],
    ['X.json.tar.gz', 'X.json', 0],
    ['X.json.3.tgz', 'X.json', 3],
    ['X.json.3.tar.gz', 'X.json', 3],
    ['audit.log.1', 'audit.log', -1],
    ['audit.log.12.gz', 'audit.log', -12],
    ['audit.log.gz', 'audit.log', 0],
    ['audit.log.20240101', 'audit.log.20240101', 0],
    ['trace.1', 'trace.1', 0],
    ['X.json.bak', 'X.json.bak', 0],
    ['7', '7', 0],
  ])('%s', (name, topic, part) => expect(partOf(name)).toEqual({ topic, part }));
});

describe('comparePartNames', () => {
  const ordered = [
    'a/ta1-cadets-e3-official.json',
    'a/ta1-cadets-e3-official.json.1.gz',
    'a/ta1-cadets-e3-official.json.2',
    'a/ta1-cadets-e3-official.json.10.tar.gz',
    'a/ta1-cadets-e3-official-1.json.0',
    'a/ta1-cadets-e3-official-1.json.1',
    'a/ta1-cadets-e3-official-2.json',
    'a/ta1-cadets-e3-official-10.json',
    'a/ta1-theia-e3-official-1r.json',
    'a/b/ta1.json',
    'a-b/ta1.json',
    'a2/audit.log.10.gz',
    'a2/audit.log.2',
    'a2/audit.log.1',
    'a2/audit.log',
    'a10/audit.log',
  ];

  it('orders folders and topics naturally and parts by number', () => {
    expect([...ordered].reverse().sort(comparePartNames)).toEqual(ordered);
  });

  it('gives the same order for every permutation', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(ordered, { minLength: ordered.length }), (shuffled) => {
        expect(shuffled.sort(comparePartNames)).toEqual(ordered);
      }),
    );
  });

  it('is a total order on any names', () => {
    const name = fc.string({ unit: fc.constantFrom(...'ab019.-/', '.json', '.gz', '.1'), maxLength: 8 });
    fc.assert(
      fc.property(name, name, name, (a, b, c) => {
        expect(Math.sign(comparePartNames(a, b))).toBe(-Math.sign(comparePartNames(b, a)) + 0);
        expect(comparePartNames(a, b) === 0).toBe(a === b);
        const [x, y, z] = [a, b, c].sort(comparePartNames);
        expect(comparePartNames(x, y)).toBeLessThanOrEqual(0);
        expect(comparePartNames(y, z)).toBeLessThanOrEqual(0);
        expect(comparePartNames(x, z)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2000 },
    );
  });
});
