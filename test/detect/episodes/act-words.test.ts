import { expect, test } from 'vitest';
import { phraseActs } from '../../../src/detect/episodes/act-words.js';

const acts = (...whats: (string | number)[][]) => whats.map((what) => ({ what, name: undefined }));

test('names files with secrets first, and each file once', () => {
  const names = ['/srv/a', '/srv/b', '/srv/c', '/root/.ssh/id_rsa'];
  const found = acts(
    ...names.map((name) => ['name', 'open', 'file', name]),
    ...names.map((name) => ['name', 'read', 'file', name]),
  );
  expect(phraseActs(found, [])).toBe('read `/root/.ssh/id_rsa`, `/srv/a`, `/srv/b` and 1 more files');
});

test('uses the name in the log, if it is that of the behaviour', () => {
  const what = ['name', 'read', 'file', '/srv/note<n>.txt'];
  expect(phraseActs([{ what, name: '/srv/note17.txt' }], [])).toBe('read `/srv/note17.txt`');
  expect(phraseActs([{ what, name: '/srv/other' }], [])).toBe('read `/srv/note<n>.txt`');
});

test('counts addresses', () => {
  const many = Array.from({ length: 548 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
  expect(phraseActs(acts(['net', 'connect', '10.0'], ['net', 'connect', '10.1']), many)).toBe(
    'connected to 548 new addresses in 2 networks, first `10.0.0.0`',
  );
  expect(phraseActs(acts(['net', 'connect', '203.0']), ['203.0.113.9'])).toBe('connected to `203.0.113.9`');
});

test('lists ports', () => {
  expect(phraseActs(acts(['port', 'connect', 443], ['port', 'connect', 'high']), [])).toBe(
    'connected to ports 443, from 10000 on',
  );
});
