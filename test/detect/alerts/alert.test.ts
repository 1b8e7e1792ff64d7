import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { alertSchema, incidentSchema, jsonSchemaOf, stableId } from '../../../src/detect/alerts/alert.js';

test.each([
  ['alerts', alertSchema],
  ['incidents', incidentSchema],
])('schema/%s.schema.json is the one that the code checks by', (name, schema) => {
  const path = new URL(`../../../schema/${name}.schema.json`, import.meta.url);
  const text = `${JSON.stringify(jsonSchemaOf(schema), null, 2)}\n`;
  // After a change of the code: RECAL_WRITE_SCHEMA=1 npx vitest run test/detect/alert.test.ts
  if (process.env.RECAL_WRITE_SCHEMA === '1') writeFileSync(path, text);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(text));
});

test('an identifier follows from its parts and from where one ends', () => {
  expect(stableId('m', 'h', 'e', '1')).toMatch(/^[0-9a-f]{16}$/);
  expect(stableId('m', 'h', 'e', '1')).toBe(stableId('m', 'h', 'e', '1'));
  expect(stableId('ab', 'c')).not.toBe(stableId('a', 'bc'));
});
