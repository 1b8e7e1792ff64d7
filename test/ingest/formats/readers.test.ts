import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectFormat, FORMATS, formatByName } from '../../../src/ingest/formats/known-formats.js';
import type { Format } from '../../../src/ingest/formats/reader.js';
import { ParsePool } from '../../../src/ingest/parse/parse-pool.js';
import { built } from '../../built.js';
import { FIXTURE_FILES, FIXTURES, fixtureGolden, fixtureLog, goldenPath } from '../../fixture-logs.js';
import { type Decoded, decode, formatRecord, mergeEntities, readBlocks } from '../records.js';

// The contract of all readers: these tests run for each format, on its files in test/fixtures.

/** Formats that are never JSON. */
const NO_JSON = new Set(['auditd']);
const recognises = (format: Format, line: string): boolean =>
  line.startsWith('{') ? format.recognises(JSON.parse(line)) : format.recognisesLine?.(line) === true;
const detect = (content: string) => detectFormat(Buffer.from(content), 1 << 20);
const longest = (content: string): number =>
  Math.max(...content.split('\n').map((line) => Buffer.byteLength(line))) + 1;

/** The results that must not depend on the blocks. Redundant upserts may differ, but not the entities they describe. */
function meaning({
  events,
  lines,
  upserts,
  counts,
  skipped,
  records,
  hostNames,
  problems,
}: Decoded): unknown {
  return { events, lines, entities: mergeEntities(upserts), counts, skipped, records, hostNames, problems };
}

it('every format has fixtures, and every fixture is used', () => {
  expect(Object.keys(FIXTURES)).toEqual(FORMATS.map((format) => format.name).sort());
  const pairs = Object.entries(FIXTURES).flatMap(([format, names]) =>
    names.flatMap((name) => [`${format}/${name}.events.ndjson`, `${format}/${name}.in`]),
  );
  expect([...FIXTURE_FILES].sort()).toEqual(pairs.sort());
  for (const names of Object.values(FIXTURES)) expect(names).not.toEqual([]);
});

it('the error for an unknown format lists the known formats', () => {
  expect(() => formatByName('evtx')).toThrow(
    expect.objectContaining({
      code: 'unknown-format',
      exit: 2,
      hint: expect.stringMatching(/\bcdm\b.*\bndjson\b/),
    }),
  );
});

it('no format is detected in other files', () => {
  for (const content of [
    '',
    '\n\n',
    'hello\n',
    '{}',
    '[]\n1\nnull\n"datum"',
    '{"datum":1}',
    '{"ts":1}',
    '{"rel":"x"}',
  ])
    expect(detect(content)).toBeUndefined();
});

/** Reads contents of up to 64 KiB one after another, in the same memory. */
function readerOfBytes(): (format: string, content: Uint8Array) => Promise<Decoded> {
  const pool = new ParsePool(0, 1 << 16, { maxLine: 1 << 15 });
  return async (format, content) => {
    const lease = await pool.acquire();
    lease.bytes.set(content);
    return decode([await lease.parse(format, content.length)]);
  };
}

it('readers of all formats can share a memory in turn', async () => {
  const read = readerOfBytes();
  const logs = FORMATS.map(({ name }) => Buffer.from(fixtureLog(FIXTURES[name][0])));
  const alone = await Promise.all(FORMATS.map(({ name }, i) => readerOfBytes()(name, logs[i])));
  for (let turn = 0; turn < 3; turn++) {
    for (const [i, { name }] of FORMATS.entries())
      expect(meaning(await read(name, logs[i]))).toEqual(meaning(alone[i]));
  }
});

describe.each(FORMATS.map((format) => ({ name: format.name, format })))('$name', ({ name, format }) => {
  const fixtures = FIXTURES[name];
  const others = FORMATS.filter((other) => other !== format);

  it.each(fixtures)('%s gives its golden file', async (fixture) => {
    const decoded = await readBlocks(fixtureLog(fixture), name);
    expect(decoded.problems).toEqual([]);
    const text = decoded.log.map((record) => `${formatRecord(record)}\n`).join('');
    await expect(text).toMatchFileSnapshot(goldenPath(fixture));
  });

  it.each(fixtures)('%s gives the same events and entities as its golden file', async (fixture) => {
    const log = await readBlocks(fixtureLog(fixture), name);
    const golden = await readBlocks(fixtureGolden(fixture), 'ndjson');
    expect(golden.counts.malformed).toBe(0);
    expect(golden.events).toEqual(log.events);
    const entities = (from: Decoded): unknown =>
      mergeEntities(from.upserts.filter(({ rank }) => rank !== 'hint'));
    const hinted = new Set(log.upserts.filter(({ rank }) => rank === 'hint').map(({ entity }) => entity.id));
    const fromGolden = { ...golden, upserts: golden.upserts.filter(({ entity }) => !hinted.has(entity.id)) };
    const fromLog = { ...log, upserts: log.upserts.filter(({ entity }) => !hinted.has(entity.id)) };
    expect(entities(fromGolden)).toEqual(entities(fromLog));
  });

  it.each(fixtures)('%s is detected by its content, and as no other format', (fixture) => {
    const content = fixtureLog(fixture);
    expect(detect(content)).toBe(format);
    expect(detect(`\n{"broken":\n[]\n{"other":1}\n${content}`)).toBe(format);
    expect(detect(content.slice(0, longest(content) * 2))).toBe(format);
    expect(detectFormat(Buffer.from(content), 10)).toBeUndefined();
    const lines = content.trimEnd().split('\n');
    // A text format may have lines of other programs in between.
    expect(lines.filter((line) => recognises(format, line)).length).toBeGreaterThan(lines.length / 2);
    for (const line of lines) {
      if (line.startsWith('{')) expect(recognises(format, line)).toBe(true);
      for (const other of others) expect(recognises(other, line)).toBe(false);
    }
  });

  it('is not recognised in values that are not records', () => {
    fc.assert(fc.property(fc.anything(), (value) => void format.recognises(value)));
    for (const value of [null, undefined, 7, 'datum', [], {}, true])
      expect(format.recognises(value)).toBe(false);
  });

  it.each(fixtures)(
    '%s gives the same in blocks of any size, in this thread and in others',
    async (fixture) => {
      const content = fixtureLog(fixture);
      const { ParsePool: Pool } = (await import(built('ingest/parse/parse-pool.js'))) as {
        ParsePool: typeof ParsePool;
      };
      const whole = meaning(await readBlocks(content, name));
      for (const blockBytes of [longest(content), longest(content) + 137, longest(content) * 3]) {
        expect(meaning(await readBlocks(content, name, { blockBytes }))).toEqual(whole);
      }
      for (const blockBytes of [longest(content), Buffer.byteLength(content) + 1]) {
        expect(meaning(await readBlocks(content, name, { blockBytes, threads: 2, Pool }))).toEqual(whole);
      }
    },
  );

  it.each(fixtures)(
    '%s gives the same without its last newline, or with carriage returns',
    async (fixture) => {
      const content = fixtureLog(fixture);
      const whole = meaning(await readBlocks(content, name));
      expect(meaning(await readBlocks(content.trimEnd(), name))).toEqual(whole);
      expect(meaning(await readBlocks(content.replaceAll('\n', '\r\n'), name))).toEqual(whole);
    },
  );

  it.each(fixtures)('%s with other lines in between reports each of them with its line', async (fixture) => {
    const good = fixtureLog(fixture).trimEnd().split('\n');
    const clean = await readBlocks(fixtureLog(fixture), name);
    const maxLine = longest(fixtureLog(fixture));
    const otherLines: [string, RegExp | undefined][] = [
      ['', undefined],
      [' \t\r', undefined],
      ['{"cut":', NO_JSON.has(name) ? /^not an? / : /^incomplete record \(column 8\)$/],
      ['[1,2]', NO_JSON.has(name) ? /^not an? / : /^not a JSON object \(column 1\)$/],
      ['{"unknown":"record"}', /./],
      [
        `{"x":"${'y'.repeat(maxLine)}"}`,
        new RegExp(`^the line has ${maxLine + 8} bytes, more than the limit of ${maxLine}$`),
      ],
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(good.length), fc.nat(otherLines.length - 1)), { maxLength: 9 }),
        fc.boolean(),
        async (places, small) => {
          const lines: string[] = [];
          const at: number[] = [];
          const expected: [number, RegExp][] = [];
          let blank = 0;
          for (let i = 0; i <= good.length; i++) {
            for (const [, which] of places.filter(([place]) => place === i)) {
              const [text, reason] = otherLines[which];
              lines.push(text);
              if (reason === undefined) blank++;
              else expected.push([lines.length, reason]);
            }
            if (i < good.length) at.push(lines.push(good[i]));
          }
          const content = `${lines.join('\n')}\n`;
          const blockBytes = small ? maxLine + 32 : Buffer.byteLength(content) + 1;
          const decoded = await readBlocks(content, name, { maxLine, blockBytes });
          expect(decoded.events).toEqual(clean.events);
          expect(decoded.lines).toEqual(clean.lines.map((line) => at[line - 1]));
          expect(decoded.counts).toMatchObject({ lines: lines.length, blank, malformed: expected.length });
          expect(decoded.problems.map(({ line }) => line)).toEqual(expected.map(([line]) => line));
          for (const [i, { line, reason, sample }] of decoded.problems.entries()) {
            expect(reason).toMatch(expected[i][1]);
            expect(sample).toBe(lines[line - 1].slice(0, 120));
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('reads random bytes and damaged logs without throwing', async () => {
    const logs = fixtures.map((fixture) => Buffer.from(fixtureLog(fixture)));
    const damaged = fc
      .tuple(
        fc.constantFrom(...logs),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 60 }),
      )
      .map(([log, changes]) => {
        const bytes = Buffer.from(log);
        for (const [where, byte] of changes) bytes[where % bytes.length] = byte;
        return bytes;
      });
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
      damaged,
    );
    const read = readerOfBytes();
    await fc.assert(
      fc.asyncProperty(garbage, async (bytes) => {
        const { counts, lines, problems } = await read(name, bytes);
        const newlines = bytes.filter((byte) => byte === 0x0a).length;
        expect(counts.lines).toBe(newlines + (bytes.length > 0 && bytes.at(-1) !== 0x0a ? 1 : 0));
        // A line may give several events.
        expect(new Set(lines).size + counts.blank + counts.malformed).toBeLessThanOrEqual(counts.lines);
        expect(problems.length).toBe(Math.min(counts.malformed, 10));
      }),
      { numRuns: 300 },
    );
  });
});
