import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Event } from '../../../../src/ingest/event.js';
import { percentDecoded } from '../../../../src/ingest/formats/audit-json/percent-text.js';
import { fixtureLog } from '../../../fixture-logs.js';
import { type Decoded, mergeEntities, readBlocks } from '../../records.js';

/** Events by what they say, whatever the order of the lines was. */
const sayings = ({ events }: Decoded): string[] =>
  events.map(({ seq: _, ...event }: Event) => JSON.stringify({ ...event, ts: String(event.ts) })).sort();

describe('laurel', () => {
  it('gives the events and entities of the audit log that it was made from', async () => {
    const text = await readBlocks(fixtureLog('auditd-raw'), 'auditd');
    const json = await readBlocks(fixtureLog('laurel'), 'laurel');
    expect(json.counts.malformed).toBe(0);
    expect(sayings(json)).toEqual(sayings(text));
    expect(mergeEntities(json.upserts)).toEqual(mergeEntities(text.upserts));
  });

  it('decodes percent signs to bytes', () => {
    const decoded = (text: string): string => Buffer.from(percentDecoded(text)).toString('utf8');
    expect(decoded('a%20b%2B%25')).toBe('a b+%');
    expect(decoded('%c3%bc %zz %4')).toBe('ü %zz %4');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
        expect(percentDecoded(text)).toEqual(bytes);
      }),
    );
  });

  it.each([
    ['{"ID":"1.1:1"}', { notACall: 1 }],
    ['{"ID":"1.1:1","SYSCALL":{}}', undefined],
    ['{"ID":"1.1:1","SYSCALL":{"arch":"0xc000003e","syscall":59,"pid":4294967295}}', undefined],
    [
      '{"ID":"1.1:1","SYSCALL":{"pid":7,"syscall":"x"},"PATH":[null,1,{"name":[]}],"SOCKADDR":[{}]}',
      undefined,
    ],
    ['{"ID":"1.1:1","USER_LOGIN":[]}', undefined],
  ])('%s is accounted for', async (line, expected) => {
    const { counts, skipped, events } = await readBlocks(line, 'laurel');
    expect(counts.malformed).toBe(0);
    if (expected !== undefined) expect(skipped).toEqual(expected);
    else expect(events.length + Object.values(skipped).reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(1);
  });
});

describe('auditbeat', () => {
  it('reads the records of an array, which a kernel reads, as it reads those of a text', async () => {
    const documents = fixtureLog('auditbeat')
      .split('\n')
      .filter((line) => line.includes('"original"'))
      .map((line) => JSON.parse(line) as { event: { original: string[] } });
    const part = fc.constantFrom('"', ' ', '\\', '\u001d', '/', 'ü', '\u0007', '=', 'x', '\u00a0', '');
    const change = fc.tuple(fc.nat(20), fc.nat(20), fc.nat(300), part);
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        const damaged = structuredClone(documents);
        for (const [document, line, at, by] of changes) {
          const { original } = damaged[document % damaged.length].event;
          const text = original[line % original.length];
          original[line % original.length] = text.slice(0, at) + by + text.slice(at + 1);
        }
        const joined = damaged.map(({ event, ...rest }) => ({
          ...rest,
          event: { ...event, original: event.original.join('\n') },
        }));
        const write = (list: readonly unknown[]): string =>
          list.map((each) => JSON.stringify(each)).join('\n');
        const [rows, lines] = await Promise.all(
          [damaged, joined].map((list) => readBlocks(write(list), 'auditbeat')),
        );
        expect(rows.events).toEqual(lines.events);
        expect(rows.upserts).toEqual(lines.upserts);
        expect(rows.counts).toEqual(lines.counts);
        expect(rows.skipped).toEqual(lines.skipped);
      }),
      { numRuns: 150 },
    );
  });

  it('reads records until its memory for them is full, and after that', async () => {
    const line = fixtureLog('auditbeat')
      .split('\n')
      .find((each) => each.includes('"original"')) as string;
    const { event, ...rest } = JSON.parse(line) as { event: { original: string[] } };
    const filler = `type=UNKNOWN[1] msg=audit(1700000000.004:1001): ${'x'.repeat(300_000)}`;
    const long = JSON.stringify({ ...rest, event: { ...event, original: [...event.original, filler] } });
    const { events } = await readBlocks(Array.from({ length: 12 }, () => long).join('\n'), 'auditbeat');
    const once = await readBlocks(line, 'auditbeat');
    expect(events.length).toBe(12 * once.events.length);
  });

  it('gives the events of the records in event.original', async () => {
    const text = await readBlocks(fixtureLog('auditd-enriched'), 'auditd');
    const originals = fixtureLog('auditbeat')
      .split('\n')
      .filter((line) => line.includes('"original"'))
      .join('\n');
    const json = await readBlocks(originals, 'auditbeat');
    expect(sayings(json)).toEqual(sayings(text));
    expect(mergeEntities(json.upserts)).toEqual(mergeEntities(text.upserts));
  });

  it('reads documents without the original records', async () => {
    const rest = fixtureLog('auditbeat')
      .split('\n')
      .filter((line) => !line.includes('"original"'))
      .join('\n');
    const { events, skipped } = await readBlocks(rest, 'auditbeat');
    expect(events.map(({ rel, action, obj, ok }) => [rel, action, obj?.id, ok])).toEqual([
      ['execve', 'exec', '/usr/bin/cat', true],
      ['openat_read', 'read', '/root/x', true],
      ['connect', 'connect', '203.0.113.9:80', undefined],
      ['openat_read', 'read', '/etc/shadow', false],
      ['connect', 'connect', '[2001:db8::1]:443', true],
      ['connect', 'connect', '/run/x.sock', true],
    ]);
    expect(skipped).toEqual({ notACall: 1 });
  });
});
