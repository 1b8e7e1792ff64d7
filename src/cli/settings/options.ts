import { Option } from 'commander';
import type { DeclaredSetting, Settings } from '../../base/settings/settings.js';
import { GLOBAL_OPTIONS } from './global-options.js';

const WIDEST_CHOICES = 40;

/**
 * The command-line options of settings. They have no default and check nothing: the text goes to `resolveSettings`,
 * which also reads the environment and the configuration file.
 */
export function optionsOf(settings: Settings): Option[] {
  const own = settings.entries.filter(({ bySet }) => !bySet);
  return own.flatMap((entry) => (entry.kind === 'boolean' ? switches(entry) : [valued(entry)]));
}

/** The options of every command. */
export function globalOptions(): Option[] {
  return Object.values(GLOBAL_OPTIONS).flatMap(({ flags, description }) => {
    const option = new Option(flags, description);
    if (flags.includes('<')) return [option];
    // The positive form first: commander gives a lone or earlier --no-X the default true.
    if (option.negate) return [new Option(flags.replace('--no-', '--'), description).hideHelp(), option];
    return [option, new Option(flags.replace(/^.*--/, '--no-'), description).hideHelp()];
  });
}

/** `--set key=value`, for commands with settings that have no option of their own. */
export function setOption(command: string): Option {
  const description = `change another setting; 'recal settings ${command}' lists them (may be repeated)`;
  return new Option('--set <KEY=VALUE>', description).argParser(collect);
}

function collect(text: string, before?: string[]): string[] {
  return [...(before ?? []), text];
}

/** A switch and its opposite, because a flag must be able to override the environment and the file. */
function switches(entry: DeclaredSetting): Option[] {
  const short = entry.short === undefined ? '' : `${entry.short}, `;
  const negated = entry.flag.replace('--', '--no-');
  // The help shows only the one that changes the default.
  const showsNegated = entry.default === true;
  return [
    new Option(`${short}${entry.flag}`, entry.description).hideHelp(showsNegated),
    new Option(negated, entry.description).hideHelp(!showsNegated),
  ];
}

function valued(entry: DeclaredSetting): Option {
  const short = entry.short === undefined ? '' : `${entry.short}, `;
  const choices = hasManyChoices(entry) ? undefined : entry.choices?.join('|');
  const name = entry.value ?? choices ?? entry.key.toUpperCase();
  const option = new Option(`${short}${entry.flag} <${name}>`, describe(entry));
  return entry.kind === 'list' ? option.argParser(collect) : option;
}

/** A long list of choices beside an option would push every description off the screen. */
function hasManyChoices({ value, choices }: DeclaredSetting): boolean {
  return value === undefined && (choices?.join('|').length ?? 0) > WIDEST_CHOICES;
}

function describe(entry: DeclaredSetting): string {
  const notes: string[] = [];
  if (entry.kind === 'list') notes.push('may be repeated');
  const value = entry.default;
  const isEmpty =
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
  if (!isEmpty) notes.push(`default: ${Array.isArray(value) ? value.join(',') : String(value)}`);
  else if (!entry.type.safeParse(undefined).success) notes.push('required');
  const choices = hasManyChoices(entry) ? `: ${entry.choices?.join(', ')}` : '';
  return `${entry.description}${choices}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}
