import { z } from 'zod';
import { EXIT } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { defineSettings } from '../../base/settings.js';
import type { Incident } from '../../detect/alerts/alert.js';
import { DEFAULT_EPISODES, DEFAULT_THRESHOLD } from '../../pipeline/calibration-summary.js';
import { type DetectResult, detect } from '../../pipeline/detect.js';
import { incidentActions } from '../../report/detection/actions.js';
import { defineCommand } from '../command.js';
import { selectionOf, selectionSettings } from '../settings/selection.js';
import { modelSetting, storeSetting, trustSetting } from '../settings/store-and-model.js';
import { threadsSetting } from '../settings/threads.js';
import { renderThreshold } from '../terminal/calibration-summary.js';
import type { Output } from '../terminal/output.js';
import { formatBytes, formatCount, formatDuration } from '../terminal/quantities.js';
import { StageProgress } from '../terminal/stage-progress.js';
import { warnOfStore } from '../terminal/store-notes.js';
import { renderTable } from '../terminal/tables.js';

/** Incidents printed; the files hold all of them. */
const LISTED = 20;

export const command = defineCommand({
  details:
    'Scores all events after those used for calibration, unless you select a split or a time range. Writes ' +
    'alerts.jsonl, incidents.jsonl, alerts.csv, run.json and report.html. docs/reference/alerts.md describes every field.',
  examples: [
    'recal detect --store cadets --split test --model cadets.recal --out alerts',
    'recal detect --store own --model web.recal --threshold budget:1/week --out alerts --fail-on-alert',
  ],
  arguments: {},
  settings: defineSettings({
    store: storeSetting,
    model: modelSetting('calibrated model file'),
    trust: trustSetting,
    ...selectionSettings,
    threshold: {
      type: z.string().optional(),
      description: `which incidents to raise: top:N/day (or /hour, /week), the first N per host; budget:N/day false incidents per host; fpr:P or fdr:Q (default: ${DEFAULT_EPISODES}, or ${DEFAULT_THRESHOLD} for a model that judges nodes)`,
      value: 'RULE',
    },
    out: { type: z.string().min(1), description: 'folder for the results', value: 'DIR' },
    failOnAlert: {
      type: z.boolean().default(false),
      description: `exit with code ${EXIT.alerts} if there is an alert`,
    },
    report: { type: z.boolean().default(true), description: 'do not write report.html' },
    memory: {
      type: z.coerce.number().int().min(64).optional(),
      description: 'refuse to use more memory than this, in MiB (default: 60 % of the memory)',
      value: 'MIB',
    },
    threads: threadsSetting('the result'),
  }),
  async run(_args, settings, context) {
    const { out, signal } = context;
    const progress = new StageProgress(context);
    const { store, model, threshold, report, threads, memory } = settings;
    await warnOfStore(store, context.out);
    const result = await detect({
      store,
      model,
      trust: settings.trust,
      threshold,
      report,
      threads,
      memory,
      out: settings.out,
      selection: selectionOf(settings),
      signal,
      watch: {
        progress: (done) => progress.update('scoring', done),
        threshold: ({ rule, found, hostDays }) => {
          if (found === undefined) return;
          for (const line of renderThreshold(rule, found, hostDays)) out.info(line);
        },
      },
    }).finally(() => progress.finish());
    const { run, seconds, stages } = result;
    const peakBytes = 1024 * process.resourceUsage().maxRSS;
    out.info(describeCost(stages, peakBytes));
    const value = {
      out: settings.out,
      ...run,
      threshold: { ...run.threshold, ...result.threshold.found },
      seconds,
      stages,
      peakBytes,
      incidents: result.incidents.slice(0, LISTED),
    };
    out.result(value, () => renderDetection(result, out));
    return settings.failOnAlert && result.alerts.length > 0 ? EXIT.alerts : EXIT.done;
  },
});

/** Time by stage, longest first, and peak memory. */
function describeCost(stages: Readonly<Record<string, number>>, peakBytes: number): string {
  const parts = Object.entries(stages)
    .sort((a, b) => b[1] - a[1])
    .map(([stage, seconds]) => `${stage} ${formatDuration(1000 * seconds)}`);
  return `time: ${parts.join(', ')}; peak memory ${formatBytes(peakBytes)}`;
}

/** The first new acts of an episode, in order of time; undefined without any. */
function firstActs({ episode }: Incident): string | undefined {
  if (episode === null || episode.acts.length === 0) return undefined;
  return episode.acts
    .slice(0, 2)
    .map(({ what }) => what)
    .join('; ');
}

function* renderDetection(result: DetectResult, look: Output): Generator<string> {
  const { alerts, incidents, counts, threshold, seconds, report } = result;
  const actionsIn = incidentActions(alerts, 2);
  if (incidents.length > 0) {
    yield* renderTable(
      ['', 'incident', 'severity', 'score', 'from', 'entities', 'root', 'what'],
      incidents
        .slice(0, LISTED)
        .map((incident) => [
          String(incident.rank),
          incident.id.slice(0, 8),
          incident.severity,
          incident.score.toFixed(1),
          incident.first.iso.slice(0, 16).replace('T', ' '),
          incident.episode?.processCount ?? new Set(incident.alerts.map(({ entity }) => entity.id)).size,
          incident.root.name ?? incident.root.id,
          firstActs(incident) ?? actionsIn(incident),
        ]),
      look,
    );
    yield '';
    if (incidents.length > LISTED) yield `… and ${formatCount(incidents.length - LISTED)} more incidents`;
  }
  if (threshold.note !== null) yield threshold.note;
  yield `${formatCount(counts.alerts)} alerts in ${formatCount(counts.incidents)} incidents, from ${formatCount(counts.instances)} instances in ${formatCount(counts.graphs)} graphs (${formatCount(counts.events)} events) in ${formatDuration(seconds * 1000)}`;
  if (counts.alertsLeftOut > 0) {
    yield `the ${formatCount(counts.alertsLeftOut)} lowest alerts were not written; use a stricter --threshold`;
  }
  const files = ['alerts.jsonl', 'incidents.jsonl', 'alerts.csv', 'run.json'];
  if (report !== undefined) files.push('report.html');
  yield `written to ${printable(result.out)}: ${files.join(', ')}`;
  if (report !== undefined) yield `open in a browser: ${printable(report)}`;
  if (incidents.length > 0) {
    yield `explain the first incident: recal explain ${incidents[0].id.slice(0, 8)} --alerts ${printable(result.out)}`;
  }
}
