import { z } from 'zod';
import { EXIT, RecalError } from '../../base/errors.js';
import { countOf } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import { defineSettings } from '../../base/settings/settings.js';
import { verifyAlertFiles } from '../../report/detection/alert-files.js';
import { describeDamage } from '../../store/integrity/verify-segments.js';
import { type Verification, verifyStore } from '../../store/integrity/verify-store.js';
import { defineCommand } from '../command.js';
import { storeSetting } from '../settings/store-and-model.js';
import { formatBytes, formatCount } from '../terminal/quantities.js';

export const command = defineCommand({
  details:
    'Compares every file of a store with the checksums in its manifest, or every file of a results folder with those in ' +
    'its run.json. Exits with code 1 if something is damaged. Stores of 0.1.0 have no checksums; --add writes them.',
  examples: [
    'recal verify --store /data/recal',
    'recal verify --store /data/recal --add',
    'recal verify --alerts alerts',
  ],
  arguments: {},
  settings: defineSettings({
    store: { ...storeSetting, type: storeSetting.type.optional() },
    alerts: {
      type: z.string().min(1).optional(),
      description: 'folder that recal detect wrote',
      value: 'DIR',
    },
    add: { type: z.boolean().default(false), description: 'add checksums to segments that have none' },
  }),
  async run(_args, { store, alerts, add }, { out, signal }) {
    if (store === undefined && alerts === undefined) {
      throw new RecalError('usage-missing-value', 'nothing to verify', {
        hint: 'name a store with --store or a results folder with --alerts',
        exit: EXIT.usage,
      });
    }
    const result = store === undefined ? undefined : await verifyStore(store, { add, signal });
    for (const damage of result?.damaged ?? []) out.warn(describeDamage(damage));
    if (result !== undefined && result.damaged.length > 0) {
      out.warn(
        `  hint: restore them from a backup, or continue without them: recal repair --store ${printable(store ?? '')}`,
      );
    }
    const changed = alerts === undefined ? [] : await verifyAlertFiles(alerts);
    for (const what of changed) out.warn(what);
    if (changed.length > 0) out.warn('  hint: run recal detect again');
    const isStoreIntact =
      result === undefined || (result.damaged.length === 0 && result.backup !== 'differs');
    const isIntact = isStoreIntact && changed.length === 0;
    out.result({ intact: isIntact, ...result, ...(alerts === undefined ? {} : { changed }) }, function* () {
      if (result !== undefined) yield* render(result);
      if (alerts !== undefined && changed.length === 0) yield `${printable(alerts)} is intact`;
    });
    return isIntact ? EXIT.done : EXIT.error;
  },
});

function* render(result: Verification): Generator<string> {
  const { segments, bytes, damaged, withoutChecksum, added, backup, unlisted, setAside } = result;
  yield damaged.length === 0
    ? `${countOf(segments, 'segment')} (${formatBytes(bytes)}) ${segments === 1 ? 'is' : 'are'} intact`
    : `${formatCount(damaged.length)} of ${formatCount(segments)} segments are damaged`;
  if (added > 0) yield `wrote ${countOf(added, 'checksum')}`;
  if (withoutChecksum > 0) {
    yield `${formatCount(withoutChecksum)} segments have no checksum; write them with: recal verify --store DIR --add`;
  }
  if (backup === 'differs') {
    yield 'manifest.backup.json is damaged; restore it with: recal repair --store DIR';
  }
  if (backup === 'older') yield 'manifest.backup.json is of an earlier state; the next write replaces it';
  for (const { path, rows } of setAside) {
    yield `set aside earlier: ${path} (${countOf(rows, 'row')})`;
  }
  for (const path of unlisted) yield `not part of the store: ${printable(path)}`;
}
