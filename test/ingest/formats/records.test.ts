import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TimeReader } from '../../../src/ingest/formats/records/time-reader.js';
import { parseRfc3339 } from '../../../src/ingest/time.js';
import { fixtureLog } from '../../fixture-logs.js';
import { readBlocks } from '../records.js';

// Formats whose records are whole events: hostile records and what they share.

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const fixture = (name: string): string[] => fixtureLog(name).trimEnd().split('\n');

const ODD: Json[] = [
  null,
  true,
  -1,
  1e300,
  0.5,
  '',
  '\ud800',
  'x'.repeat(5000),
  '9'.repeat(30),
  [],
  [[]],
  {},
  [{}],
];

/** Replaces one value somewhere in a record. */
function replace(record: Json, path: readonly number[], value: Json): Json {
  if (path.length === 0 || typeof record !== 'object' || record === null) return value;
  const [at, ...rest] = path;
  if (Array.isArray(record))
    return record.map((item, i) => (i === at % record.length ? replace(item, rest, value) : item));
  const keys = Object.keys(record);
  const key = keys[at % keys.length];
  return { ...record, [key]: replace(record[key], rest, value) };
}

describe.each(['tetragon', 'ecar', 'ecs', 'ocsf', 'falco'])('%s', (name) => {
  const lines = fixture(name);

  it('accounts for every record, whatever is in its fields', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(lines.length - 1),
        fc.array(fc.nat(20), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(...ODD),
        async (which, path, value) => {
          const damaged = JSON.stringify(replace(JSON.parse(lines[which]) as Json, path, value));
          const { counts, lines: found, skipped, losses } = await readBlocks(damaged, name);
          const skips = Object.values(skipped).reduce((sum, count) => sum + count, 0);
          expect(new Set(found).size + counts.malformed + skips + Math.min(losses.length, 1)).toBe(1);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('does not repeat what it has said of an entity in a block', async () => {
    const once = await readBlocks(lines.join('\n'), name);
    const often = await readBlocks(`${lines.join('\n')}\n`.repeat(20), name);
    expect(often.events.length).toBe(20 * once.events.length);
    expect(often.upserts.length).toBeLessThan(10 * once.upserts.length);
  });
});

describe('TimeReader', () => {
  const text = fc
    .tuple(
      fc.constantFrom('2024-02-29', '2024-03-01', '1969-12-31', '2262-04-11', '1677-09-21'),
      fc.constantFrom('T', 't', ' '),
      fc.constantFrom('23:59:59', '23:59:60', '24:00:00', '12:60:00', '00:00:00', '1:2:3', '0a:00:00'),
      fc.integer({ min: 0, max: 3 }),
      fc.stringMatching(/^(\.\d{0,10})?$/),
      fc.constantFrom('Z', '+01:00', '-2330', '', 'z'),
    )
    .map(([date, between, time, second, fraction, zone]) =>
      second === 0
        ? `${date}${between}${time}${fraction}${zone}`
        : `2024-02-29T23:5${second}:5${second}${fraction}${zone}`,
    );
  const anything = fc.oneof(text, fc.constantFrom('', 'Z', '2024-02-30T00:00:00.1Z', 'x'.repeat(40)));

  it.each(['', 'Z'])('agrees with parseRfc3339, whatever came before (default zone %j)', (zone) => {
    const reader = new TimeReader(zone);
    const hasZone = /([Zz]|[+-]\d\d:?\d\d)$/;
    fc.assert(
      fc.property(anything, fc.nat(3), (value, before) => {
        const bytes = Buffer.from(`${' '.repeat(before)}${value}Z.9`);
        const time = parseRfc3339(hasZone.test(value) ? value : `${value}${zone}`);
        expect(reader.readBytes(bytes, before, before + value.length)).toBe(time);
        expect(reader.read(value)).toBe(time);
      }),
      { numRuns: 3000 },
    );
  });
});
