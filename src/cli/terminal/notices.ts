import { printable } from '../../base/printable.js';
import type { Notice } from '../../pipeline/notice.js';
import type { Output } from './output.js';

/** Prints a notice and its hint. */
export function reportNotice({ level, message, hint }: Notice, out: Output): void {
  if (level === 'info') {
    out.info(printable(message, 1000));
    return;
  }
  out.warn(printable(message, 1000));
  if (hint !== undefined) out.warn(`  hint: ${printable(hint, 1000)}`);
}
