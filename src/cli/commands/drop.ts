import { z } from 'zod';
import { EXIT, RecalError } from '../../base/errors.js';
import { countOf } from '../../base/number-text.js';
import { defineSettings } from '../../base/settings/settings.js';
import { dropDays } from '../../store/drop-days.js';
import { StoreWriter } from '../../store/store.js';
import { defineCommand } from '../command.js';
import { storeSetting } from '../settings/store-and-model.js';
import { formatBytes, formatCount } from '../terminal/quantities.js';

export const command = defineCommand({
  details:
    'Removes the events of all days before the given day (UTC), and the entity records that no remaining event refers to.',
  examples: ['recal drop --store /data/recal --before 2018-04-06'],
  arguments: {},
  settings: defineSettings({
    store: storeSetting,
    before: {
      type: z.iso.date({ error: 'expected a day such as 2018-04-06' }),
      description: 'first day to keep',
      value: 'YYYY-MM-DD',
    },
    all: { type: z.boolean().default(false), description: 'allow removing every event' },
  }),
  async run(_args, { store, before, all }, { out }) {
    const writer = await StoreWriter.open(store, { create: false });
    try {
      const days = writer.manifest.segments.flatMap(({ day }) => (day === null ? [] : [day]));
      if (!all && days.length > 0 && days.every((day) => day < before)) throw everything(days, before);
      const dropped = await dropDays(writer, before);
      const { segments, events, statements, bytes } = dropped;
      out.result(dropped, () => [
        `removed ${countOf(events, 'event')} in ${countOf(segments, 'segment')}, and ${formatCount(statements)} ` +
          `entity records that are no longer used (${formatBytes(bytes)})`,
      ]);
      return EXIT.done;
    } finally {
      await writer.close();
    }
  },
});

/** Usually a typing error in the year. Dropped events cannot be restored. */
function everything(days: readonly string[], before: string): RecalError {
  const sorted = [...days].sort();
  return new RecalError('drop-all', `--before ${before} would remove every event in the store`, {
    hint: `the store contains ${sorted[0]} to ${sorted.at(-1)}; to remove everything permanently, add --all`,
    exit: EXIT.usage,
  });
}
