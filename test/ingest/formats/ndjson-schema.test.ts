import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENTITY_TYPES, type Entity, type Event } from '../../../src/ingest/event.js';
import { fixtureGolden } from '../../fixture-logs.js';
import { F, P } from '../ids.js';
import { type Fields, read } from './ndjson-lines.js';

// Compares schema/events.schema.json with the reader.

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  oneOf?: Schema[];
  not?: Schema;
  minLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  $defs?: Record<string, Schema>;
}

const schema = JSON.parse(
  readFileSync(new URL('../../../schema/events.schema.json', import.meta.url), 'utf8'),
) as Schema;

const CHECKED = [
  '$ref',
  'type',
  'enum',
  'required',
  'properties',
  'oneOf',
  'not',
  'minLength',
  'pattern',
  'minimum',
  'maximum',
];
const NOTES = ['$schema', '$id', '$defs', 'title', 'description'];

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

/** Validates by JSON Schema 2020-12, with the keywords that this schema uses. */
function valid(rule: Schema, value: unknown): boolean {
  const { type, required = [], properties = {}, oneOf } = rule;
  if (rule.$ref !== undefined && !valid(schema.$defs?.[rule.$ref.replace('#/$defs/', '')] as Schema, value))
    return false;
  if (type !== undefined && ![type].flat().includes(typeOf(value))) return false;
  if (rule.enum !== undefined && !rule.enum.includes(value)) return false;
  if (oneOf !== undefined && oneOf.filter((option) => valid(option, value)).length !== 1) return false;
  if (rule.not !== undefined && valid(rule.not, value)) return false;
  if (typeof value === 'string') {
    if (value.length < (rule.minLength ?? 0)) return false;
    if (rule.pattern !== undefined && !new RegExp(rule.pattern, 'u').test(value)) return false;
  }
  if (typeof value === 'number') {
    if (value < (rule.minimum ?? -Infinity) || value > (rule.maximum ?? Infinity)) return false;
  }
  if (typeOf(value) !== 'object') return true;
  const fields = value as Fields;
  if (!required.every((name) => Object.hasOwn(fields, name))) return false;
  return Object.entries(properties).every(
    ([name, of]) => !Object.hasOwn(fields, name) || valid(of, fields[name]),
  );
}

describe('the schema', () => {
  it('uses only keywords that this test checks', () => {
    const visit = (rule: Schema): void => {
      for (const name of Object.keys(rule)) expect([...CHECKED, ...NOTES]).toContain(name);
      const inner = [
        ...Object.values(rule.properties ?? {}),
        ...Object.values(rule.$defs ?? {}),
        ...(rule.oneOf ?? []),
      ];
      for (const one of rule.not === undefined ? inner : [...inner, rule.not]) visit(one);
    };
    visit(schema);
  });

  it('has the fields and types of Entity', () => {
    const properties = schema.$defs?.entity.properties ?? {};
    const all: Required<Entity> = {
      id: '',
      type: 'file',
      kind: '',
      name: '',
      cmd: '',
      pid: 0,
      parent: '',
      user: '',
      local: '',
      session: '',
      container: '',
      unit: '',
    };
    expect(Object.keys(properties)).toEqual(Object.keys(all));
    expect(properties.type.enum).toEqual([...ENTITY_TYPES, '', null]);
  });

  it('has the fields of Event', () => {
    const all: Required<Event> = {
      ts: 0n,
      seq: 0n,
      host: '',
      rel: '',
      action: 'read',
      subj: { id: '' },
      obj: { id: '' },
      obj2: { id: '' },
      ok: true,
      flow: 'in',
      attrs: {},
    };
    expect(Object.keys(schema.$defs?.event.properties ?? {})).toEqual(Object.keys(all));
  });

  it('accepts the same lines as the reader', async () => {
    const absent = Symbol('absent');
    const mostly = (good: unknown[], bad: unknown[]): fc.Arbitrary<unknown> =>
      fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom(...good) },
        ...(bad.length === 0 ? [] : [{ weight: 1, arbitrary: fc.constantFrom(...bad) }]),
      );
    const record = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Fields> =>
      fc
        .record(fields)
        .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== absent)));
    const text = mostly(['x', '', 'é\u001b', absent, null], [7, true, 1.5]);
    const entity = record({
      id: mostly([P, F.toLowerCase(), 'id-1'], [7, true]),
      type: mostly([...ENTITY_TYPES, absent, null, ''], ['folder', 'File', 3, true]),
      kind: text,
      name: text,
      cmd: text,
      pid: mostly([0, 1, 2 ** 31 - 1, absent, null], [-1, 2 ** 31, 2 ** 32, 2 ** 40, 1.5, '5', true]),
      parent: text,
      user: text,
      local: text,
      more: mostly([absent, 1, 'x'], []),
    });
    const end = fc.oneof(
      { weight: 6, arbitrary: entity },
      { weight: 1, arbitrary: fc.constantFrom(null, absent) },
    );
    const event = record({
      ts: mostly(
        [
          '0',
          '-5',
          '1523637968165000001',
          12,
          -3,
          '2018-04-13T16:46:08Z',
          '2018-04-13t16:46:08.123456789123+02:00',
          '1678-01-01 00:00:00-2359',
        ],
        [
          absent,
          null,
          '',
          'x',
          '01',
          '1.5',
          1.5,
          true,
          '2018-04-13',
          '2018-13-01T00:00:00Z',
          '2018-04-13T24:00:00Z',
          '+5',
          ' 5',
          1e25,
        ],
      ),
      seq: mostly([absent, null, 0, 5, -5, '12', '-12', ''], ['x', '01', 1.5, true, 2 ** 64, '1e3']),
      host: mostly(['h', '', null, absent], [7, true]),
      rel: mostly(['EVENT_READ', 'r'], [absent, null, '', 7, true]),
      subj: end,
      obj: end,
      obj2: end,
      ok: mostly([true, false, null, absent], ['yes', 1, 'true']),
      flow: mostly(['in', 'out', '', null, absent], ['up', 'IN', 7, true]),
      attrs: mostly([{}, { a: [1, { b: 2 }] }, null, absent], [[], [1], 'x', 7, true]),
      more: mostly([absent, 1, {}, []], []),
    });
    const entityLine = record({ entity, host: mostly(['h', '', null, absent], [7, true]) });
    const counts = { accepted: 0, rejected: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(event, entityLine), { minLength: 1, maxLength: 10 }),
        async (lines) => {
          const { problems } = await read(...lines);
          const rejected = new Set(problems.map((problem) => problem.line));
          for (const [i, line] of lines.entries()) {
            const reads = !rejected.has(i + 1);
            counts[reads ? 'accepted' : 'rejected']++;
            expect(
              valid(schema, line),
              `${JSON.stringify(line)} ${problems.find((p) => p.line === i + 1)?.reason}`,
            ).toBe(reads);
          }
        },
      ),
      { numRuns: 400 },
    );
    expect(Math.min(counts.accepted, counts.rejected)).toBeGreaterThan(200);
  });

  it('accepts every line of the golden files', () => {
    for (const name of ['cadets-cdm18', 'theia-cdm18', 'trace-cdm18', 'theia-cdm20', 'recal']) {
      const golden = fixtureGolden(name);
      for (const line of golden.trimEnd().split('\n'))
        expect(valid(schema, JSON.parse(line)), line).toBe(true);
    }
  });
});
