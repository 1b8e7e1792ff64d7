import { Option } from 'commander';
import type { DeclaredSetting, Settings } from '../../base/settings.js';

/**
 * The command-line options of declared settings. They carry no default and check nothing: the text goes to
 * `resolveSettings`, which knows the other places too.
 */
export function optionsOf(settings: Settings): Option[] {
  return settings.entries.flatMap((entry) => (entry.kind === 'boolean' ? switches(entry) : [valued(entry)]));
}

/** Both ways, because a flag must be able to take back what the environment or the file says. */
function switches(entry: DeclaredSetting): Option[] {
  const short = entry.short === undefined ? '' : `${entry.short}, `;
  const negated = entry.flag.replace('--', '--no-');
  // The help shows the one that changes something.
  const showsNegated = entry.default !== false;
  return [
    new Option(`${short}${entry.flag}`, entry.description).hideHelp(showsNegated),
    new Option(negated, entry.description).hideHelp(!showsNegated),
  ];
}

function valued(entry: DeclaredSetting): Option {
  const short = entry.short === undefined ? '' : `${entry.short}, `;
  const name = entry.value ?? entry.choices?.join('|') ?? entry.key.toUpperCase();
  const option = new Option(`${short}${entry.flag} <${name}>`, describe(entry));
  if (entry.kind === 'list') option.argParser((text: string, before?: string[]) => [...(before ?? []), text]);
  return option;
}

function describe(entry: DeclaredSetting): string {
  const notes: string[] = [];
  if (entry.kind === 'list') notes.push('may be repeated');
  const value = entry.default;
  const empty = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  if (!empty) notes.push(`default: ${Array.isArray(value) ? value.join(',') : String(value)}`);
  else if (!entry.type.safeParse(undefined).success) notes.push('required');
  return notes.length === 0 ? entry.description : `${entry.description} (${notes.join('; ')})`;
}
