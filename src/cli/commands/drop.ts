import { z } from 'zod';
import { EXIT, RecalError } from '../../base/errors.js';
import { defineSettings } from '../../base/settings.js';
import { StoreWriter } from '../../store/store.js';
import { defineCommand } from '../command.js';
import { storeSetting } from '../settings/store-and-model.js';
import { formatBytes, formatCount } from '../terminal/quantities.js';

export const command = defineCommand({
  details: 'Removes the events of all days before the one given (UTC). What is known of entities stays.',
  examples: ['recal drop --store /data/recal --before 2018-04-06'],
  arguments: {},
  settings: defineSettings({
    store: storeSetting,
    before: {
      type: z.iso.date({ error: 'expected a day such as 2018-04-06' }),
      description: 'first day that is kept',
      value: 'YYYY-MM-DD',
    },
    all: { type: z.boolean().default(false), description: 'also where that leaves no event' },
  }),
  async run(_args, { store, before, all }, { out }) {
    const writer = await StoreWriter.open(store, { create: false });
    try {
      const days = writer.manifest.segments.flatMap(({ day }) => (day === null ? [] : [day]));
      if (!all && days.length > 0 && days.every((day) => day < before)) throw everything(days, before);
      const dropped = await writer.drop(({ day }) => day === null || day >= before);
      const rows = dropped.reduce((sum, segment) => sum + segment.rows, 0);
      const bytes = dropped.reduce((sum, segment) => sum + segment.bytes, 0);
      out.result({ segments: dropped.length, events: rows, bytes }, () => [
        `${formatCount(rows)} events of ${dropped.length} segments removed (${formatBytes(bytes)})`,
      ]);
      return EXIT.done;
    } finally {
      await writer.close();
    }
  },
});

/** Most often a slip of the year; dropped events do not come back. */
function everything(days: readonly string[], before: string): RecalError {
  const sorted = [...days].sort();
  return new RecalError('drop-all', `--before ${before} would leave no event in the store`, {
    hint: `it holds ${sorted[0]} to ${sorted.at(-1)}, and what is dropped does not come back; if that is meant, say --all`,
    exit: EXIT.usage,
  });
}
