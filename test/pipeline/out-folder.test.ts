import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkOutFolder } from '../../src/pipeline/out-folder.js';
import { newFolder } from '../folders.js';

test('a place that can be made is left as it was', async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'there'));
  for (const place of ['there', 'new', 'there/a/b/c']) await checkOutFolder(join(folder, place));
  expect(readdirSync(folder, { recursive: true })).toEqual(['there']);
});

test('a file in the way is refused', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'file'), '');
  for (const place of ['file', 'file/below']) {
    await expect(checkOutFolder(join(folder, place))).rejects.toMatchObject({
      code: 'out-place',
      exit: 2,
      message: expect.stringMatching(/file is a file$/),
    });
  }
});

test('a name that is too long is refused with the reason', async () => {
  const folder = newFolder();
  await expect(checkOutFolder(join(folder, 'a', 'b'.repeat(300)))).rejects.toMatchObject({
    code: 'out-place',
    message: expect.stringContaining('ENAMETOOLONG'),
  });
  expect(readdirSync(folder)).toEqual([]);
});

test.runIf(existsSync('/proc/self'))('/proc takes no folder, whatever its permissions say', async () => {
  await expect(checkOutFolder('/proc/recal/out')).rejects.toMatchObject({
    code: 'out-place',
    exit: 2,
    message: expect.stringMatching(/\/proc/),
  });
});
