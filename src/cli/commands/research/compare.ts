import { join } from 'node:path';
import { EXIT } from '../../../base/errors.js';
import { replaceFile } from '../../../base/files/replace-file.js';
import { ownVersion } from '../../../base/own-version.js';
import { printable } from '../../../base/printable.js';
import { safeJson } from '../../../base/safe-json.js';
import { defineSettings } from '../../../base/settings/settings.js';
import { parseThreshold } from '../../../detect/threshold/threshold.js';
import { compare } from '../../../evaluate/compare/compare.js';
import { COMPARE_LEGEND, compareTable, describeComparison } from '../../../evaluate/compare/compare-rows.js';
import { readLabels } from '../../../evaluate/labels/read-labels.js';
import { PROTOCOL_THRESHOLDS } from '../../../evaluate/protocol/protocol.js';
import { COMPARED, parseSeeds, resolveVariant, variantOf } from '../../../evaluate/protocol/variants.js';
import { withSplits } from '../../../evaluate/with-splits.js';
import { checkOutFolder } from '../../../pipeline/out-folder.js';
import { threadCount } from '../../../pipeline/threads.js';
import { defineCommand } from '../../command.js';
import {
  comparedValues,
  evaluationSettings,
  parseNames,
  variantsSetting,
} from '../../settings/evaluation-settings.js';
import { EvaluationProgress } from '../../terminal/evaluation-progress.js';
import { formatDuration } from '../../terminal/quantities.js';
import { renderTable } from '../../terminal/tables.js';

export const command = defineCommand({
  details:
    'Runs the detectors one after another, with the same threshold rule. Prints one table and writes compare.json and ' +
    'report.html. Finished runs stay in --out, so the same command continues after a stop, and runs only what is ' +
    'missing or has changed. docs/how-to/compare.md explains the columns.',
  examples: [
    'recal compare --train cadets --calibrate cadets --test cadets --labels labels.csv --out comparison',
    'recal compare --train lab --calibrate lab --test lab --labels labels.csv --variants recal,magic,threatrace --seeds 0 --out comparison',
  ],
  arguments: {},
  settings: defineSettings({ ...evaluationSettings, variants: variantsSetting(COMPARED) }),
  async run(_args, settings, context) {
    await checkOutFolder(settings.out);
    const { out, signal } = context;
    const started = performance.now();
    const rule = settings.threshold ?? PROTOCOL_THRESHOLDS[settings.protocol];
    const threshold = parseThreshold(rule, { oracle: true });
    const seeds = parseSeeds(settings.seeds);
    const { training, detection } = comparedValues(settings);
    const variants = parseNames(settings.variants).map((name) =>
      resolveVariant(variantOf(name), training, detection),
    );
    const labels = await readLabels(settings.labels, settings.tier);
    const ignore = settings.ignore === undefined ? undefined : await readLabels(settings.ignore);
    const progress = new EvaluationProgress(context, seeds.length);
    const warned = new Set<string>();
    const reading = { out: settings.out, threads: settings.threads, signal, watch: progress };
    const comparison = await withSplits(settings, reading, (splits) =>
      compare({
        splits,
        labels,
        ignore,
        threshold,
        seeds,
        variants,
        signal,
        folder: join(settings.out, 'runs'),
        tier: settings.tier,
        protocol: settings.protocol,
        matching: settings.match,
        allowPast: settings.allowPast,
        versions: { recal: ownVersion() },
        threads: threadCount(settings.threads),
        watch: {
          run: (contestant, seed, known, { number, count }) => {
            const place = `run ${number} of ${count}: `;
            progress.trial(place);
            if (known) out.info(`${place}seed ${seed}: ${contestant} finished earlier`);
          },
          evaluation: {
            started: (_, notes) => {
              for (const note of notes) if (!warned.has(note)) out.warn(printable(note, 400));
              for (const note of notes) warned.add(note);
            },
            stage: (run, stage, done) => progress.stage(run, stage, done),
            finished: (run, done) => progress.finished(run, done),
          },
        },
      }),
    ).finally(() => progress.finish());
    if (comparison === undefined) {
      out.warn('stopped before the first run was finished; run the same command to start again');
      return EXIT.done;
    }
    await replaceFile(join(settings.out, 'compare.json'), `${safeJson(comparison)}\n`);
    // The plotting libraries take a second to load, and are needed only now.
    const { writeCompareReport } = await import('../../../evaluate/compare/compare-report.js');
    await writeCompareReport(comparison, settings.out);
    out.result(comparison, function* () {
      const { headings, rows } = compareTable(comparison);
      yield* renderTable(headings, rows, out);
      yield '';
      yield describeComparison(comparison.about);
      yield* COMPARE_LEGEND;
      for (const note of comparison.notes) yield `note: ${printable(note, 1000)}`;
      const time = formatDuration(performance.now() - started);
      const left = comparison.complete ? '' : ', stopped early; run the same command to continue';
      yield `written to ${printable(settings.out)} in ${time}${left}`;
    });
    return EXIT.done;
  },
});
