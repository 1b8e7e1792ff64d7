import { z } from 'zod';
import { EXIT, RecalError } from '../../base/errors.js';
import { countOf } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import { defineSettings } from '../../base/settings/settings.js';
import type { ListedIncident } from '../../live/triage/list-incidents.js';
import { detectSinceLast, type SinceLastOptions } from '../../live/triage/since-last.js';
import type { Acceptances } from '../../pipeline/acceptances.js';
import { DEFAULT_EPISODES, DEFAULT_THRESHOLD } from '../../pipeline/calibration-summary.js';
import { type DetectResult, detect } from '../../pipeline/detect.js';
import { incidentActions } from '../../report/detection/actions.js';
import type { Selection } from '../../store/store.js';
import { defineCommand } from '../command.js';
import { selectionOf, selectionSettings } from '../settings/selection.js';
import { modelSetting, storeSetting, trustSetting } from '../settings/store-and-model.js';
import { threadsSetting } from '../settings/threads.js';
import { triageSetting } from '../settings/triage.js';
import { describeTorn } from '../terminal/accepted-table.js';
import { renderThreshold } from '../terminal/calibration-summary.js';
import { renderNews } from '../terminal/news.js';
import { reportNotice } from '../terminal/notices.js';
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
    'alerts.jsonl, incidents.jsonl, alerts.csv, run.json and report.html. docs/reference/alerts.md describes every field. With ' +
    `--since-last, each run writes to its own folder below --out and prints only new or changed incidents, so that cron sends mail only if there are any. --fail-on-alert then exits with code ${EXIT.alerts} only in that case.`,
  examples: [
    'recal detect --store cadets --split test --model cadets.recal --out alerts',
    'recal detect --store own --model web.recal --threshold budget:1/week --out alerts --fail-on-alert',
    'recal detect --store own --model web.recal --out daily --since-last',
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
    accepted: {
      type: z.boolean().default(true),
      description: 'ignore the acceptances beside the model (recal accept)',
    },
    sinceLast: {
      type: z.boolean().default(false),
      description:
        'score only what was ingested since the last run with this option, and print only new or changed incidents',
    },
    triage: triageSetting,
    memory: {
      type: z.coerce.number().int().min(64).optional(),
      description: "memory limit in MiB (default: 60 % of the machine's memory)",
      value: 'MIB',
    },
    threads: threadsSetting('the result'),
  }),
  async run(_args, settings, context) {
    const { out, signal } = context;
    const progress = new StageProgress(context);
    const { store, model, threshold, report, threads, memory } = settings;
    await warnOfStore(store, context.out);
    const asked = {
      store,
      model,
      trust: settings.trust,
      threshold,
      report,
      threads,
      accepted: settings.accepted,
      memory,
      out: settings.out,
      selection: selectionOf(settings),
      signal,
    };
    if (settings.sinceLast) {
      const news = await tellSinceLast({ ...asked, triage: settings.triage }, progress, out);
      return settings.failOnAlert && news > 0 ? EXIT.alerts : EXIT.done;
    }
    const result = await detect({
      ...asked,
      watch: {
        progress: (done) => progress.update('scoring', done),
        acceptances: (found, counts) => tellAcceptances(found, counts, out),
        notice: (notice) => reportNotice(notice, out),
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

/** Prints what is new or changed, and returns the number of those incidents. */
async function tellSinceLast(
  options: SinceLastOptions & { readonly selection: Selection },
  progress: StageProgress,
  out: Output,
): Promise<number> {
  const { from, to } = options.selection;
  if (from !== undefined || to !== undefined) {
    throw new RecalError('usage-invalid-argument', '--since-last selects the events itself', {
      hint: 'leave out --from and --to',
      exit: EXIT.usage,
    });
  }
  const result = await detectSinceLast({
    ...options,
    watch: {
      progress: (done) => progress.update('scoring', done),
      notice: (notice) => reportNotice(notice, out),
      acceptances: (found, { unsigned }) => tellAcceptances(found, { used: 0, unsigned }, out),
    },
  }).finally(() => progress.finish());
  const { detection, fresh, changed, suppressed } = result;
  const plain = ({ incident: { folder, ...incident } }: ListedIncident) => ({ ...incident, folder });
  const value = {
    out: detection?.out ?? null,
    new: fresh.map(plain),
    changed: changed.map(plain),
    suppressed,
    ...detection?.run,
  };
  out.result(value, () => renderNews(result, out));
  return fresh.length + changed.length;
}

function tellAcceptances(
  { path, tornBytes }: Acceptances,
  { used, unsigned }: { readonly used: number; readonly unsigned: number },
  out: Output,
): void {
  if (used > 0) out.info(`${countOf(used, 'acceptance')} used, from ${printable(path)}`);
  if (unsigned > 0) {
    out.warn(`${formatCount(unsigned)} acceptances are not used: --trust is set, and they are not signed`);
  }
  if (tornBytes > 0) out.warn(describeTorn(path, tornBytes));
}

/** Time by stage, longest first, and peak memory. */
function describeCost(stages: Readonly<Record<string, number>>, peakBytes: number): string {
  const parts = Object.entries(stages)
    .sort((a, b) => b[1] - a[1])
    .map(([stage, seconds]) => `${stage} ${formatDuration(1000 * seconds)}`);
  return `time: ${parts.join(', ')}; peak memory ${formatBytes(peakBytes)}`;
}

function* renderDetection(result: DetectResult, look: Output): Generator<string> {
  const { alerts, incidents, counts, threshold, seconds, report } = result;
  const actionsIn = incidentActions(alerts, 2);
  if (incidents.length > 0) {
    const judgesEpisodes = incidents.some(({ episode }) => episode !== null);
    yield* renderTable(
      [
        '',
        'incident',
        'severity',
        'score',
        'from',
        judgesEpisodes ? 'processes' : 'entities',
        'root',
        'what',
      ],
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
          actionsIn(incident),
        ]),
      look,
    );
    yield '';
    if (incidents.length > LISTED) yield `… and ${formatCount(incidents.length - LISTED)} more incidents`;
  }
  if (threshold.note !== null) yield threshold.note;
  yield `${countOf(counts.alerts, 'alert')} in ${countOf(counts.incidents, 'incident')}, from ${countOf(counts.instances, 'instance')} in ${countOf(counts.graphs, 'graph')} (${countOf(counts.events, 'event')}) in ${formatDuration(seconds * 1000)}`;
  if (counts.alertsLeftOut > 0) {
    yield `${formatCount(counts.alertsLeftOut)} alerts with the lowest scores of their kind were not written; use a stricter --threshold`;
  }
  const files = ['alerts.jsonl', 'incidents.jsonl', 'alerts.csv', 'run.json'];
  if (report !== undefined) files.push('report.html');
  yield `written to ${printable(result.out)}: ${files.join(', ')}`;
  if (report !== undefined) yield `open in a browser: ${printable(report)}`;
  if (incidents.length > 0) {
    yield `explain the first incident: recal explain ${incidents[0].id.slice(0, 8)} --alerts ${printable(result.out)}`;
  }
}
