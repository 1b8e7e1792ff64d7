import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/base/error-codes.js';

const SOURCE = join(import.meta.dirname, '../../src');
const TABLES = join('base', 'error-codes');

const sources = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.startsWith(TABLES))
  .map((name) => readFileSync(join(SOURCE, name), 'utf8'));

it.each(Object.entries(ERROR_CODES))('%s says when it occurs and what to do', (code, { when, action }) => {
  expect(code).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  expect(when).toMatch(/^\S.*\.$/);
  expect(action).toMatch(/^\S.*\.$/);
});

it('every code occurs in the source', () => {
  const isUsed = (code: string) => sources.some((text) => text.includes(`'${code}'`));
  expect(Object.keys(ERROR_CODES).filter((code) => !isUsed(code))).toEqual([]);
});

it('every RecalError has a code from the table', () => {
  const used = sources.flatMap((text) =>
    [...text.matchAll(/new RecalError\(\s*'([^']*)'/g)].map(([, code]) => code),
  );
  expect(used.length).toBeGreaterThan(100);
  expect(used.filter((code) => !Object.hasOwn(ERROR_CODES, code))).toEqual([]);
});
