import { z } from 'zod';
import { EXIT } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { defineSettings } from '../../base/settings.js';
import { describeDamage } from '../../store/integrity/verify-segments.js';
import { type Verification, verifyStore } from '../../store/integrity/verify-store.js';
import { defineCommand } from '../command.js';
import { storeSetting } from '../settings/store-and-model.js';
import { formatBytes, formatCount } from '../terminal/quantities.js';

export const command = defineCommand({
  details:
    'Compares every file of the store with the checksums in its manifest. Exits with code 1 if something is damaged. ' +
    'Stores of 0.1.0 have no checksums; --add writes them.',
  examples: ['recal verify --store /data/recal', 'recal verify --store /data/recal --add'],
  arguments: {},
  settings: defineSettings({
    store: storeSetting,
    add: { type: z.boolean().default(false), description: 'write the checksums that old segments lack' },
  }),
  async run(_args, { store, add }, { out, signal }) {
    const result = await verifyStore(store, { add, signal });
    for (const damage of result.damaged) out.warn(describeDamage(damage));
    if (result.damaged.length > 0) {
      out.warn(
        `  hint: restore them from a backup, or go on without them with: recal repair --store ${printable(store)}`,
      );
    }
    const isIntact = result.damaged.length === 0 && result.backup !== 'differs';
    out.result({ intact: isIntact, ...result }, () => render(result));
    return isIntact ? EXIT.done : EXIT.error;
  },
});

function* render(result: Verification): Generator<string> {
  const { segments, bytes, damaged, withoutChecksum, added, backup, unlisted, setAside } = result;
  yield damaged.length === 0
    ? `${formatCount(segments)} segments (${formatBytes(bytes)}) are intact`
    : `${formatCount(damaged.length)} of ${formatCount(segments)} segments are damaged`;
  if (added > 0) yield `wrote ${formatCount(added)} checksums`;
  if (withoutChecksum > 0) {
    yield `${formatCount(withoutChecksum)} segments have no checksum; write them with: recal verify --store DIR --add`;
  }
  if (backup === 'differs') {
    yield 'manifest.backup.json is damaged; restore it with: recal repair --store DIR';
  }
  for (const { path, rows } of setAside) {
    yield `set aside earlier: ${path} (${formatCount(rows)} rows)`;
  }
  for (const path of unlisted) yield `not part of the store: ${printable(path)}`;
}
