import { dayOf } from '../../detect/alerts/activity.js';
import type { Detector } from '../../detect/detector.js';
import type { Detection } from '../../detect/find-incidents.js';
import type { ScoredGraph } from '../../detect/fusion/scored-graph.js';
import type { SplitGraphs } from '../../detect/split-graphs.js';
import type { AppliedThreshold } from '../../detect/threshold/apply-threshold.js';
import type { Selection } from '../../store/store.js';
import { type AlertRun, writeAlertFiles } from './alert-files.js';
import { checkReportPath } from './report-path.js';
import { ScoresBelowThreshold } from './scores-below-threshold.js';

/** The input of a detection, which its files describe beside the alerts. */
export interface DetectionContext {
  readonly detector: Detector;
  readonly graphs: SplitGraphs;
  readonly selection: Selection;
  /** Absolute path of the store; null if it is temporary. */
  readonly store: string | null;
  /** For example budget:5/day. */
  readonly rule: string;
  readonly applied: AppliedThreshold;
}

/** Collects scores for the report during a detection and writes the alerts folder at the end. */
export class DetectionFiles {
  readonly #context: DetectionContext;
  readonly #belowThreshold: ScoresBelowThreshold;

  constructor(context: DetectionContext) {
    this.#context = context;
    this.#belowThreshold = new ScoresBelowThreshold(context.graphs.names, context.graphs.events.table);
  }

  /** Pass this to `detect`, which calls it with the scores of each graph. */
  readonly seen = (graph: ScoredGraph): void => {
    const { applied } = this.#context;
    const { nodes } = graph.view.planned;
    const day = dayOf(graph.view);
    this.#belowThreshold.add(graph, (v) => applied.alarms(graph.scores[v], nodes[v], day));
  };

  /** Writes alerts and incidents and, with `report`, the page. */
  async write(
    folder: string,
    found: Detection,
    { report, raised }: { report: boolean; raised?: Omit<AppliedThreshold, 'alarms'> | undefined },
  ): Promise<AlertRun> {
    const { detector, graphs, selection, store, rule, applied } = this.#context;
    const { split, host, from, to } = selection;
    const { alerts, incidents, counts } = found;
    // Where episodes are judged, they are raised by their own threshold.
    const shown = raised ?? applied;
    const run = {
      model: detector.model.id,
      threshold: { value: shown.tau, rule, note: shown.note },
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
    if (!report) return writeAlertFiles(folder, { alerts, incidents, run });
    await checkReportPath(folder);
    const { ts, length } = graphs.events.table;
    // Plots take a second to load, so load them only for a page.
    const { renderDetectionReport } = await import('./detection-report.js');
    const html = renderDetectionReport({
      alerts,
      incidents,
      run,
      span: [ts[0], ts[length - 1]],
      belowThreshold: this.#belowThreshold.points(),
      zerosLeftOut: this.#belowThreshold.leftOut,
      threshold: {
        ...run.threshold,
        found: shown.threshold,
        nodes: shown === applied ? undefined : applied.tau,
        hostDays: detector.calibration.benign.hostDays,
      },
    });
    return writeAlertFiles(folder, { alerts, incidents, run, report: html });
  }
}
