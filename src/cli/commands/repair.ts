import { EXIT } from '../../base/errors.js';
import { countOf } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import { defineSettings } from '../../base/settings/settings.js';
import { type Repair, repairStore } from '../../store/integrity/repair.js';
import { describeDamage } from '../../store/integrity/verify-segments.js';
import { defineCommand } from '../command.js';
import { storeSetting } from '../settings/store-and-model.js';
import { formatCount } from '../terminal/quantities.js';

export const command = defineCommand({
  details:
    'Takes damaged segments out of the store, and restores a lost manifest from its copy or from the segments. Moves ' +
    'what is damaged or unknown to the folder set-aside, and deletes nothing.',
  examples: ['recal repair --store /data/recal'],
  arguments: {},
  settings: defineSettings({ store: storeSetting }),
  async run(_args, { store }, { out }) {
    const result = await repairStore(store);
    for (const damage of result.damaged) out.warn(describeDamage(damage));
    out.result(result, () => render(result));
    return EXIT.done;
  },
});

function* render({ manifest, damaged, moved, lostStates, segments, events }: Repair): Generator<string> {
  if (manifest === 'copy') yield 'restored the manifest from its copy';
  if (manifest === 'rebuilt') {
    yield 'rebuilt the manifest from the segments; splits, names and hashes of the files are lost';
  }
  if (damaged.length > 0) yield `took ${formatCount(damaged.length)} damaged segments out of the store`;
  if (lostStates) yield 'the reader states are lost; the next part of a log is read without them';
  for (const path of moved) yield `moved to ${printable(path)}`;
  if (manifest === 'intact' && damaged.length + moved.length === 0) yield 'nothing to repair';
  yield `the store has ${countOf(events, 'event')} in ${countOf(segments, 'segment')}`;
}
