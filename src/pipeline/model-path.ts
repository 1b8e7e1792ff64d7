import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { EXIT, RecalError } from '../base/errors.js';
import { isFolder } from '../base/files/make-folder.js';
import { printable } from '../base/printable.js';
import { isForeignFile } from '../model/file/model-file.js';
import { checkpointPath, hasCheckpoint } from '../model/training/checkpoint.js';
import type { NoticeListener } from './notice.js';

/** Fails before hours of training if the model could not be written afterwards. */
export async function checkModelPath(model: string): Promise<void> {
  const obstacle = await findObstacle(model);
  if (obstacle !== undefined) {
    throw new RecalError('model-place', `cannot write the model: ${obstacle}`, {
      hint: 'set --model to a file in an existing, writable folder',
      exit: EXIT.usage,
    });
  }
  if (await isForeignFile(model)) {
    throw new RecalError('model-place', `${printable(model)} exists and is not a recal model`, {
      hint: 'set --model to another name, or remove the file',
      exit: EXIT.usage,
    });
  }
}

async function findObstacle(model: string): Promise<string | undefined> {
  // The checkpoint stands beside the model, and both are first written under a temporary name.
  const names = [model, checkpointPath(model)].flatMap((name) => [name, `${name}.new`]);
  for (const name of names) if (await isFolder(name)) return `${printable(name)} is a folder`;
  const folder = dirname(resolve(model));
  if (!(await isFolder(folder))) return `the folder ${printable(folder)} does not exist`;
  return access(folder, constants.W_OK).then(
    () => undefined,
    () => `the folder ${printable(folder)} is not writable`,
  );
}

/** Fails if `resume` is set without a checkpoint; gives a notice if a checkpoint is about to be replaced. */
export async function checkResume(model: string, resume: boolean, notice?: NoticeListener): Promise<void> {
  const exists = await hasCheckpoint(model);
  const name = printable(checkpointPath(model));
  if (exists && !resume) {
    notice?.({
      level: 'info',
      message: `starting over; to continue from the checkpoint ${name}, add --resume`,
    });
  }
  if (exists || !resume) return;
  throw new RecalError('no-checkpoint', `the checkpoint ${name} does not exist`, {
    hint: 'leave out --resume to start over',
    exit: EXIT.usage,
  });
}
