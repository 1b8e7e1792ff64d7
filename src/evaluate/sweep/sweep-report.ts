import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../base/files/replace-file.js';
import { h } from '../../report/page/html.js';
import { REPORT_FILE, renderPage } from '../../report/page/page.js';
import { caveatsOf } from '../report/caveats.js';
import { sensitivitySection } from '../report/sensitivity-section.js';
import type { SweepOutcome } from './sweep.js';
import type { Axis } from './sweep-axes.js';

/** Writes report.html: a curve for every numeric axis, and a table of all trials. Needs at least one trial. */
export async function writeSweepReport(
  axes: readonly Axis[],
  outcome: Pick<SweepOutcome, 'trials' | 'complete'>,
  folder: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, REPORT_FILE);
  await replaceFile(path, renderSweepReport(axes, outcome));
}

function renderSweepReport(
  axes: readonly Axis[],
  { trials, complete }: Pick<SweepOutcome, 'trials' | 'complete'>,
): string {
  const [{ result }] = trials;
  const sweeps = { run: `protocol ${result.protocol}`, axes, trials, complete };
  // Most caveats hold for every trial. Show each once.
  const runs = trials.map((trial) => ({ name: 'trial', result: trial.result, curves: {} }));
  const caveats = [...new Set(runs.flatMap((run) => caveatsOf({ title: '', runs: [run], sweeps })))];
  return renderPage({
    kind: 'Sweep report',
    title: `Sweep over ${axes.map(({ key }) => key).join(', ') || 'nothing'}`,
    generator: `recal ${result.versions.recal ?? ''}`.trim(),
    sections: [
      sensitivitySection(sweeps),
      {
        id: 'caveats',
        title: 'Caveats',
        content: h(
          'ul',
          {},
          caveats.map((each) => h('li', {}, each)),
        ),
      },
    ],
  });
}
