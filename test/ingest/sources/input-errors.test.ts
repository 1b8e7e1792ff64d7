import { expect, test } from 'vitest';
import { openError, readError } from '../../../src/ingest/sources/input-errors.js';

const CODES = ['EACCES', 'EPERM', 'EIO', 'ELOOP', 'EMFILE', 'ENAMETOOLONG', 'ESTALE'];

test.each(CODES)('%s of an input is told in words, with a hint', async (code) => {
  const cause = Object.assign(new Error(`${code}: raw text, open '/x'`), { code, syscall: 'open' });
  for (const error of [await openError('/x', cause), readError('/x', 77, cause)]) {
    expect(error.message).toMatch(/'\/x'/);
    expect(error.message).not.toContain(code);
    expect(error.hint).toMatch(/^[a-z]/);
    expect(error.where?.file).toBe('/x');
  }
});
