import { z } from 'zod';
import { EXIT } from '../base/errors.js';
import { defineSettings } from '../base/settings.js';
import { StoreWriter } from '../graph/store.js';
import { defineCommand } from './command.js';
import { formatBytes, formatCount } from './quantities.js';
import { storeSetting } from './store-and-model.js';

export const command = defineCommand({
  name: 'drop',
  summary: 'remove old days from a store',
  details: 'Removes the events of all days before the one given (UTC). What is known of entities stays.',
  examples: ['recal drop --store /data/recal --before 2018-04-06'],
  arguments: {},
  settings: defineSettings({
    store: storeSetting,
    before: { type: z.iso.date(), description: 'first day that is kept', value: 'YYYY-MM-DD' },
  }),
  async run(_args, { store, before }, { out }) {
    const writer = await StoreWriter.open(store, { create: false });
    try {
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
