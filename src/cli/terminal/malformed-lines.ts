import { printable } from '../../base/printable.js';
import type { LocatedProblem } from '../../store/ingest-counters.js';
import type { Output } from './output.js';
import { formatCount } from './quantities.js';

/** Warns of malformed lines: how many, and the first with their places. */
export function warnOfProblems(
  out: Output,
  result: { malformed: number; problems: readonly LocatedProblem[] },
): void {
  if (result.malformed === 0) return;
  const lines =
    result.malformed === 1 ? '1 malformed line' : `${formatCount(result.malformed)} malformed lines`;
  out.warn(`skipped ${lines}`);
  for (const { file, line, reason } of result.problems) {
    out.warn(`  ${printable(file)}:${line}: ${printable(reason, 200)}`);
  }
  const more = result.malformed - result.problems.length;
  if (more > 0) out.warn(`  … and ${formatCount(more)} more`);
  if (result.problems.some(({ code }) => code === 'oversize')) {
    out.warn('  hint: read longer lines with --max-line BYTES');
  }
}
