import { EXIT } from '../../../base/errors.js';
import { printable } from '../../../base/printable.js';
import { defineSettings } from '../../../base/settings/settings.js';
import { DEFAULT_VARIANTS, parseSeeds } from '../../../evaluate/protocol/variants.js';
import { evaluate } from '../../../evaluate/run-evaluation.js';
import { defineCommand } from '../../command.js';
import {
  comparedValues,
  evaluationSettings,
  parseNames,
  variantsSetting,
} from '../../settings/evaluation-settings.js';
import { EvaluationProgress } from '../../terminal/evaluation-progress.js';
import { renderEvaluation } from '../../terminal/evaluation-table.js';
import { formatDuration } from '../../terminal/quantities.js';

export const command = defineCommand({
  details:
    'Trains, calibrates and scores every variant with every seed on the same splits. Writes result.json, scores.csv ' +
    'and report.html. Ctrl-C keeps the finished seeds. docs/how-to/evaluate.md explains the protocols, ' +
    'docs/reference/metrics.md the figures.',
  examples: [
    'recal evaluate --train cadets --calibrate cadets --test cadets --labels labels.csv --out figures',
    'recal evaluate --train train.json.gz --calibrate calibrate.json.gz --test test.json.gz --labels labels.csv --variants recal,rarity --seeds 0 --out figures',
    'recal evaluate --train e3#train --calibrate e3#late --test e3#test --labels threatrace.txt --protocol paper --out paper',
  ],
  arguments: {},
  settings: defineSettings({ ...evaluationSettings, variants: variantsSetting(DEFAULT_VARIANTS) }),
  async run(_args, settings, context) {
    const { out, signal } = context;
    const started = performance.now();
    const seeds = parseSeeds(settings.seeds);
    const progress = new EvaluationProgress(context, seeds.length);
    const { train, calibrate, test, labels, ignore, protocol, match, threshold, tier, allowPast, threads } =
      settings;
    const result = await evaluate({
      train,
      calibrate,
      test,
      labels,
      ignore,
      protocol,
      match,
      threshold,
      tier,
      allowPast,
      threads,
      seeds,
      variants: parseNames(settings.variants),
      ...comparedValues(settings),
      out: settings.out,
      signal,
      watch: progress,
    }).finally(() => progress.finish());
    out.result(result, function* () {
      yield* renderEvaluation(result, out);
      yield `written to ${printable(settings.out)} in ${formatDuration(performance.now() - started)}`;
    });
    return EXIT.done;
  },
});
