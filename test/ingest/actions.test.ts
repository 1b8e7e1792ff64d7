import { expect, test } from 'vitest';
import { ACTIONS, actionNumber, actionOfRelation } from '../../src/ingest/actions.js';

test.each([
  ['EVENT_READ', 'read'],
  ['event_fork', 'fork'],
  ['Create-Process', 'fork'],
  ['execve', 'exec'],
  ['openat', 'open'],
  ['EVENT_UNLINK', 'delete'],
  ['constructor', 'other'],
  ['EVENT_LSEEK', 'other'],
  // In CADETS: a change of directory, root or umask, which concerns the process itself.
  ['EVENT_MODIFY_PROCESS', 'other'],
])('%s does %s', (relation, action) => {
  expect(actionOfRelation(relation)).toBe(action);
});

test('numbers start at 1, because 0 means that a reader gives no action', () => {
  expect(ACTIONS.map(actionNumber)).toEqual(ACTIONS.map((_, index) => index + 1));
});
