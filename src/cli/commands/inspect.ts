import { EXIT } from '../../base/errors.js';
import { defineSettings } from '../../base/settings/settings.js';
import { expandInputs } from '../../ingest/sources/inputs.js';
import { inspectFiles } from '../../store/inspect.js';
import { defineCommand } from '../command.js';
import { readingSettings, withReading } from '../settings/reading.js';
import { warnOfProblems } from '../terminal/malformed-lines.js';
import { renderReadings } from '../terminal/readings-table.js';
import { renderSummary } from '../terminal/summary.js';

export const command = defineCommand({
  details:
    'Prints the format, the records, the events by relation and how each was read, the entity types, losses, the time span, the share of events out of ' +
    'order, the entities that no record defines, and the first malformed lines.',
  examples: ['recal inspect audit.json.gz', 'recal inspect ta1-theia-e3-official-6r.json* --json'],
  arguments: { files: { description: 'log files, globs, or -', many: true } },
  settings: defineSettings(readingSettings),
  async run(args, settings, context) {
    const started = performance.now();
    const files = await expandInputs([...args.files]);
    const result = await withReading(files, settings, context, (options) => inspectFiles(files, options));
    warnOfProblems(context.out, result);
    const seconds = (performance.now() - started) / 1000;
    const { out } = context;
    out.result({ ...result, seconds }, () => [
      ...renderSummary(result, result.files, out),
      '',
      out.bold('how relations were read'),
      ...renderReadings(result.readings, out),
    ]);
    return EXIT.done;
  },
});
