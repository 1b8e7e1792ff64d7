import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { REPORT_FILE } from '../page/page.js';

const MARK = '<meta name="generator" content="recal ';

/** Throws rather than overwrite a page that recal did not write. Commands also call it before long work. */
export async function checkReportPath(folder: string): Promise<void> {
  const path = join(folder, REPORT_FILE);
  if ((await isRecalReport(path)) !== false) return;
  throw new RecalError('foreign-file', `${printable(path)} was not written by recal`, {
    hint: 'choose a new or empty folder, or skip the page with --no-report',
  });
}

/** Tells whether recal wrote the page. Undefined if the file does not exist. */
export async function isRecalReport(path: string): Promise<boolean | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(2048), 0, 2048, 0);
      return buffer.toString('utf8', 0, bytesRead).includes(MARK);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'ENOTDIR')) return undefined;
    if (isSystemError(error, 'EISDIR')) return false;
    throw error;
  }
}
