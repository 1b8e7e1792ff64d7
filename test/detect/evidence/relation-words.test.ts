import { expect, test } from 'vitest';
import { nounOf, quote, selfVerbOf, verbOf } from '../../../src/detect/evidence/relation-words.js';

test.each([
  ['EVENT_UNLINK', 'file', 'deleted'],
  ['EVENT_CREATE_OBJECT', 'file', 'created'],
  ['EVENT_CREATE_OBJECT', 'flow', 'opened a connection to'],
  ['EVENT_CLOSE', 'flow', 'closed the connection to'],
  ['EVENT_CHANGE_PRINCIPAL', 'process', 'changed the user of'],
  ['EVENT_CHANGE_PRINCIPAL', 'principal', 'changed its user to'],
  ['read', 'file', 'read'],
  ['write', 'flow', 'sent data to'],
  ['inject', 'process', 'traced or injected code into'],
  ['EVENT_MODIFY_PROCESS', 'file', 'changed its directory or root to'],
  ['EVENT_FCNTL', 'file', 'performed `EVENT_FCNTL` on'],
  ['constructor', 'file', 'performed `constructor` on'],
] as const)('the verb of %s for a %s is "%s"', (relation, object, verb) => {
  expect(verbOf(relation, object)).toBe(verb);
});

test('an entity acts on itself', () => {
  expect(selfVerbOf('EVENT_CHANGE_PRINCIPAL', 'process')).toBe('changed its user');
  expect(selfVerbOf('EVENT_EXIT', 'process')).toBe('exited');
  expect(selfVerbOf('EVENT_SIGNAL', 'process')).toBe('sent a signal to itself');
});

test('nouns of common relations, and the name of others', () => {
  expect(nounOf('EVENT_UNLINK')).toBe('deletions');
  expect(nounOf('EVENT_FCNTL')).toBe('`EVENT_FCNTL` events');
});

test('quoted text is printable and cut, and cannot end the quotation', () => {
  expect(quote('`; \u001b[2Jx')).toBe("`'; \\e[2Jx`");
  expect(quote('x'.repeat(500))).toBe(`\`${'x'.repeat(79)}…\``);
});
