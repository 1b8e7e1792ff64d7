import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_LEVELS, splitName } from '../../../src/detect/evidence/name-levels.js';
import { ENTITY_TYPES, type EntityType } from '../../../src/ingest/event.js';

/** Any code unit, including lone surrogates. */
const CODE_UNIT = fc.nat(0xffff).map((code) => String.fromCharCode(code));

const texts = (type: EntityType, name?: string) => splitName(type, name).map(({ text }) => text);

describe('paths', () => {
  test.each([
    ['/etc/passwd', '/etc', '/etc/*', '/etc/passwd'],
    ['/etc/rc.conf', '/etc', '/etc/*.conf', '/etc/rc.conf'],
    [
      '/usr/local/lib/x/libpq.so.5',
      '/usr',
      '/usr/local/lib',
      '/usr/local/lib/x/*.so.#',
      '/usr/local/lib/x/libpq.so.#',
    ],
    ['/var/log/x.1.gz', '/var', '/var/log', '/var/log/*.gz', '/var/log/x.#.gz'],
    ['/var/log/messages.0', '/var', '/var/log', '/var/log/*.#', '/var/log/messages.#'],
    ['/swap', '/', '/*', '/swap'],
    ['/', '/'],
    ['/proc/314/maps', '/proc', '/proc/#', '/proc/#/*', '/proc/#/maps'],
    ['/home/u/.profile', '/home', '/home/u', '/home/u/*', '/home/u/.profile'],
    ['lib/a.c', 'lib', 'lib/*.c', 'lib/a.c'],
    ['./a/../b/./c', 'b', 'b/*', 'b/c'],
    ['/a//b/../../etc/x', '/etc', '/etc/*', '/etc/x'],
    ['../../x', '..', '../..', '../../*', '../../x'],
    ['a.txt', 'a.txt'],
  ])('%s', (name, ...levels) => {
    expect(texts('file', name)).toEqual(['file', ...levels]);
  });

  test.each([
    [
      'C:\\Windows\\System32\\drivers\\etc\\hosts',
      'c:\\windows',
      'c:\\windows\\system#\\drivers',
      'c:\\windows\\system#\\drivers\\etc\\*',
      'c:\\windows\\system#\\drivers\\etc\\hosts',
    ],
    ['C:/Users/Bob/x.EXE', 'c:\\users', 'c:\\users\\bob', 'c:\\users\\bob\\*.exe', 'c:\\users\\bob\\x.exe'],
    ['\\\\?\\C:\\Temp\\a.dll', 'c:\\temp', 'c:\\temp\\*.dll', 'c:\\temp\\a.dll'],
    [
      '\\Device\\HarddiskVolume2\\Windows\\a.dll',
      'device\\harddiskvolume#\\windows',
      'device\\harddiskvolume#\\windows\\*.dll',
      'device\\harddiskvolume#\\windows\\a.dll',
    ],
    ['\\\\srv\\share\\team\\a.doc', 'srv\\share\\team', 'srv\\share\\team\\*.doc', 'srv\\share\\team\\a.doc'],
  ])('%s', (name, ...levels) => {
    expect(texts('file', name)).toEqual(['file', ...levels]);
  });

  test('in two spellings have the same levels', () => {
    expect(texts('file', 'c:\\Windows\\.\\x\\..\\A.dll')).toEqual(texts('file', 'C:/WINDOWS/a.DLL'));
  });
});

describe('registry keys', () => {
  test.each([
    [
      'HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Run',
      'hklm\\software',
      'hklm\\software\\microsoft\\windows',
      'hklm\\software\\microsoft\\windows\\currentversion',
      'hklm\\software\\microsoft\\windows\\currentversion\\run',
    ],
    ['\\REGISTRY\\USER\\S-1-5', 'hku\\s-#-#'],
    ['\\REGISTRY\\MACHINE\\System\\Setup', 'hklm\\system', 'hklm\\system\\setup'],
    ['HKLM', 'hklm'],
  ])('%s', (name, ...levels) => {
    expect(texts('registry', name)).toEqual(['registry', ...levels]);
  });
});

describe('endpoints', () => {
  test.each([
    ['129.55.12.167:51374', '129.55', '129.55.12', '129.55.12.167', '129.55.12.167 port #port'],
    ['10.0.4.1:22', '10.0', '10.0.4', '10.0.4.1', '10.0.4.1 port 22'],
    ['10.0.4.1', '10.0', '10.0.4', '10.0.4.1'],
    ['::ffff:10.0.4.1', '10.0', '10.0.4', '10.0.4.1'],
    [
      '[2001:db8::1]:53',
      '2001:db8:0',
      '2001:db8:0:0',
      '2001:db8:0:0:0:0:0:1',
      '2001:db8:0:0:0:0:0:1 port 53',
    ],
    ['*:80', '*', '* port 80'],
    ['a.b.example.org:443', 'example.org', 'b.example.org', 'a.b.example.org', 'a.b.example.org port 443'],
    ['/var/run/log.sock', '/var', '/var/run', '/var/run/*.sock', '/var/run/log.sock'],
  ])('%s', (name, ...levels) => {
    expect(texts('flow', name)).toEqual(['flow', ...levels]);
  });
});

test('programs are split like other names; an unnamed entity has only its type', () => {
  expect(texts('process', 'python3.9')).toEqual(['process', 'python#.#']);
  expect(texts('process', '/bin/sh')).toEqual(['process', '/bin', '/bin/*', '/bin/sh']);
  expect(texts('pipe')).toEqual(['pipe']);
  expect(texts('file', '')).toEqual(['file']);
});

test('hostile names have few levels, all different and well-formed', () => {
  const piece = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    ':',
    '#',
    '7',
    '\u0000',
    '\ud800',
    '‮',
    'a',
    '[',
    ']',
    '?',
    'unc',
    'device',
    'c:',
  );
  const name = fc.oneof(
    fc.string({ unit: CODE_UNIT }),
    fc.array(piece, { maxLength: 30 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(fc.constantFrom(...ENTITY_TYPES), name, (type, text) => {
      const levels = texts(type, text);
      expect(levels.length).toBeLessThanOrEqual(MAX_LEVELS);
      expect(levels[0]).toBe(type);
      expect(levels.every((level, i) => level !== levels[i - 1] && level.isWellFormed())).toBe(true);
      if (text !== '') expect(levels.length).toBeGreaterThan(1);
    }),
    { numRuns: 500 },
  );
  const long = `/${'../'.repeat(200_000)}x`;
  expect(texts('file', long).join().length).toBeLessThan(5000);
  expect(texts('file', `/a/${'b'.repeat(1_000_000)}`).join().length).toBeLessThan(5000);
});
