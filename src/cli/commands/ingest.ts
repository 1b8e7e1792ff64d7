import { z } from 'zod';
import { EXIT } from '../../base/errors.js';
import { countOf } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import { defineSettings } from '../../base/settings/settings.js';
import { expandInputs } from '../../ingest/sources/inputs.js';
import { ingestFiles } from '../../store/ingest.js';
import { defineCommand } from '../command.js';
import { readingSettings, withReading } from '../settings/reading.js';
import { storeSetting } from '../settings/store-and-model.js';
import { warnOfProblems } from '../terminal/malformed-lines.js';
import { formatCount, formatDuration } from '../terminal/quantities.js';
import { renderSummary } from '../terminal/summary.js';

export const command = defineCommand({
  details:
    'Adds all files, or none if one fails. Skips what the store already contains: a file that has grown adds its new ' +
    'lines, and a rotated or compressed log is recognised. Files may be plain, .gz, .tar.gz or .zst (Node 22.15 or ' +
    'newer); - is standard input.',
  examples: [
    'recal ingest ta1-cadets-e3-official.json* --store cadets --as train',
    'zcat more.json.gz | recal ingest - --store cadets --append --as test',
    'recal ingest /var/log/audit/audit.log* --store host --append',
  ],
  arguments: { files: { description: 'log files, globs, or -', many: true } },
  settings: defineSettings({
    store: storeSetting,
    as: {
      type: z
        .string()
        .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'expected letters, digits, dots, underscores and hyphens')
        .optional(),
      description: 'split of these files, such as train, calibrate or test',
      value: 'SPLIT',
    },
    append: {
      type: z.boolean().default(false),
      description: 'add to a store that already contains other files',
    },
    ...readingSettings,
  }),
  async run(args, settings, context) {
    const started = performance.now();
    const files = await expandInputs([...args.files]);
    const { store, append, as: split } = settings;
    const result = await withReading(files, settings, context, (options) =>
      ingestFiles(files, { ...options, store, split, append }),
    );
    warnOfProblems(context.out, result);
    const { out } = context;
    for (const name of result.known) out.info(`already in the store: ${printable(name)}`);
    for (const { name, lines } of result.grown)
      out.info(
        `${printable(name)} has grown: the first ${formatCount(lines)} lines are in the store already`,
      );
    if ((result.skipped.unfinishedLine ?? 0) > 0 && result.status === 'added')
      out.info('the last line is incomplete; a later ingest reads it once it is complete');
    if (result.dropped > 0) {
      out.warn(
        `${formatCount(result.dropped)} of these events were removed with recal drop and stay removed`,
      );
    }
    const seconds = (performance.now() - started) / 1000;
    out.result({ ...result, seconds }, function* () {
      yield* renderSummary(result, result.files, out);
      yield '';
      const done = result.status === 'added' ? 'added to' : 'already in';
      const rate = formatCount(Math.round(result.events / seconds));
      yield `${countOf(result.events, 'event')} ${done} ${printable(store)} in ${formatDuration(seconds * 1000)}` +
        (result.status === 'added' ? ` (${rate} events/s)` : '');
    });
    return EXIT.done;
  },
});
