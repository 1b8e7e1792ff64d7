import { join, resolve } from 'node:path';
import { z } from 'zod';
import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { defineSettings } from '../../base/settings.js';
import { isoTime } from '../../base/time-text.js';
import { type Detection, findIncidents } from '../../detect/find-incidents.js';
import { type AppliedThreshold, applyThreshold } from '../../detect/threshold/apply-threshold.js';
import { formatThreshold, parseThreshold } from '../../detect/threshold/threshold.js';
import { incidentActions } from '../../report/detection/actions.js';
import { checkReportPath, DetectionFiles } from '../../report/detection/detection-files.js';
import { REPORT_FILE } from '../../report/page/page.js';
import { describeContents } from '../../store/nothing-selected.js';
import type { Store } from '../../store/store.js';
import { DEFAULT_THRESHOLD, percentage, renderThreshold } from '../calibrating.js';
import { defineCommand } from '../command.js';
import { openDetector } from '../open-detector.js';
import { checkOutFolder } from '../settings/out-place.js';
import { selectAfter, selectingSettings, selectionOf } from '../settings/selecting.js';
import { modelSetting, storeSetting } from '../settings/store-and-model.js';
import { threadsSetting } from '../settings/threads.js';
import type { Output } from '../terminal/output.js';
import { formatBytes, formatCount, formatDuration } from '../terminal/quantities.js';
import { renderTable } from '../terminal/tables.js';

/** Incidents listed; all are in the files. */
const LISTED = 20;

export const command = defineCommand({
  name: 'detect',
  summary: 'score events with a model, and write ranked, explained alerts and incidents',
  details:
    'Scores what comes after the time that the model was calibrated on, unless told otherwise, and writes alerts.jsonl, ' +
    'incidents.jsonl, alerts.csv and run.json, and report.html for people. docs/reference/alerts.md describes every field.',
  examples: [
    'recal detect --store cadets --split test --model cadets.recal --out alerts',
    'recal detect --store own --model web.recal --threshold budget:1/week --out alerts --fail-on-alert',
  ],
  arguments: {},
  settings: defineSettings({
    store: storeSetting,
    model: modelSetting('model file, calibrated'),
    ...selectingSettings,
    threshold: {
      type: z.string().default(DEFAULT_THRESHOLD),
      description: 'budget:N/day (or /hour, /week) of false incidents a host, fpr:P of instances, or fdr:Q',
      value: 'RULE',
    },
    out: { type: z.string().min(1), description: 'folder for the results', value: 'DIR' },
    failOnAlert: {
      type: z.boolean().default(false),
      description: `exit with ${EXIT.alerts} where there is an alert`,
    },
    report: {
      type: z.boolean().default(true),
      description: 'write report.html, a page that needs nothing else; leave it out with --no-report',
    },
    threads: threadsSetting('results are'),
  }),
  async run(_args, settings, context) {
    const { out, signal } = context;
    const started = performance.now();
    const spec = parseThreshold(settings.threshold);
    const rule = formatThreshold(spec);
    await checkOutFolder(settings.out);
    if (settings.report) await checkReportPath(settings.out);
    const { store, detector } = await openDetector(settings);
    try {
      const asked = selectionOf(settings);
      const selection = selectAfter(asked, detector.calibration.lastTs);
      const { watch } = detector;
      const graphs = await watch.time('reading', () =>
        detector.graphsOf(store, selection).catch((error: unknown) => {
          throw selection === asked || asked.host !== undefined
            ? error
            : nothingLater(error, store, detector.calibration.lastTs);
        }),
      );
      const scoring = percentage('scoring', context);
      const applied = await applyThreshold(spec, detector, graphs, signal);
      if (applied.threshold !== undefined) {
        for (const line of renderThreshold(rule, applied.threshold, detector.calibration.benign.hostDays))
          out.info(line);
      }
      const files = new DetectionFiles({
        detector,
        graphs,
        selection,
        rule,
        applied,
        store: resolve(settings.store),
      });
      const found = await findIncidents(detector, graphs, {
        threshold: applied,
        signal,
        seen: settings.report ? files.seen : undefined,
        progress: scoring.update,
      }).finally(scoring.finish);
      const run = await watch.time('files', () =>
        files.write(settings.out, found, { report: settings.report }),
      );
      const seconds = (performance.now() - started) / 1000;
      const value = {
        out: settings.out,
        ...run,
        threshold: { ...run.threshold, ...applied.threshold },
        seconds,
        stages: watch.seconds,
        peakBytes: 1024 * process.resourceUsage().maxRSS,
      };
      out.info(describeCost(value));
      out.result({ ...value, incidents: found.incidents.slice(0, LISTED) }, () =>
        renderDetection(found, applied, { out: settings.out, report: settings.report, seconds }, out),
      );
      return settings.failOnAlert && found.alerts.length > 0 ? EXIT.alerts : EXIT.done;
    } finally {
      await detector.close();
    }
  },
});

/** Nobody asked for a time: say why what is there was passed over. */
function nothingLater(error: unknown, store: Store, last: bigint): unknown {
  if (!(error instanceof RecalError) || error.code !== 'nothing-selected') return error;
  return new RecalError(
    error.code,
    `nothing in the store is later than what the model was calibrated on, until ${isoTime(last)}`,
    {
      hint: `name what to score with --split or --from; ${describeContents(store)}`,
      exit: EXIT.usage,
    },
  );
}

/** Where the time went, the longest first, and the most memory. */
function describeCost({ stages, peakBytes }: { stages: Record<string, number>; peakBytes: number }): string {
  const parts = Object.entries(stages)
    .sort((a, b) => b[1] - a[1])
    .map(([stage, seconds]) => `${stage} ${formatDuration(1000 * seconds)}`);
  return `time: ${parts.join(', ')}; memory at most ${formatBytes(peakBytes)}`;
}

/** The incidents by rank, and where the rest is. */
function* renderDetection(
  { alerts, incidents, counts }: Detection,
  { note }: AppliedThreshold,
  { out: folder, report, seconds }: { out: string; report: boolean; seconds: number },
  look: Output,
): Generator<string> {
  const actionsIn = incidentActions(alerts, 2);
  if (incidents.length > 0) {
    yield* renderTable(
      ['', 'incident', 'severity', 'prominence', 'score', 'from', 'entities', 'root', 'what'],
      incidents
        .slice(0, LISTED)
        .map((incident) => [
          String(incident.rank),
          incident.id.slice(0, 8),
          incident.severity,
          incident.prominence.toFixed(1),
          incident.score.toFixed(1),
          incident.first.iso.slice(0, 16).replace('T', ' '),
          new Set(incident.alerts.map(({ entity }) => entity.id)).size,
          incident.root.name ?? incident.root.id,
          actionsIn(incident),
        ]),
      look,
    );
    yield '';
    if (incidents.length > LISTED) yield `… and ${formatCount(incidents.length - LISTED)} more incidents`;
  }
  if (note !== null) yield note;
  yield `${formatCount(counts.alerts)} alerts in ${formatCount(counts.incidents)} incidents, of ${formatCount(counts.instances)} instances in ${formatCount(counts.graphs)} graphs (${formatCount(counts.events)} events) in ${formatDuration(seconds * 1000)}`;
  if (counts.alertsLeftOut > 0) {
    yield `the lowest ${formatCount(counts.alertsLeftOut)} alerts are not written: raise the threshold`;
  }
  yield `written to ${printable(folder)}: alerts.jsonl, incidents.jsonl, alerts.csv, run.json${report ? `, ${REPORT_FILE}` : ''}`;
  if (report) yield `open in a browser: ${printable(join(folder, REPORT_FILE))}`;
  if (incidents.length > 0)
    yield `look at the first with: recal explain ${incidents[0].id.slice(0, 8)} --alerts ${printable(folder)}`;
}
