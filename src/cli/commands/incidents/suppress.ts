import { z } from 'zod';
import { EXIT, RecalError } from '../../../base/errors.js';
import { countOf } from '../../../base/number-text.js';
import { defineSettings } from '../../../base/settings/settings.js';
import { suppress, unsuppress } from '../../../live/triage/decide.js';
import { listIncidents } from '../../../live/triage/list-incidents.js';
import {
  type Suppression,
  type SuppressionRule,
  TriageState,
  triagePath,
} from '../../../live/triage/triage-ledger.js';
import { readAlertFolders } from '../../../report/detection/alert-folders.js';
import { defineCommand } from '../../command.js';
import { alertFoldersSetting, authorSetting, triageSetting, untilSetting } from '../../settings/triage.js';
import { placesOf, watchFolderSetting } from '../../settings/watch-folder.js';
import { describeTorn } from '../../terminal/accepted-table.js';
import { formatCount } from '../../terminal/quantities.js';
import { type Look, renderTable } from '../../terminal/tables.js';

const text = (description: string, value: string) => ({
  type: z.string().min(1).max(4096).optional(),
  description,
  value,
});

export const command = defineCommand({
  details:
    'add hides matching incidents until a date; list shows all rules; remove ends a rule early. --entity and --path match an incident ' +
    'if its root matches, or if the entities of all its alerts match. --parent, --relation and --child match an incident if one of its alerts ' +
    'shows this relation and its root is the parent or the child. recal watch applies rules while it runs. Suppressed incidents are still detected and counted; list them with recal incidents --status suppressed.',
  examples: [
    'recal suppress add --path "/opt/scanner/*" --reason "pen test, ticket 18" --expires 14d --alerts alerts',
    'recal suppress add --parent cron --relation fork --child /opt/backup.sh --reason "new backup" --expires 2026-12-31 --store host',
    'recal suppress list --store host',
    'recal suppress add --entity /opt/labtool --reason "course this week" --expires 5d --dir /var/lib/recal',
    'recal suppress remove 5d0c1f22 --reason "test is over" --store host',
  ],
  arguments: {
    action: { description: 'add, list or remove' },
    id: { description: 'id of the suppression to remove, or its first characters', optional: true },
  },
  settings: defineSettings({
    alerts: alertFoldersSetting,
    dir: watchFolderSetting,
    store: text('folder of the store that the alerts come from', 'DIR'),
    triage: triageSetting,
    entity: text('id or exact name of an entity', 'TEXT'),
    path: text('name or path; * and ? are wildcards, also across folders', 'GLOB'),
    parent: text('name of the acting process; * and ? are wildcards', 'GLOB'),
    relation: text('relation between parent and child, as in the log', 'NAME'),
    child: text('name of the entity that the process acts on; * and ? are wildcards', 'GLOB'),
    host: text('only on these hosts; * and ? are wildcards', 'GLOB'),
    reason: text('why', 'TEXT'),
    owner: text('who is responsible for it (default: the author)', 'NAME'),
    expires: {
      type: untilSetting,
      description: 'when it ends: 12h, 14d, 2w, a date or a time',
      value: 'TIME',
    },
    author: authorSetting,
  }),
  async run({ action, id }, settings, { out }) {
    const { alerts, triage, store, dir } = settings;
    const places = placesOf({ alerts, triage, store, dir });
    const found = await readAlertFolders(places.alerts);
    const path = triagePath({ triage: places.triage, store: places.store, folders: found.folders });
    if (path === undefined)
      throw usage('one of --alerts, --dir, --store and --triage is required', 'add --store DIR');
    const { reason, author, owner, host, expires } = settings;
    if (action === 'list') {
      const state = await TriageState.read(path);
      if (state.tornBytes > 0) out.warn(describeTorn(path, state.tornBytes));
      const now = Date.now();
      const rows = state.suppressions.map((each) => ({
        ...each,
        state: each.removed ? 'removed' : Date.parse(each.expires) <= now ? 'expired' : 'active',
      }));
      out.result({ path, suppressions: rows }, () => renderSuppressions(rows, out));
    } else if (action === 'add') {
      if (reason === undefined || expires === undefined)
        throw usage('--reason and --expires are required', 'add --reason TEXT --expires 14d');
      const rule = ruleOf(settings);
      const added = await suppress({ triage: path, rule, host, reason, owner, author, expires });
      const { suppressed } = listIncidents(
        found,
        new TriageState([{ kind: 'suppress', version: 1, ...added }]),
      );
      out.result({ ...added, covers: suppressed }, () => [
        `suppression ${added.id.slice(0, 8)} is active until ${added.expires}`,
        ...(found.folders.length > 0
          ? [
              `it matches ${formatCount(suppressed)} of ${countOf(found.incidents.length, 'incident')} in the given folders`,
            ]
          : []),
        ...(found.incidents.length > 0 && suppressed === 0 && rule.by !== 'start'
          ? [
              '--path and --entity match an incident if its root matches, or the entities of all its alerts do',
            ]
          : []),
      ]);
    } else if (action === 'remove') {
      if (id === undefined || reason === undefined) throw usage('give the id of a suppression and --reason');
      const removed = await unsuppress({ triage: path, id, reason, author });
      out.result(removed, () => [`suppression ${removed.id.slice(0, 8)} is removed`]);
    } else throw usage('use recal suppress add, list or remove');
    return EXIT.done;
  },
});

function ruleOf({
  entity,
  path,
  parent,
  relation,
  child,
}: Readonly<
  Record<'entity' | 'path' | 'parent' | 'relation' | 'child', string | undefined>
>): SuppressionRule {
  const isStart = parent !== undefined && relation !== undefined && child !== undefined;
  const hasPart = parent !== undefined || relation !== undefined || child !== undefined;
  if (entity !== undefined && path === undefined && !hasPart) return { by: 'entity', entity };
  if (path !== undefined && entity === undefined && !hasPart) return { by: 'path', glob: path };
  if (isStart && entity === undefined && path === undefined) return { by: 'start', parent, relation, child };
  throw new RecalError('suppression-invalid', 'a suppression needs exactly one rule', {
    hint: 'use --entity, --path, or --parent with --relation and --child',
    exit: EXIT.usage,
  });
}

function renderSuppressions(
  rows: readonly (Suppression & { readonly state: string })[],
  look: Look,
): string[] {
  if (rows.length === 0) return ['nothing is suppressed'];
  return renderTable(
    ['id', 'state', 'until', 'owner', 'host', 'rule', 'reason'],
    rows.map(({ id, state, expires, owner, host, rule, reason }) => [
      id.slice(0, 8),
      state,
      expires.slice(0, 16).replace('T', ' '),
      owner,
      host ?? '*',
      rule.by === 'entity'
        ? rule.entity
        : rule.by === 'path'
          ? rule.glob
          : `${rule.parent} ${rule.relation} ${rule.child}`,
      reason,
    ]),
    look,
  );
}

function usage(message: string, hint = 'run recal suppress --help'): RecalError {
  return new RecalError('usage-invalid-argument', message, {
    hint,
    exit: EXIT.usage,
  });
}
