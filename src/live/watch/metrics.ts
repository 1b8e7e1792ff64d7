import { ownVersion } from '../../base/own-version.js';

type Kind = 'counter' | 'gauge';

/**
 * Every metric: its kind, its help, and whether it can mean that somebody has to act. Labels have few values; text from logs
 * is never one.
 */
const METRICS = {
  recal_build_info: ['gauge', 'Version of recal; always 1.'],
  recal_phase: ['gauge', '1 for the phase that watch is in: learning, training or detecting.'],
  recal_events_received_total: ['counter', 'Events stored, by source.'],
  recal_lines_received_total: ['counter', 'Lines read, by source.'],
  recal_events_late_total: [
    'counter',
    'Events that came after their window was over. They are stored.',
    'alarm',
  ],
  recal_events_dropped_total: ['counter', 'Lines that gave no event, by stage and reason.', 'alarm'],
  recal_parse_errors_total: ['counter', 'Malformed lines.', 'alarm'],
  recal_source_loss_events_total: [
    'counter',
    'Records that the sensor or the source lost, as far as known.',
    'alarm',
  ],
  recal_ingest_lag_seconds: ['gauge', 'Age of the newest stored event.', 'alarm'],
  recal_source_lag_bytes: ['gauge', 'Bytes that wait to be read, by source.', 'alarm'],
  recal_graph_nodes: ['gauge', 'Nodes of the open span at its last scoring.'],
  recal_windows_scored_total: ['counter', 'Windows that were scored.'],
  recal_unscored_windows: ['gauge', 'Windows of the open span that are over but not scored yet.'],
  recal_score_duration_seconds: ['gauge', 'Duration of the last judgement, by stage.'],
  recal_candidates_total: ['counter', 'Nodes that were far from benign ones when scored.'],
  recal_alerts_total: ['counter', 'Notifications created, by severity.'],
  recal_alerts_suppressed_total: [
    'counter',
    'Incidents that a rule of recal suppress held back, by rule.',
    'alarm',
  ],
  recal_notifications_delivered_total: ['counter', 'Notifications delivered, by sink.'],
  recal_outbox_notifications: ['gauge', 'Notifications that are not yet delivered to every sink.', 'alarm'],
  recal_sink_errors_total: ['counter', 'Failed attempts to deliver, by sink.', 'alarm'],
  recal_model_age_seconds: ['gauge', 'Time since the model was trained.', 'alarm'],
  recal_calibration_samples: ['gauge', 'Benign episodes that the model was calibrated on.'],
  recal_checkpoint_age_seconds: ['gauge', 'Time since the last checkpoint.', 'alarm'],
  recal_trainings_total: ['counter', 'Trainings, by outcome: promoted, rejected or failed.', 'alarm'],
  recal_store_segments: ['gauge', 'Segments of the store.'],
  recal_judge_errors_total: ['counter', 'Judgements that failed and were tried again.', 'alarm'],
} as const satisfies Record<string, readonly [Kind, string, 'alarm'?]>;

export type MetricName = keyof typeof METRICS;
export type Labels = Readonly<Record<string, string>>;

/** Counts and measures, for Prometheus. */
export class Metrics {
  readonly #values = new Map<MetricName, Map<string, number>>();
  readonly #collectors: (() => void | Promise<void>)[] = [];

  constructor() {
    this.set('recal_build_info', 1, { version: ownVersion() });
  }

  add(name: MetricName, count: number, labels: Labels = {}): void {
    if (count === 0 && Object.keys(labels).length > 0) return;
    const values = this.#of(name);
    const key = text(labels);
    values.set(key, (values.get(key) ?? 0) + count);
  }

  set(name: MetricName, value: number, labels: Labels = {}): void {
    this.#of(name).set(text(labels), value);
  }

  get(name: MetricName, labels: Labels = {}): number {
    return this.#values.get(name)?.get(text(labels)) ?? 0;
  }

  /** Called before every reading, to set what is measured then. */
  collect(collector: () => void | Promise<void>): void {
    this.#collectors.push(collector);
  }

  /** The Prometheus text format, version 0.0.4. */
  async render(): Promise<string> {
    for (const collector of this.#collectors) await collector();
    const lines: string[] = [];
    for (const [name, [kind, help, alarm]] of Object.entries<readonly [Kind, string, 'alarm'?]>(METRICS)) {
      const values = this.#values.get(name as MetricName);
      if (values === undefined) continue;
      const more = alarm === undefined ? '' : ' What to do: docs/how-to/runbook.md.';
      lines.push(`# HELP ${name} ${help}${more}`, `# TYPE ${name} ${kind}`);
      for (const [labels, value] of values) lines.push(`${name}${labels} ${value}`);
    }
    return `${lines.join('\n')}\n`;
  }

  #of(name: MetricName): Map<string, number> {
    let values = this.#values.get(name);
    if (values === undefined) {
      values = new Map();
      this.#values.set(name, values);
    }
    return values;
  }
}

function text(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([key, value]) => `${key}="${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
