import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { replaceFile } from '../../base/replace-file.js';
import { dayOf } from '../../detect/alerts/activity.js';
import type { Detector } from '../../detect/detector.js';
import type { Detection } from '../../detect/find-incidents.js';
import type { ScoredGraph } from '../../detect/fusion/scored-graph.js';
import type { SplitGraphs } from '../../detect/split-graphs.js';
import type { AppliedThreshold } from '../../detect/threshold/apply-threshold.js';
import type { Selection } from '../../store/store.js';
import { REPORT_FILE } from '../page/page.js';
import { type AlertRun, writeAlertFiles } from './alert-files.js';
import { ScoresBelowThreshold } from './scores-below-threshold.js';

/** What a detection was asked and made of: all that its files say beside the alerts. */
export interface DetectionContext {
  readonly detector: Detector;
  readonly graphs: SplitGraphs;
  readonly selection: Selection;
  /** Folder of the store, whole; null where nobody should look for it later. */
  readonly store: string | null;
  /** As asked for, such as budget:5/day. */
  readonly rule: string;
  readonly applied: AppliedThreshold;
}

/** Collects what the report draws while a detection runs, and writes the folder when it is done. */
export class DetectionFiles {
  readonly #context: DetectionContext;
  readonly #quiet: ScoresBelowThreshold;

  constructor(context: DetectionContext) {
    this.#context = context;
    this.#quiet = new ScoresBelowThreshold(context.graphs.names, context.graphs.events.table);
  }

  /** For `detect`: called with each graph's scores. */
  readonly seen = (graph: ScoredGraph): void => {
    const { applied } = this.#context;
    const { nodes } = graph.view.planned;
    const day = dayOf(graph.view);
    this.#quiet.add(graph, (v) => applied.alarms(graph.scores[v], nodes[v], day));
  };

  /** Alerts and incidents; with `report`, a page for people beside them. */
  async write(folder: string, found: Detection, { report }: { report: boolean }): Promise<AlertRun> {
    const { detector, graphs, selection, store, rule, applied } = this.#context;
    const { split, host, from, to } = selection;
    const { alerts, incidents, counts } = found;
    const run = {
      model: detector.model.id,
      threshold: { value: applied.tau, rule, note: applied.note },
      selection: {
        split: split ?? null,
        host: host ?? null,
        from: from?.toString() ?? null,
        to: to?.toString() ?? null,
      },
      store,
      hosts: [...graphs.events.hosts],
      counts,
    };
    if (report) await checkReportPath(folder);
    const written = await writeAlertFiles(folder, { alerts, incidents, run });
    const path = join(folder, REPORT_FILE);
    // A page about an earlier run beside the alerts of this one would mislead.
    if (!report) {
      if (await isOurReport(path)) await rm(path);
      return written;
    }
    const { ts, length } = graphs.events.table;
    // Plots take a second to load: only who wants a page waits for them.
    const { renderDetectionReport } = await import('./detection-report.js');
    const html = renderDetectionReport({
      alerts,
      incidents,
      run,
      span: [ts[0], ts[length - 1]],
      quiet: this.#quiet.points(),
      quietLeftOut: this.#quiet.leftOut,
      threshold: {
        ...run.threshold,
        found: applied.threshold,
        hostDays: detector.calibration.benign.hostDays,
      },
    });
    await replaceFile(path, html);
    return written;
  }
}

const MARK = '<meta name="generator" content="recal ';

/** A page of that name that we did not write stays as it is. Asked before long work, too. */
export async function checkReportPath(folder: string): Promise<void> {
  if ((await isOurReport(join(folder, REPORT_FILE))) !== false) return;
  throw new RecalError('foreign-file', `${printable(folder)} holds a ${REPORT_FILE} that is none of ours`, {
    hint: 'give a new or empty folder, or leave the page out with --no-report',
  });
}

/** Undefined where there is none. */
async function isOurReport(path: string): Promise<boolean | undefined> {
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
