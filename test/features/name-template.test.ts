import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nameTemplate } from '../../src/features/name-template.js';

describe('nameTemplate', () => {
  test.each([
    ['/usr/bin/sshd', '/usr/bin/sshd'],
    ['/tmp/x1234', '/tmp/x<n>'],
    ['/usr/lib/python3.11/os.py', '/usr/lib/python<v>/os.py'],
    ['C:\\Windows\\System32\\CMD.exe', 'c:/windows/system<n>/cmd.exe'],
    ['/Device/HarddiskVolume2', '/Device/HarddiskVolume<n>'],
    ['{0F3A1B2C-1234-ABCD-9F00-0123456789AB}', '<g>'],
    ['HKU\\S-1-5-21-1004336348-500\\Run', 'HKU/<sid>/Run'],
    ['/var/cache/deadbeefcafe', '/var/cache/<h>'],
    ['/var/cache/zdeadbeefcafe', '/var/cache/zd<h>'],
    ['10.0.0.1:443', '<v>:<n>'],
    ['', ''],
  ])('%s becomes %s', (name, template) => {
    expect(nameTemplate(name)).toBe(template);
  });

  test('a template contains no digits outside its tokens, and a number never changes it', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.nat(), (text, one, other) => {
        const plain = text.replace(/[0-9a-fA-F\p{Nd}._-]/gu, '');
        expect(nameTemplate(`${plain}/x${one % 1e7}`)).toBe(nameTemplate(`${plain}/x${other % 1e7}`));
        expect(nameTemplate(text)).not.toMatch(/\p{Nd}/u);
      }),
    );
  });

  test('a long run of digits takes linear time', () => {
    const started = performance.now();
    for (let i = 0; i < 20; i++) nameTemplate('1'.repeat(60_000));
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
