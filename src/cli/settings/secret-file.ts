import { readFile } from 'node:fs/promises';
import { RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';

/** The content of a file with a secret, without the newline at its end. */
export async function readSecret(path: string): Promise<string>;
export async function readSecret(path: string | undefined): Promise<string | undefined>;
export async function readSecret(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    throw new RecalError('input-unreadable', `cannot read ${printable(path)}`, {
      hint: 'check that the file exists and that you may read it',
      where: { file: path },
      cause,
    });
  }
}
