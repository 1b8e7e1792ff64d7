import { NONE, ROLE } from './act.js';
import { CALLS } from './calls.js';

/** The descriptor that stands for the working folder (AT_FDCWD). */
export const WORKING_FOLDER = -100;

/** The argument with the folder descriptor that a path of a call starts from. -1 if it starts from the working folder. */
export function folderArgument(call: number, role: number, item: number): number {
  if (call === NONE) return -1;
  const { kind, folders } = CALLS[call];
  if (folders.length === 0) return -1;
  // The new name of a rename or link has a folder of its own.
  const second = kind === 'twoPaths' && (role === ROLE.create || (role === ROLE.parent && item > 0));
  return second ? folders[folders.length - 1] : folders[0];
}
