// The page docs/reference/settings.md: every setting of every command, with its option, variable, default and meaning.

import { z } from 'zod';
import { commands } from '../../dist/cli/commands.js';
import { globalSettings } from '../../dist/cli/settings/global-settings.js';
import { DETECTION_SETTINGS, resolveDetectionConfig } from '../../dist/detect/detection-config.js';
import { resolveTrainingConfig, TRAINING_SETTINGS } from '../../dist/model/training/training-config.js';

/** Settings with an option of their own; the others need `--set`. */
const OPTIONS = new Set(['profile', 'epochs', 'seed']);

export const path = 'docs/reference/settings.md';

export async function render() {
  const sections = [section('All commands', globalSettings.entries)];
  for (const entry of commands) {
    const { settings } = await entry.load();
    const own = settings.entries.filter(({ bySet }) => !bySet);
    const bySet = settings.entries.filter((each) => each.bySet);
    const learns = bySet.some(({ key }) => key in TRAINING_SETTINGS);
    const kinds = learns ? 'learning and detection setting' : 'detection setting';
    const more = bySet.length > 0 ? `\n\nAlso takes every ${kinds} below with \`--set\`.` : '';
    if (settings.entries.length > 0) sections.push(section(`recal ${entry.name}`, own) + more);
  }
  return [
    '# Settings',
    'Every setting has an option or a `--set` key, an environment variable and a key in `recal.config.json`. Options override the environment, and the environment overrides the file. `recal settings COMMAND` shows the values in force.',
    ...sections,
    '## Profiles\n\nThe default of a learning or detection setting depends on `--profile`: `recal` is for use, `paper` is the configuration of the paper. The column `origin` says where the value of profile `paper` comes from: `paper` if the paper gives it, `implied` if it follows from the paper’s sweeps or citations, `ours` if the paper does not give it.',
    reasons('Learning', TRAINING_SETTINGS, (profile) => resolveTrainingConfig({ profile })),
    reasons('Detection', DETECTION_SETTINGS, (profile) => resolveDetectionConfig(profile)),
    '',
  ].join('\n\n');
}

function section(title, entries) {
  const rows = entries.map(
    ({ flag, env, key, kind, description, default: value }) =>
      // The description of a switch that is on by default is that of the option that turns it off.
      `| \`${kind === 'boolean' && value !== false ? flag.replace('--', '--no-') : flag}\` | \`${env}\` | \`${key}\` | ${cell(description)} | ${defaultText(value)} |`,
  );
  return [
    `## ${title}\n`,
    '| option | variable | key | meaning | default |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function reasons(title, table, defaultsOf) {
  const [usual, paper] = ['recal', 'paper'].map(defaultsOf);
  const rows = Object.entries(table).map(([key, { description, reason, type, origin }]) => {
    const given = OPTIONS.has(key) ? `\`--${key}\`` : `\`${key}\``;
    const same = key === 'profile' || defaultText(paper[key]) === defaultText(usual[key]);
    const cells = [
      given,
      cell(description),
      valuesText(type),
      defaultText(usual[key]),
      same ? '' : defaultText(paper[key]),
      origin,
      cell(reason),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    `## ${title} settings\n`,
    'Given as `--set key=value`, or as an option where one is shown. The column `paper` is empty where both profiles agree.\n',
    '| key | meaning | values | default | paper | origin | why |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function valuesText(type) {
  const schema = z.toJSONSchema(type, { io: 'input' });
  if (schema.type === 'array')
    return `a list of ${schema.items.enum.map((value) => `\`${value}\``).join(', ')}`;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.type === 'boolean') return '`true`, `false`';
  const low = schema.exclusiveMinimum ?? schema.minimum;
  const noun = schema.type === 'integer' ? 'integer' : 'number';
  if (low === undefined) return noun;
  const from = schema.exclusiveMinimum === undefined ? `from ${short(low)}` : `above ${short(low)}`;
  return schema.maximum === undefined ? `${noun} ${from}` : `${noun} ${from} up to ${short(schema.maximum)}`;
}

const short = (value) =>
  String(Number(value.toPrecision(12)) === value ? value : Number(value.toPrecision(3)));

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function defaultText(value) {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  return `\`${Array.isArray(value) ? value.join(',') : String(value)}\``;
}
