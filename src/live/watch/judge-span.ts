import { RecalError } from '../../base/errors.js';
import type { Alert, Incident } from '../../detect/alerts/alert.js';
import { Detector } from '../../detect/detector.js';
import { parseThreshold, type ThresholdSpec } from '../../detect/threshold/threshold.js';
import { readModelFile } from '../../model/file/model-file.js';
import { readAcceptedBehaviours } from '../../pipeline/acceptances.js';
import { DEFAULT_EPISODES } from '../../pipeline/calibration-summary.js';
import { detect } from '../../pipeline/detect.js';
import { type ToldEpisodes, tellEpisodes } from '../../pipeline/tell.js';
import { Store } from '../../store/store.js';
import { type Notification, notificationOf } from '../sinks/notification.js';
import { couldCover } from '../triage/suppression-match.js';
import type { Suppression } from '../triage/triage-ledger.js';

/** Asks for the incidents of a span of time. */
export interface JudgeRequest {
  /** `tell` counts what is new; `score` runs the whole detection and writes its files to `out`. */
  readonly kind: 'tell' | 'score';
  readonly store: string;
  readonly model: string;
  /** Where the model in use always is. People accept incidents beside it, or beside the model itself. */
  readonly current: string;
  readonly from: bigint;
  readonly to: bigint;
  readonly threshold?: string | undefined;
  readonly out: string;
  readonly threads?: number | undefined;
  /** Those that hold. `tell` says which of them could cover an incident once its alerts are known. */
  readonly suppressions: readonly Suppression[];
}

/** An incident, as far as the decision to tell it needs. */
export interface JudgedIncident {
  readonly notification: Notification;
  readonly processes: number;
  /** Incidents of this score that benign events give per host and day; null if the model judges nodes. */
  readonly falsePerDay: number | null;
  /** Whether that rate was counted: enough benign incidents are known, and some of them scored as high. */
  readonly counted: boolean;
  /** Only without alerts: the ids of the suppressions that could cover it once they are known. */
  readonly undecided: readonly string[];
}

export interface JudgedSpan {
  /** By rank: those that the threshold raises. */
  readonly incidents: readonly JudgedIncident[];
  readonly graphs: number;
  readonly nodes: number;
  readonly candidates: number;
  readonly seconds: number;
  readonly stages: Readonly<Record<string, number>>;
}

const NOTHING: Omit<JudgedSpan, 'seconds'> = {
  incidents: [],
  graphs: 0,
  nodes: 0,
  candidates: 0,
  stages: {},
};

/** Judges spans of a store. Keeps the detector, and the learned scores of the span that was scored last. */
export class SpanJudge {
  #model = '';
  #detector: Detector | undefined;
  #learnedOf = '';
  #learned = new Map<string, number>();

  async judge(request: JudgeRequest): Promise<JudgedSpan> {
    const started = performance.now();
    const found = await (request.kind === 'tell' ? this.#tell(request) : this.#score(request)).catch(
      (error: unknown) => {
        if (error instanceof RecalError && error.code === 'nothing-selected') return NOTHING;
        throw error;
      },
    );
    return { ...found, seconds: (performance.now() - started) / 1000 };
  }

  async #tell({
    store,
    model,
    current,
    from,
    to,
    threshold,
    threads,
    suppressions,
  }: JudgeRequest): Promise<Omit<JudgedSpan, 'seconds'>> {
    const detector = await this.#open(model, threads);
    const rule = parseThreshold(threshold ?? DEFAULT_EPISODES) as Exclude<ThresholdSpec, { kind: 'oracle' }>;
    const known = {
      learned: this.#learnedOf === keyOf(model, from) ? this.#learned : new Map<string, number>(),
      accepted: await readAcceptedBehaviours([model, current]),
    };
    const told = await tellEpisodes(detector, await Store.open(store), { from, to }, rule, known);
    const incidents = (told ?? []).map((each) =>
      judgedIncident(each.incident, new Map(), undecidedOf(each, suppressions)),
    );
    return { ...NOTHING, incidents };
  }

  async #score({
    store,
    model,
    current,
    from,
    to,
    threshold,
    out,
    threads,
  }: JudgeRequest): Promise<Omit<JudgedSpan, 'seconds'>> {
    const learned = new Map<string, number>();
    const { incidents, alerts, counts, stages } = await detect({
      store,
      model,
      out,
      threshold,
      threads,
      report: false,
      acceptedBeside: [current],
      selection: { from, to },
      watch: {
        scored: ({ ids, scores }) => {
          ids.forEach((id, i) => {
            if (scores[i] > (learned.get(id) ?? 0)) learned.set(id, scores[i]);
          });
        },
      },
    });
    this.#learned = learned;
    this.#learnedOf = keyOf(model, from);
    const byId = new Map(alerts.map((alert) => [alert.id, alert]));
    return {
      incidents: incidents.map((incident) => judgedIncident(incident, byId, [])),
      graphs: counts.graphs,
      nodes: counts.instances,
      candidates: counts.candidates,
      stages,
    };
  }

  async #open(model: string, threads = 1): Promise<Detector> {
    if (this.#detector !== undefined && this.#model === model) return this.#detector;
    await this.#detector?.close();
    this.#detector = await Detector.open(await readModelFile(model), { threads });
    this.#model = model;
    return this.#detector;
  }
}

function keyOf(model: string, from: bigint): string {
  return `${model} ${from}`;
}

function judgedIncident(
  incident: Incident,
  alerts: ReadonlyMap<string, Alert>,
  undecided: readonly string[],
): JudgedIncident {
  return {
    notification: notificationOf(incident, alerts),
    processes: incident.episode?.processCount ?? incident.alerts.length,
    falsePerDay: incident.episode?.falsePerDay ?? null,
    counted: incident.episode?.sure === 'resolved',
    undecided,
  };
}

function undecidedOf({ incident, touched }: ToldEpisodes, suppressions: readonly Suppression[]): string[] {
  if (suppressions.length === 0) return [];
  const entities = touched();
  return suppressions.filter((each) => couldCover(each, incident, entities)).map(({ id }) => id);
}
