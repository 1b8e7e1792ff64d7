import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { EXIT, RecalError } from '../base/errors.js';
import { makeFolder, removeFolders } from '../base/files/make-folder.js';
import { printable } from '../base/printable.js';

/** Fails before the work if the results could not be written to `folder` afterwards. Leaves everything as it is. */
export async function checkOutFolder(folder: string): Promise<void> {
  const whole = resolve(folder);
  let place = whole;
  for (;;) {
    const found = await stat(place).catch(() => undefined);
    if (found !== undefined) {
      if (!found.isDirectory()) throw refused(folder, `${printable(place)} is a file`);
      await access(place, constants.W_OK | constants.X_OK).catch(() => {
        throw refused(folder, `${printable(place)} is not writable`);
      });
      if (place !== whole) await tryToMake(folder, whole);
      return;
    }
    if (dirname(place) === place) return;
    place = dirname(place);
  }
}

/** Permissions are not enough: on some file systems, writing is allowed but no folder can be created. */
async function tryToMake(folder: string, whole: string): Promise<void> {
  const made = await makeFolder(whole).catch((error: Error) => {
    throw refused(folder, printable(error.message));
  });
  await removeFolders(made);
}

function refused(folder: string, why: string): RecalError {
  return new RecalError('out-place', `cannot write to ${printable(folder)}: ${why}`, {
    hint: 'set --out to a writable folder',
    exit: EXIT.usage,
  });
}
