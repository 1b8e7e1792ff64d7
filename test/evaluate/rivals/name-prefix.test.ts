import { expect, test } from 'vitest';
import { namePrefix } from '../../../src/evaluate/rivals/name-prefix.js';
import { ENTITY_TYPES } from '../../../src/ingest/event.js';

test.each([
  ['file', '/var/db/postgres/16/base/1', 'var/db/postgres/#'],
  ['file', 'C:\\Windows\\System32\\a\\b', 'C:/Windows/System#/a'],
  ['flow', '10.0.4.1:22', '10.0.4.1'],
  ['flow', '/var/run/log', 'var/run/log'],
  ['process', 'python3', 'python#'],
] as const)('the prefix of the %s %s is %s', (type, name, prefix) => {
  expect(namePrefix(ENTITY_TYPES.indexOf(type), name)).toBe(prefix);
});
