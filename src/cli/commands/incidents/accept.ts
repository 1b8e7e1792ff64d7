import { existsSync } from 'node:fs';
import { z } from 'zod';
import { EXIT, RecalError } from '../../../base/errors.js';
import { printable } from '../../../base/printable.js';
import { defineSettings } from '../../../base/settings/settings.js';
import { acceptAndClose } from '../../../live/triage/accept-and-close.js';
import { type AcceptResult, undoAccept } from '../../../pipeline/accept.js';
import { readAcceptances } from '../../../pipeline/acceptances.js';
import { defineCommand } from '../../command.js';
import { modelSetting } from '../../settings/store-and-model.js';
import { alertFoldersSetting, authorSetting, triageSetting } from '../../settings/triage.js';
import { placesOf, watchFolderSetting } from '../../settings/watch-folder.js';
import { countAcceptances, describeTorn, renderAccepted } from '../../terminal/accepted-table.js';
import type { Output } from '../../terminal/output.js';
import { formatCount } from '../../terminal/quantities.js';

export const command = defineCommand({
  details:
    'From the next recal detect on, the new programs and behaviours of these incidents count as normal. recal watch uses acceptances too (--dir DIR). ' +
    'Anything else that the same programs do for the first time is still judged. Acceptances are kept in MODEL.accepted.jsonl beside the model, with author, reason and time; --undo undoes one.',
  examples: [
    'recal accept 389cb54b --alerts alerts --model host.recal --reason "labtool installed, ticket 17"',
    'recal accept --list --model host.recal',
    'recal accept 389cb54b --dir /var/lib/recal --reason "labtool installed, ticket 17"',
    'recal accept --undo 5d0c1f22 --model host.recal --reason "not the real labtool"',
    'recal accept --aged 3 --alerts daily --model host.recal --reason "seen on three days"',
  ],
  arguments: {
    incidents: { description: 'ids of incidents, or their first characters', many: true, optional: true },
  },
  settings: defineSettings({
    model: {
      ...modelSetting('model file; acceptances are kept beside it'),
      type: z.string().min(1).optional(),
    },
    alerts: alertFoldersSetting,
    dir: watchFolderSetting,
    reason: {
      type: z.string().min(1).max(4096).optional(),
      description: 'why it is harmless',
      value: 'TEXT',
    },
    author: authorSetting,
    triage: triageSetting,
    list: { type: z.boolean().default(false), description: 'show all acceptances, including undone ones' },
    undo: {
      type: z.string().min(1).optional(),
      description: 'undo the acceptance with this id, or its first characters',
      value: 'ID',
    },
    aged: {
      type: z.coerce.number().int().min(2).optional(),
      description:
        'accept the incidents whose behaviours were seen on at least N days or hosts, unless they contacted a new address',
      value: 'N',
    },
  }),
  async run({ incidents }, { reason, author, list, undo, aged, ...given }, { out }) {
    const { alerts, triage, model } = placesOf(given);
    if (model === undefined)
      throw usage('--model is required', 'add --model FILE, or --dir DIR for a folder of recal watch');
    const ways = [incidents.length > 0, list, undo !== undefined, aged !== undefined].filter(Boolean).length;
    if (ways !== 1) throw usage('give incidents, or one of --list, --undo and --aged');
    if (list) {
      const { path, accepted, tornBytes } = await readAcceptances(model);
      if (tornBytes > 0) out.warn(describeTorn(path, tornBytes));
      out.result({ path, tornBytes, accepted }, () => renderAccepted(accepted, out));
      return EXIT.done;
    }
    if (reason === undefined) throw usage('--reason is required', 'add --reason TEXT');
    const by = { model, reason, author };
    if (undo !== undefined) {
      const undone = await undoAccept({ ...by, id: undo });
      out.result(undone, () => [
        `undone: acceptance ${undone.id.slice(0, 8)} of incident ${undone.incident.slice(0, 8)}; its behaviours are new again`,
      ]);
      return EXIT.done;
    }
    if (alerts.length === 0)
      throw usage('--alerts is required: the folder with the incidents', 'add --alerts DIR, or --dir DIR');
    if (!existsSync(model))
      throw new RecalError('no-model', `${printable(model)} does not exist`, {
        hint: 'name the model of recal detect with --model; acceptances beside another file have no effect',
      });
    const result = await acceptAndClose({ ...by, alerts, ids: incidents, aged, triage });
    out.result(result, () => render(result, model, out));
    return EXIT.done;
  },
});

function* render(
  { accepted, known, keysLeftOut }: AcceptResult,
  model: string,
  look: Output,
): Generator<string> {
  if (accepted.length > 0) yield* renderAccepted(accepted, look);
  yield `${countAcceptances(accepted.length)} added${known > 0 ? `, ${formatCount(known)} accepted before` : ''}`;
  if (keysLeftOut > 0) {
    yield `${formatCount(keysLeftOut)} behaviours stay new, because the incident records do not list them in full`;
  }
  if (accepted.length === 0) return;
  yield `to undo: recal accept --undo ${accepted[0].id.slice(0, 8)} --model ${printable(model)} --reason TEXT`;
}

function usage(message: string, hint = 'run recal accept --help'): RecalError {
  return new RecalError('usage-invalid-argument', message, {
    hint,
    exit: EXIT.usage,
  });
}
