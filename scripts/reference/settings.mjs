// The page docs/reference/settings.md: every setting of every command, with its option, variable, default and meaning.
import { commands } from '../../dist/cli/commands.js';
import { globalSettings } from '../../dist/cli/settings/global-settings.js';
import { DETECTION_SETTINGS } from '../../dist/detect/detection-config.js';
import { TRAINING_SETTINGS } from '../../dist/model/training/training-config.js';

export const path = 'docs/reference/settings.md';

export async function render() {
  const sections = [section('All commands', globalSettings.entries)];
  for (const entry of commands) {
    const { settings } = await entry.load();
    const own = settings.entries.filter(({ bySet }) => !bySet);
    const bySet = settings.entries.filter((each) => each.bySet);
    const more =
      bySet.length > 0 ? '\n\nAlso takes every learning and detection setting below with `--set`.' : '';
    if (settings.entries.length > 0) sections.push(section(`recal ${entry.name}`, own) + more);
  }
  return [
    '# Settings',
    'Every setting has an option or a `--set` key, an environment variable and a key in `recal.config.json`. Options override the environment, and the environment overrides the file. `recal settings COMMAND` shows the values in force.',
    ...sections,
    reasons('Learning', TRAINING_SETTINGS),
    reasons('Detection', DETECTION_SETTINGS),
    '',
  ].join('\n\n');
}

function section(title, entries) {
  const rows = entries.map(
    ({ flag, env, key, description, default: value }) =>
      `| \`${flag}\` | \`${env}\` | \`${key}\` | ${cell(description)} | ${defaultText(value)} |`,
  );
  return [
    `## ${title}\n`,
    '| option | variable | key | meaning | default |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function reasons(title, table) {
  const rows = Object.entries(table).map(
    ([key, { description, reason, type }]) =>
      `| \`${key}\` | ${cell(description)} | ${defaultText(type.parse(undefined))} | ${cell(reason)} |`,
  );
  return [
    `## ${title} settings\n`,
    'Given as `--set key=value`. The default is that of the profile `recal` unless the profile says otherwise.\n',
    '| key | meaning | default | why |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function defaultText(value) {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  return `\`${Array.isArray(value) ? value.join(',') : String(value)}\``;
}
