import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inLines } from '../../../src/ingest/sources/document-lines.js';
import { jsonLayout } from '../../../src/ingest/sources/json-layout.js';
import { fixtureLog } from '../../fixture-logs.js';
import { readBytes } from '../records.js';
import { sourceOf } from './memory-source.js';

/** Reads a source to the end in pieces of `size` bytes. */
async function linesOf(content: string | Uint8Array, size = 1 << 16): Promise<string> {
  const source = await inLines(sourceOf(Buffer.from(content as string)));
  const parts: Buffer[] = [];
  for (;;) {
    const target = Buffer.alloc(size);
    const length = await source.read(target);
    parts.push(target.subarray(0, length));
    if (length < size) return Buffer.concat(parts).toString('utf8');
  }
}

const layout = (text: string) => jsonLayout(Buffer.from(text));
const DOCUMENTS = { kind: 'documents', list: undefined };

describe('the layout', () => {
  it.each([
    '',
    ' \n',
    'type=SYSCALL msg=audit(1.1:1): a=1',
    '{"a":1}\n{"b":2}\n',
    '{"a":1}',
    '{"a":[{"b":1}]}\n',
    '{"PATH":[{"b":1}]}',
    '{"cut":\n{"a":1}\n{"b":1}\n',
    '{"cut":"x\n{"a":1}\n',
    '{"cut":\n[]\n{"other":1}\n',
    '[2024-01-01] a message',
    '[1,2]\n{"a":1}',
    '{"events":1}',
    '{"events":[1]}',
    '{"a" 1}',
    '{]',
  ])('%j is in lines', (text) => {
    expect(layout(text)).toEqual({ kind: 'lines' });
  });

  it.each([
    '[{"a":1}]',
    '\ufeff [\n {',
    '{\n"a":1}',
    '{"a":\n{"b":1}\n}\n',
    '{"a":{\n"b":"\\"\\\\',
    '{"a":[1,\ntrue,null,-1.5e3],',
  ])('%j is in documents', (text) => {
    expect(layout(text)).toEqual(DOCUMENTS);
  });

  it.each([
    ['{"events":[{"a":1}]}', 'events'],
    ['{"count":2,"x":{"y":[1]},"Records" : [ {', 'Records'],
  ])('%j has a list', (text, list) => {
    expect(layout(text)).toEqual({ kind: 'documents', list });
  });
});

describe('documents as lines', () => {
  it('leaves JSON lines and text as they are', async () => {
    for (const text of ['{"a": 1}\n{"b": 2}', 'a b\n\n c', '\ufeff{"a":1}\n'])
      expect(await linesOf(text)).toBe(text);
  });

  it('keeps the line on which a record starts', async () => {
    expect(await linesOf('{\n "a": 1,\n "b": [1, 2]\n}\n{\n "c": "x y"\n}\n')).toBe(
      '{"a":1,"b":[1,2]}\n\n\n\n{"c":"x y"}\n\n\n',
    );
    expect(await linesOf('\ufeff[\n  {\n"a":1},\n  {"b":2}\n]\n')).toBe('\n{"a":1}\n\n{"b":2}\n\n');
  });

  it('separates records on one line, and returns to the lines of the document', async () => {
    expect(await linesOf('[{"a":1},{"b":2}, {"c":3}]')).toBe('{"a":1}\n{"b":2}\n{"c":3}\n');
    expect(await linesOf('[{"a":1},{"b":2},\n\n\n{"c":3}]')).toBe('{"a":1}\n{"b":2}\n\n{"c":3}\n');
  });

  it('takes the records out of lists', async () => {
    const text =
      '{"n":[{"x":"]}"}],"events":[{"a":{"events":[{}]}},\n{"b":2}],"t":null}\n{"events":[]}\n{"events":[{"c":3}]}';
    expect(await linesOf(text)).toBe('{"a":{"events":[{}]}}\n{"b":2}\n\n{"c":3}\n');
  });

  it('makes a line of every document without the list, and of text between records', async () => {
    expect(await linesOf('{"events":[{"a":1}]}\n{"other":[{"b":1}]}\n{"x":"}"}')).toBe('{"a":1}\n}\n}');
    expect(await linesOf('[{"a":1}, 7, true,\n"x" {"b":1}]')).toBe('{"a":1}\n7\ntrue\n"x" \n{"b":1}\n');
  });

  it('does not join scalars', async () => {
    expect(await linesOf('[{"a":1 2,"b":tr\nue}]')).toBe('{"a":1 2,"b":tr ue}\n');
  });

  it('ends a damaged record where it is damaged, and goes on with the next one', async () => {
    expect(await linesOf('[{"a":[1},{"b":2}]')).toBe('{"a":[1}\n{"b":2}\n');
    const cut = '[\n  {\n    "a": "x\n    y",\n    "n": {\n    }\n  },\n  {\n    "b": 2\n  }\n]\n';
    expect(await linesOf(cut)).toBe('\n{"a":"x\n\n    y",\n    "n": {\n    }\n  },\n  {"b":2 }\n\n\n\n');
    expect(await linesOf('[{"a":1},{"b":')).toBe('{"a":1}\n{"b":');
  });

  it('reads a pretty-printed log as the same events, with the lines of the document', async () => {
    const log = fixtureLog('theia-cdm18');
    const records = log
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/:(\d{16,})/g, ':"$1"'));
    const [expected] = await readBytes(`${records.join('\n')}\n`);
    const pretty = records.map((line) => JSON.stringify(JSON.parse(line), null, 2));
    const [several] = await readBytes(pretty.join('\n'));
    const [array] = await readBytes(`[\n${pretty.join(',\n')}\n]`);
    const [list] = await readBytes(
      JSON.stringify({ events: records.map((line) => JSON.parse(line) as unknown) }),
    );
    for (const got of [several, array, list]) {
      expect(got.events).toEqual(expected.events);
      expect(got.upserts).toEqual(expected.upserts);
      expect(got.counts.malformed).toBe(0);
    }
    expect(list.lines).toEqual(expected.lines);
    const starts = pretty.map(
      (_, i) => 1 + pretty.slice(0, i).join('\n').split('\n').length - (i === 0 ? 1 : 0),
    );
    expect(several.lines).toEqual(expected.lines.map((line) => starts[line - 1]));
  });

  const json = fc.jsonValue({ maxDepth: 4 });
  const objects = fc.array(fc.dictionary(fc.string(), json), { minLength: 1, maxLength: 6 });

  it('gives the records of any documents, in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(objects, fc.nat(3), fc.integer({ min: 1, max: 70 }), async (records, indent, size) => {
        const texts = [
          JSON.stringify(records, null, indent),
          JSON.stringify({ more: [1], Records: records, end: { a: ']' } }, null, indent),
          `{"first":\n1}${records.map((record) => JSON.stringify(record, null, indent)).join('\n')}`,
        ];
        for (const [i, text] of texts.entries()) {
          const whole = await linesOf(text);
          expect(await linesOf(text, size)).toBe(whole);
          const parsed = whole.split('\n').filter((line) => line !== '');
          expect(parsed.map((line) => JSON.parse(line) as unknown)).toEqual([
            ...(i === 2 ? [{ first: 1 }] : []),
            ...(JSON.parse(JSON.stringify(records)) as unknown[]),
          ]);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('never writes much more than it reads, whatever it reads', async () => {
    const bits = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ',',
      ':',
      '\n',
      ' ',
      '\\',
      'a',
      '1',
      '"events":[',
      '\ufeff',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(bits, { maxLength: 60 }), async (parts) => {
        const text = `[{"a":1},${parts.join('')}`;
        const lines = await linesOf(text);
        expect(Buffer.byteLength(lines)).toBeLessThanOrEqual(2 * Buffer.byteLength(text));
        expect(await linesOf(text, 3)).toBe(lines);
      }),
      { numRuns: 500 },
    );
  });

  it('streams a deep document without recursion', async () => {
    const depth = 200_000;
    const text = `[{"a":${'['.repeat(depth)}${']'.repeat(depth)}},{"b":1}]`;
    expect((await linesOf(text)).split('\n').slice(1)).toEqual(['{"b":1}', '']);
  });
});
