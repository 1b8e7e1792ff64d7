import { closestName } from './closest-name.js';
import type { ConfigFile } from './config-file.js';
import { EXIT, RecalError } from './errors.js';
import type { Settings } from './settings.js';

/** Which keys the file may hold: shared settings at the top, and per command its own. */
export interface KnownKeys {
  shared: Settings;
  commands: ReadonlyMap<string, Settings>;
}

/** Refuses keys that nothing reads: a misspelt setting that silently does nothing is worse than an error. */
export function checkConfigKeys(file: ConfigFile, known: KnownKeys): void {
  const everywhere = new Set(Object.keys(known.shared.shape));
  for (const settings of known.commands.values()) {
    for (const key of Object.keys(settings.shape)) everywhere.add(key);
  }
  for (const [key, { line }] of file.shared) {
    // Editors write it to find a schema for completion.
    if (key === '$schema' || everywhere.has(key)) continue;
    if (known.commands.has(key)) throw wrongKey(file, line, `'${key}' is a section and must be an object`);
    throw unknownKey(file, line, key, [...everywhere, ...known.commands.keys()]);
  }
  for (const [name, { line: sectionLine, values }] of file.sections) {
    const settings = known.commands.get(name);
    if (settings === undefined) {
      if (everywhere.has(name))
        throw wrongKey(file, sectionLine, `'${name}' is a setting and cannot be an object`);
      throw unknownKey(file, sectionLine, name, [...known.commands.keys(), ...everywhere]);
    }
    const keys = [...Object.keys(known.shared.shape), ...Object.keys(settings.shape)];
    for (const [key, { line }] of values) {
      if (!keys.includes(key)) throw unknownKey(file, line, `${name}.${key}`, keys);
    }
  }
}

function wrongKey(file: ConfigFile, line: number, message: string): RecalError {
  return new RecalError('config-shape', message, {
    where: { file: file.path, line },
    exit: EXIT.usage,
  });
}

function unknownKey(file: ConfigFile, line: number, key: string, known: string[]): RecalError {
  const near = closestName(key.slice(key.indexOf('.') + 1), known);
  return new RecalError('config-unknown-key', `unknown key '${key}'`, {
    hint: near === undefined ? `known keys: ${known.join(', ') || 'none'}` : `did you mean '${near}'?`,
    where: { file: file.path, line },
    exit: EXIT.usage,
  });
}
