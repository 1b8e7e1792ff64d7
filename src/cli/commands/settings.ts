import { z } from 'zod';
import { EXIT } from '../../base/errors.js';
import {
  type DeclaredSetting,
  defineSettings,
  type SettingSource,
  surveySettings,
} from '../../base/settings/settings.js';
import { type CommandEntry, defineCommand } from '../command.js';
import { unknownCommand } from '../parse.js';
import { globalSettings } from '../settings/global-settings.js';
import { renderTable } from '../terminal/tables.js';

/** `recal settings`: the settings of the other commands, and where each value comes from. */
export function settingsCommand(entries: readonly CommandEntry[]) {
  return defineCommand({
    details:
      'Reads the environment and the configuration file like the other commands, and changes nothing. Settings without ' +
      'an option of their own are set with --set KEY=VALUE.',
    examples: ['recal settings train', 'RECAL_STORE=/data/store recal settings ingest --json'],
    arguments: { command: { description: 'show only the settings of this command', optional: true } },
    settings: defineSettings({
      changed: { type: z.boolean().default(false), description: 'leave out settings at their default' },
    }),
    async run(args, settings, { out, places }) {
      const rows = (await declaredBy(entries, args.command)).flatMap(({ name, declared }) =>
        surveySettings(declared, { ...places, flags: {} }, name).map((found) => ({
          command: name ?? 'all',
          key: found.entry.key,
          option: optionText(found.entry),
          env: found.entry.env,
          value: found.value,
          default: found.entry.defaultText ?? found.entry.default,
          from: found.missing ? 'required' : found.source.from,
          at: placeOf(found.source),
          description: found.entry.description,
          shown: [switchText(found.entry), valueText(found.entry, found.value)],
        })),
      );
      const shown = rows.filter(
        ({ from }) => !settings.changed || (from !== 'default' && from !== 'required'),
      );
      out.result({ settings: shown.map(({ shown: _, ...row }) => row) }, () =>
        renderTable(
          ['command', 'option', 'value', 'from', 'description'],
          shown.map((row) => [
            row.command,
            ...row.shown,
            row.from === 'required' ? 'required, not set' : (row.at ?? row.from),
            row.description.replace(DEFAULT_NOTE, ''),
          ]),
          out,
        ),
      );
      return EXIT.done;
    },
  });
}

/** The default as the description of an option gives it. The table has a column for values. */
const DEFAULT_NOTE = / \(default: ([^()]*)\)/;

/** A switch that is on by default has the option and the description that turn it off. */
function isTurnedOff({ kind, bySet, default: byDefault }: DeclaredSetting): boolean {
  return kind === 'boolean' && !bySet && byDefault !== false;
}

function switchText(entry: DeclaredSetting): string {
  return isTurnedOff(entry) ? entry.flag.replace('--', '--no-') : optionText(entry);
}

function optionText({ flag, bySet }: DeclaredSetting): string {
  return bySet ? `${flag}=…` : flag;
}

function valueText(entry: DeclaredSetting, value: unknown): string {
  if (isTurnedOff(entry) && typeof value === 'boolean') return String(!value);
  return String(
    value ?? entry.defaultText ?? entry.default ?? DEFAULT_NOTE.exec(entry.description)?.[1] ?? '',
  );
}

async function declaredBy(entries: readonly CommandEntry[], name: string | undefined) {
  const load = async (entry: CommandEntry) => ({ name: entry.name, declared: (await entry.load()).settings });
  if (name === undefined) {
    return [{ name: undefined, declared: globalSettings }, ...(await Promise.all(entries.map(load)))];
  }
  const entry = entries.find((each) => each.name === name);
  if (entry === undefined) throw unknownCommand(name, entries);
  return [await load(entry)];
}

function placeOf(source: SettingSource): string | undefined {
  if (source.from === 'default') return undefined;
  return source.from === 'file' ? `${source.where.file}:${source.where.line}` : source.name;
}
