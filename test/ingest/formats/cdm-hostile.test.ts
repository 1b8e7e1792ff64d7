import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { F, P, ZERO } from '../ids.js';
import { event, expected, type Fields, line, nameOf, read, TIME } from './cdm-lines.js';

describe('hostile logs', () => {
  it('keep all names exactly: terminal escapes, bidirectional text, any length', async () => {
    for (const name of [
      '\u001b[2J\u001b]0;owned\u0007',
      'invoice\u202Efdp.exe',
      '\u2066\u2069\u200b\ufeff',
      'x'.repeat(65_536),
      'é'.repeat(30_000),
      '日本語 \u{1F600}',
      'quote " and \\ and \n newline \u0000 nul',
      "'; DROP TABLE events; --",
    ]) {
      expect(await nameOf(P, event({ properties: { map: { exec: name } } }))).toBe(name);
      expect(
        await nameOf(F, line('FileObject', { uuid: F, baseObject: { properties: { map: { path: name } } } })),
      ).toBe(name);
    }
  });

  it('may contain invalid text, which is replaced and counted', async () => {
    const text = event({ properties: { map: { exec: 'BAD' } } });
    const [before, after] = text.split('BAD');
    const broken = Buffer.concat([
      Buffer.from(before),
      Buffer.of(0x61, 0xff, 0xc3, 0x28, 0x80),
      Buffer.from(after),
    ]);
    const invalid = await read(broken);
    expect(invalid.upserts[0].entity.name).toBe('a\ufffd\ufffd(\ufffd');
    expect(invalid.counts).toMatchObject({ malformed: 0, badText: 1 });
    const lone = await read(text.replace('BAD', 'x\\ud800y\\udc00'));
    expect(lone.upserts[0].entity.name).toBe('x\ufffdy\ufffd');
    expect(lone.counts).toMatchObject({ malformed: 0, badText: 1 });
    expect((await read(event({ properties: { exec: 'fine é' } }))).counts.badText).toBe(0);
  });

  it('cannot change objects with keys such as __proto__', async () => {
    const { events, upserts, counts } = await read(
      `{"__proto__":{"datum":1},"datum":{"Event":{"type":"EVENT_READ","subject":"${P}","predicateObject":"${F}","timestampNanos":${TIME},"properties":{"map":{"__proto__":{"polluted":"yes"},"constructor":"x","exec":"a"}}}}}`,
      `{"datum":{"Subject":{"uuid":"${P}","type":"__proto__","hostId":"constructor"}}}`,
    );
    expect(counts.malformed).toBe(0);
    expect(events).toEqual([expected]);
    expect(upserts.map((u) => [u.entity.name, u.entity.kind, u.host])).toEqual([
      ['a', undefined, ''],
      [undefined, '__proto__', 'constructor'],
    ]);
    expect(({} as Fields).polluted).toBeUndefined();
  });

  it('cannot create entities with the names of object methods', async () => {
    const { upserts, counts } = await read(
      ...['__proto__', 'constructor', 'toString', 'valueOf'].map(
        (kind) => `{"datum":{"${kind}":{"uuid":"${P}"}}}`,
      ),
    );
    expect(upserts).toEqual([]);
    expect(counts).toMatchObject({ lines: 4, malformed: 0 });
  });

  it('cannot nest without limit', async () => {
    const deep = (levels: number): string =>
      event({ properties: '#' }).replace('"#"', `${'{"map":'.repeat(levels)}{}${'}'.repeat(levels)}`);
    const { counts, events, problems } = await read(deep(3), deep(5000), event());
    expect(counts.malformed).toBe(1);
    expect(events).toHaveLength(2);
    expect(problems[0]).toMatchObject({ line: 2, reason: expect.stringContaining('64 levels') });
  });

  it('may have more symbols than the kernel can number', async () => {
    const { counts, events } = await read(
      ...Array.from({ length: 8200 }, (_, i) => event({ type: `EVENT_${i}` })),
    );
    expect(counts.malformed).toBe(0);
    expect(events.map((e) => e.rel)).toEqual(Array.from({ length: 8200 }, (_, i) => `EVENT_${i}`));
  });

  it('cannot have symbols without limit', async () => {
    const { counts, problems, events } = await read(
      ...Array.from({ length: 66_000 }, (_, i) => event({ type: `EVENT_${i}` })),
    );
    expect(events.length + counts.malformed).toBe(66_000);
    expect(counts.malformed).toBeGreaterThan(0);
    expect(problems[0].reason).toMatch('too many');
    expect(events.every((e, i) => e.rel === `EVENT_${i}`)).toBe(true);
  });

  it('never throw, for any types of fields', async () => {
    const names = [
      'uuid',
      'type',
      'hostId',
      'subject',
      'predicateObject',
      'predicateObject2',
      'timestampNanos',
      'sequence',
      'properties',
      'parameters',
      'cid',
      'baseObject',
      'remoteAddress',
      'remotePort',
      'predicateObjectPath',
    ];
    const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(P, F, ZERO, 'EVENT_OPEN', TIME));
    const kind = fc.constantFrom('Event', 'Subject', 'FileObject', 'NetFlowObject', 'Host', 'Principal', 'x');
    const record = fc.tuple(
      kind,
      fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 8, noNullPrototype: true }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 20 }), async (records) => {
        const lines = [event(), ...records.map(([of, fields]) => line(of, fields))];
        const { counts } = await read(...lines);
        expect(counts.lines).toBe(lines.length);
      }),
      { numRuns: 150 },
    );
  });
});
