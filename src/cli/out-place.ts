import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { EXIT, RecalError } from '../base/errors.js';
import { printable } from '../base/printable.js';

/** Results that cannot be written should be known before the work for them is done. Makes nothing. */
export async function checkOutFolder(folder: string): Promise<void> {
  let place = resolve(folder);
  for (;;) {
    const found = await stat(place).catch(() => undefined);
    if (found !== undefined) {
      if (!found.isDirectory()) throw refused(folder, `${printable(place)} is a file`);
      await access(place, constants.W_OK | constants.X_OK).catch(() => {
        throw refused(folder, `${printable(place)} cannot be written to`);
      });
      return;
    }
    if (dirname(place) === place) return;
    place = dirname(place);
  }
}

function refused(folder: string, why: string): RecalError {
  return new RecalError('out-place', `nothing can be written to ${printable(folder)}: ${why}`, {
    hint: 'give --out a folder that can be written to, or made',
    exit: EXIT.usage,
  });
}
