import { posix } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isCleanPath, joinPath } from '../../../src/ingest/kernel/path-join.js';

const name = fc
  .array(fc.constantFrom('/', '.', '..', 'a', 'b.c', '...', '.x', '//'))
  .map((parts) => parts.join(''));

it('joins like posix.resolve', () => {
  fc.assert(
    fc.property(name, name, (folder, file) => {
      expect(joinPath(`/${folder}`, file)).toBe(posix.resolve(`/${folder}`, file));
    }),
  );
});

it('a path is clean if joining does not change it', () => {
  fc.assert(
    fc.property(name, fc.nat(3), (path, before) => {
      const bytes = Buffer.from(`${'/'.repeat(before)}${path}/..`);
      const stop = bytes.length - 3;
      expect(isCleanPath(bytes, before, stop)).toBe(path !== '' && joinPath('/', path) === path);
    }),
  );
});
