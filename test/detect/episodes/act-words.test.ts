import { expect, test } from 'vitest';
import { phraseActs } from '../../../src/detect/episodes/act-words.js';

const acts = (...whats: (string | number)[][]) => whats.map((what) => ({ what, name: undefined }));

test('names files with secrets first, and each file once', () => {
  const names = ['/srv/a', '/srv/b', '/srv/c', '/root/.ssh/id_rsa'];
  const found = acts(
    ...names.map((name) => ['name', 'open', 'file', name]),
    ...names.map((name) => ['name', 'read', 'file', name]),
  );
  expect(phraseActs(found, [])).toBe('read `/root/.ssh/id_rsa`, `/srv/a`, `/srv/b` and 1 more file');
});

test('uses the name in the log', () => {
  const what = ['name', 'read', 'file', '/srv/note<n>.txt'];
  expect(phraseActs([{ what, name: '/srv/note17.txt' }], [])).toBe('read `/srv/note17.txt`');
  expect(phraseActs([{ what, name: undefined }], [])).toBe('read `/srv/note<n>.txt`');
});

test('objects of several types are objects, and registry keys lie below keys', () => {
  const found = acts(
    ['name', 'create', 'pipe', 'a'],
    ...['b', 'c', 'd', 'e'].map((name) => ['name', 'create', 'file', name]),
  );
  expect(phraseActs(found, [])).toBe('created `a`, `b`, `c` and 2 more objects');
  const keys = acts(...['a', 'b', 'c', 'd'].map((name) => ['dir', 'write', 'registry', name]));
  expect(phraseActs(keys, [])).toBe('wrote to registry keys in `a`, `b`, `c` and 1 more key');
});

test('says "under" only of directories whose whole depth is new', () => {
  const written = (directory: string, name: string) => ({ what: ['dir', 'write', 'file', directory], name });
  const shallow = written('/var/lib', '/var/lib/key');
  const deep = written('/home/u<n>/.cache', '/home/u7/.cache/a/b/c');
  expect(phraseActs([shallow], [])).toBe('wrote to a file in `/var/lib`');
  expect(phraseActs([deep], [])).toBe('wrote to a file under `/home/u7/.cache`');
  expect(phraseActs([deep, shallow], [])).toBe('wrote to a file in `/var/lib`');
  const windows = written('c:/users/u<n>/appdata', 'C:\\Users\\u7\\AppData\\x\\y.exe');
  expect(phraseActs([windows], [])).toBe('wrote to a file under `C:\\Users\\u7\\AppData`');
});

test('says so if the log has no name', () => {
  expect(phraseActs([{ what: ['net', 'send', ''], name: '' }], [])).toBe('sent data to an unnamed address');
  expect(phraseActs(acts(['name', 'send', 'other', '']), [])).toBe('sent data to an unnamed object');
});

test('counts what a list of relations leaves out', () => {
  const relations = ['read', 'write', 'unlink', 'link'].map((name) => ['rel', name, 'file']);
  expect(phraseActs(acts(...relations.slice(0, 3)), [])).toBe(
    'read a file, wrote to a file and took 1 more kind of action',
  );
  expect(phraseActs(acts(...relations), [])).toBe(
    'read a file, wrote to a file and took 2 more kinds of action',
  );
});

test('counts addresses', () => {
  const many = Array.from({ length: 548 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
  expect(phraseActs(acts(['net', 'connect', '10.0'], ['net', 'connect', '10.1']), many)).toBe(
    'connected to 548 new addresses in 2 networks (first: `10.0.0.0`)',
  );
  expect(phraseActs(acts(['net', 'connect', '203.0']), ['203.0.113.9'])).toBe('connected to `203.0.113.9`');
});

test('lists ports', () => {
  const ports = (...all: (string | number)[]) => acts(...all.map((port) => ['port', 'connect', port]));
  expect(phraseActs(ports('high'), [])).toBe('connected to a port above 9999');
  expect(phraseActs(ports(443, 'high'), [])).toBe('connected to port 443, and ports above 9999');
  expect(phraseActs(ports(1, 2, 3, 4), [])).toBe('connected to 4 ports (1, 2, 3, …)');
});
