import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Study } from '../../src/evaluate/report/study.js';
import { writeStudy } from '../../src/evaluate/report/study-report.js';
import { writeSweepReport } from '../../src/evaluate/sweep/sweep-report.js';
import { renderDetectionReport } from '../../src/report/detection/detection-report.js';
import { REPORT_FILE } from '../../src/report/page/page.js';
import { makeSmallAlerts } from '../detect/alerts/small-alerts.js';
import { resultOf } from '../evaluate/report/sample-result.js';
import { sampleStudy } from '../evaluate/report/sample-study.js';
import { sharedFolder } from '../folders.js';
import { smallReport } from './small-report.js';

/** Every kind of page that a command writes. */
export const PAGES: Readonly<Record<string, () => Promise<string>>> = {
  detection: async () => renderDetectionReport(smallReport(await makeSmallAlerts(sharedFolder()))),
  evaluation: () => studyPage(sampleStudy()),
  sweep: () =>
    readPage((folder) => {
      const trials = [0, 0.5, 1].map((gamma) => ({
        assignment: { gamma },
        id: String(gamma),
        result: resultOf({ recal: [0.3 + gamma / 3, 0.4] }),
      }));
      return writeSweepReport([{ key: 'gamma', values: [0, 0.5, 1] }], { trials, complete: true }, folder);
    }),
};

export function studyPage(study: Study): Promise<string> {
  return readPage((folder) => writeStudy(study, folder));
}

async function readPage(write: (folder: string) => Promise<void>): Promise<string> {
  const folder = sharedFolder();
  await write(folder);
  return readFile(join(folder, REPORT_FILE), 'utf8');
}
