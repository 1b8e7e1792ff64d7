import { join, resolve } from 'node:path';
import { append } from '../base/append.js';
import { EXIT, RecalError } from '../base/errors.js';
import { isoTime } from '../base/time-text.js';
import type { Alert, Incident } from '../detect/alerts/alert.js';
import type { Detector } from '../detect/detector.js';
import { AcceptedBehaviours } from '../detect/episodes/novelty/accepted-behaviours.js';
import { findEpisodes } from '../detect/find-episodes.js';
import { type Detection, findIncidents } from '../detect/find-incidents.js';
import type { ScoredGraph } from '../detect/fusion/scored-graph.js';
import type { SplitGraphs } from '../detect/split-graphs.js';
import { type AppliedThreshold, applyThreshold } from '../detect/threshold/apply-threshold.js';
import { formatThreshold, parseThreshold, type Threshold } from '../detect/threshold/threshold.js';
import type { AlertRun } from '../report/detection/alert-files.js';
import { DetectionFiles } from '../report/detection/detection-files.js';
import { checkReportPath } from '../report/detection/report-path.js';
import { REPORT_FILE } from '../report/page/page.js';
import { describeContents } from '../store/nothing-selected.js';
import type { Selection, Store } from '../store/store.js';
import { type Acceptances, type Accepted, readAcceptances } from './acceptances.js';
import { DEFAULT_EPISODES, DEFAULT_THRESHOLD } from './calibration-summary.js';
import { checkEventMemory, checkGraphMemory, memoryLimit } from './detect-memory.js';
import type { NoticeListener } from './notice.js';
import { openDetector, selectAfter } from './open-detector.js';
import { checkOutFolder } from './out-folder.js';

/** Which nodes get an alert if the model judges episodes. */
const ALERT_DETAIL = 'budget:20/day';
/** From this share of entities with unknown relations on, a model does not fit the events. */
const UNFAMILIAR = 0.5;

export interface DetectOptions {
  /** Folder of the store. */
  readonly store: string;
  /** Calibrated model file. */
  readonly model: string;
  /** Folder for the results. */
  readonly out: string;
  /** Events to judge; by default everything after the time the model was calibrated on. */
  readonly selection?: Selection | undefined;
  /** Leaves out events before this time, and those that the model was calibrated on. In nanoseconds since 1970. */
  readonly since?: bigint | undefined;
  /**
   * top:N/day or budget:N/day (or /hour, /week), fpr:P or fdr:Q. Default: top:10/day, or budget:5/day for a model that
   * judges nodes.
   */
  readonly threshold?: string | undefined;
  /** Write report.html beside the alerts. Default: true. */
  readonly report?: boolean | undefined;
  /** File of a public key. The model must be signed with its private key. */
  readonly trust?: string | undefined;
  /**
   * Use what people accepted beside the model (`accept`). Default: true, but never with `trust`, because acceptances are
   * not signed.
   */
  readonly accepted?: boolean | undefined;
  /** Other model files whose acceptances are used too. */
  readonly acceptedBeside?: readonly string[] | undefined;
  /** Compute threads; one per core by default. Results do not depend on it. */
  readonly threads?: number | undefined;
  /** MiB that detection may use; 60 % of the machine's memory by default. A selection that needs more is refused before the work. */
  readonly memory?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly watch?: DetectWatch | undefined;
}

/** Receives the progress of `detect`. */
export interface DetectWatch {
  /** Progress of scoring, from 0 to 1. */
  progress?(done: number): void;
  /** The acceptances beside the model were read. */
  acceptances?(acceptances: Acceptances, counts: { readonly used: number; readonly unsigned: number }): void;
  /** Something that the user should know, such as that the model does not fit the events. */
  notice?: NoticeListener;
  /** The threshold is known. */
  threshold?(threshold: DetectThreshold): void;
  /** The scores of one graph, including those below the threshold. */
  scored?(scores: GraphNodeScores): void;
}

/** The rule, and the score that it gave. */
export interface DetectThreshold {
  /** As given, in canonical form. */
  readonly rule: string;
  /** The lowest score that raises an alert. */
  readonly value: number;
  /** A note for the reader of the alerts, such as that the threshold is extrapolated; null if there is none. */
  readonly note: string | null;
  /** How it was found; undefined for a false discovery rate, which sets a score for every host and day. */
  readonly found: Threshold | undefined;
  /** Benign host-days that it was computed from. */
  readonly hostDays: number;
}

/** Scores of the nodes of one graph, by position. */
export interface GraphNodeScores {
  readonly host: string;
  /** First and last event of the graph, in nanoseconds since 1970. */
  readonly firstTs: bigint;
  readonly lastTs: bigint;
  readonly ids: readonly string[];
  readonly scores: Float64Array;
}

export interface DetectResult {
  /** Folder with the results. */
  readonly out: string;
  /** Path of report.html; undefined without a report. */
  readonly report: string | undefined;
  /** By score, highest first. */
  readonly alerts: readonly Alert[];
  /** By rank. */
  readonly incidents: readonly Incident[];
  readonly counts: Detection['counts'];
  readonly threshold: DetectThreshold;
  /** The contents of run.json. */
  readonly run: AlertRun;
  readonly seconds: number;
  /** Seconds by stage. */
  readonly stages: Readonly<Record<string, number>>;
}

/** Judges events of a store with a calibrated model and writes ranked, explained alerts, incidents and a report. */
export async function detect(options: DetectOptions): Promise<DetectResult> {
  const { out, watch, signal, report = true } = options;
  const started = performance.now();
  const given = options.threshold === undefined ? undefined : parseThreshold(options.threshold);
  await checkOutFolder(out);
  if (report) await checkReportPath(out);
  const { store, detector } = await openDetector(options);
  try {
    const { watch: clock, calibration } = detector;
    const { selection, graphs } = await clock.time('reading', () =>
      openGraphs(detector, store, options.selection ?? {}, {
        since: options.since,
        limit: memoryLimit(options.memory),
      }),
    );
    const isEpisodes = calibration.episodes !== undefined;
    const spec = given ?? parseThreshold(isEpisodes ? DEFAULT_EPISODES : DEFAULT_THRESHOLD);
    // Where episodes are judged, alerts only give details, so that the number of incidents does not depend on them.
    const detail = isEpisodes ? parseThreshold(ALERT_DETAIL) : spec;
    const applied = await applyThreshold(detail, detector, graphs, signal);
    const describe = ({
      tau,
      note,
      threshold: found,
    }: Omit<AppliedThreshold, 'alarms'>): DetectThreshold => ({
      rule: formatThreshold(spec),
      value: tau,
      note,
      found,
      hostDays: calibration.benign.hostDays,
    });
    if (!isEpisodes) watch?.threshold?.(describe(applied));
    const accepted = isEpisodes && options.accepted !== false ? await readAccepted(options) : undefined;
    const files = new DetectionFiles({
      detector,
      graphs,
      selection,
      rule: formatThreshold(spec),
      applied,
      store: resolve(options.store),
    });
    const finding = {
      threshold: applied,
      signal,
      progress: (done: number) => watch?.progress?.(done),
      seen: (graph: ScoredGraph) => {
        if (report) files.seen(graph);
        watch?.scored?.(nodeScores(graph, graphs));
      },
    };
    const { raised, ...found } =
      calibration.episodes !== undefined && spec.kind !== 'oracle'
        ? await findEpisodes(detector, graphs, { ...finding, rule: spec, accepted })
        : { ...(await findIncidents(detector, graphs, finding)), raised: undefined };
    const threshold = describe(raised ?? applied);
    if (isEpisodes) watch?.threshold?.(threshold);
    noticeUnfamiliar(found.counts, watch);
    const run = await clock.time('files', () => files.write(out, found, { report, raised }));
    return {
      out,
      report: report ? join(out, REPORT_FILE) : undefined,
      ...found,
      threshold,
      run,
      seconds: (performance.now() - started) / 1000,
      stages: clock.seconds,
    };
  } finally {
    await detector.close();
  }
}

/** A model of another kind of log knows few of the relations, and then everything scores high. */
function noticeUnfamiliar(
  { instances, newRelation }: Detection['counts'],
  watch: DetectWatch | undefined,
): void {
  if (newRelation <= UNFAMILIAR * instances) return;
  watch?.notice?.({
    level: 'warning',
    message: `${Math.round((100 * newRelation) / instances)} % of the scored entities have relations that training never saw; the model was trained on another kind of log`,
    hint: 'train a model on events of this kind: recal train',
  });
}

async function readAccepted(options: DetectOptions): Promise<AcceptedBehaviours> {
  const { model, acceptedBeside = [], trust, watch } = options;
  const all: Accepted[] = [];
  for (const each of new Set([model, ...acceptedBeside])) {
    const acceptances = await readAcceptances(each);
    const standing = acceptances.accepted.filter(({ undone }) => undone === null);
    const used = trust === undefined ? standing : [];
    watch?.acceptances?.(acceptances, { used: used.length, unsigned: standing.length - used.length });
    append(all, used);
  }
  return new AcceptedBehaviours(all);
}

async function openGraphs(
  detector: Detector,
  store: Store,
  asked: Selection,
  { since, limit }: { since: bigint | undefined; limit: number },
): Promise<{ selection: Selection; graphs: SplitGraphs }> {
  const { lastTs } = detector.calibration;
  const from = since === undefined || since > lastTs ? since : lastTs + 1n;
  const selection = from === undefined ? selectAfter(asked, lastTs) : { ...asked, from };
  checkEventMemory(store, selection, limit);
  try {
    const graphs = await detector.graphsOf(store, selection);
    checkGraphMemory(graphs, limit);
    return { selection, graphs };
  } catch (error) {
    throw selection === asked || asked.host !== undefined ? error : nothingLater(error, store, lastTs);
  }
}

/** Explains why the store's events were not judged although no time was given. */
function nothingLater(error: unknown, store: Store, last: bigint): unknown {
  if (!(error instanceof RecalError) || error.code !== 'nothing-selected') return error;
  return new RecalError(
    error.code,
    `the store contains no events after calibration ended at ${isoTime(last)}`,
    {
      hint: `select events with --split or --from; ${describeContents(store)}`,
      exit: EXIT.usage,
    },
  );
}

function nodeScores({ view, scores }: ScoredGraph, { events }: SplitGraphs): GraphNodeScores {
  const { nodes, rows } = view.planned;
  const { ts } = events.table;
  return {
    host: events.hosts[events.keys.hostAt(nodes[0])],
    firstTs: ts[rows[0]],
    lastTs: ts[rows[rows.length - 1]],
    ids: Array.from(nodes, (node) => events.uuid(node)),
    scores,
  };
}
