import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { alertSchema, incidentSchema, stableId } from '../../../src/detect/alerts/alert.js';

test.each([
  ['alerts', alertSchema],
  ['incidents', incidentSchema],
])('schema/%s.schema.json is the schema of the code', (name, schema) => {
  const path = new URL(`../../../schema/${name}.schema.json`, import.meta.url);
  const text = `${JSON.stringify(z.toJSONSchema(schema), null, 2)}\n`;
  // To update the files, run: RECAL_WRITE_SCHEMA=1 npx vitest run test/detect/alerts/alert.test.ts
  if (process.env.RECAL_WRITE_SCHEMA === '1') writeFileSync(path, text);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(text));
});

test('an id depends on its texts and on where each ends', () => {
  expect(stableId('m', 'h', 'e', '1')).toMatch(/^[0-9a-f]{16}$/);
  expect(stableId('m', 'h', 'e', '1')).toBe(stableId('m', 'h', 'e', '1'));
  expect(stableId('ab', 'c')).not.toBe(stableId('a', 'bc'));
});
