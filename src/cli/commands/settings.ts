import { z } from 'zod';
import { closestName } from '../../base/closest-name.js';
import { EXIT, RecalError } from '../../base/errors.js';
import { defineSettings, type SettingSource, surveySettings } from '../../base/settings.js';
import { type Command, defineCommand } from '../command.js';
import { globalSettings } from '../settings/global-settings.js';
import { renderTable } from '../terminal/tables.js';

/** `recal settings`: what the other commands would use, and who said so. */
export function settingsCommand(commands: readonly Command[]) {
  return defineCommand({
    name: 'settings',
    summary: 'show the settings in force and where each comes from',
    details:
      'Reads the environment and the configuration file as the other commands do, and changes nothing.',
    examples: ['recal settings', 'RECAL_STORE=/data/store recal settings ingest --json'],
    arguments: { command: { description: 'show only those of this command', optional: true } },
    settings: defineSettings({
      changed: { type: z.boolean().default(false), description: 'leave out what is at its default' },
    }),
    async run(args, settings, { out, places }) {
      const rows = selected(commands, args.command).flatMap(([name, declared]) => {
        const found = surveySettings(declared, { ...places, flags: {} }, name);
        return found.map(({ entry: { key, flag, env, standard }, value, source, missing }) => ({
          command: name ?? 'all',
          key,
          flag,
          env,
          value,
          standard,
          from: missing ? 'required' : source.from,
          at: at(source),
        }));
      });
      const shown = rows.filter(
        ({ from }) => !settings.changed || (from !== 'default' && from !== 'required'),
      );
      out.result({ settings: shown }, () =>
        renderTable(
          ['command', 'option', 'value', 'from'],
          shown.map((row) => [
            row.command,
            row.flag,
            String(row.value ?? row.standard ?? ''),
            row.from === 'required' ? 'nobody: must be given' : (row.at ?? row.from),
          ]),
          out,
        ),
      );
      return EXIT.done;
    },
  });
}

function selected(commands: readonly Command[], name: string | undefined) {
  if (name === undefined) {
    const own = commands.map((command) => [command.name, command.settings] as const);
    return [[undefined, globalSettings] as const, ...own];
  }
  const command = commands.find((each) => each.name === name);
  if (command !== undefined) return [[name, command.settings] as const];
  const near = closestName(
    name,
    commands.map((each) => each.name),
  );
  throw new RecalError('usage-unknown-command', `there is no command '${name}'`, {
    hint: near === undefined ? "'recal --help' lists the commands" : `did you mean '${near}'?`,
    exit: EXIT.usage,
  });
}

function at(source: SettingSource): string | undefined {
  if (source.from === 'default') return undefined;
  return source.from === 'file' ? `${source.where.file}:${source.where.line}` : source.name;
}
