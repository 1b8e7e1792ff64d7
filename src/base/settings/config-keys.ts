import { EXIT, RecalError } from '../errors.js';
import { closestName } from './closest-name.js';
import type { ConfigFile } from './config-file.js';
import type { Settings } from './settings.js';

/** The keys that a configuration file may hold: those of all commands, and those of each command. */
export interface KnownKeys {
  shared: Settings;
  commands: ReadonlyMap<string, Settings>;
}

/** Throws on an unknown key, because a misspelt setting would otherwise do nothing without a message. */
export function checkConfigKeys(file: ConfigFile, known: KnownKeys): void {
  const everywhere = new Set(Object.keys(known.shared.shape));
  for (const settings of known.commands.values()) {
    for (const key of Object.keys(settings.shape)) everywhere.add(key);
  }
  for (const [key, { line }] of file.shared) {
    // Editors use `$schema` to find a schema for completion.
    if (key === '$schema' || everywhere.has(key)) continue;
    if (known.commands.has(key)) {
      const hint = `write "${key}": { … } with the settings of recal ${key}`;
      throw wrongKey(file, line, `'${key}' is a section and must be an object`, hint);
    }
    throw unknownKey(file, line, key, [...everywhere, ...known.commands.keys()]);
  }
  for (const [name, { line: sectionLine, values }] of file.sections) {
    const settings = known.commands.get(name);
    if (settings === undefined) {
      if (everywhere.has(name)) {
        const message = `'${name}' is a setting and cannot be an object`;
        throw wrongKey(file, sectionLine, message, `set "${name}" to a plain value`);
      }
      throw unknownKey(file, sectionLine, name, [...known.commands.keys(), ...everywhere]);
    }
    const keys = [...Object.keys(known.shared.shape), ...Object.keys(settings.shape)];
    for (const [key, { line }] of values) {
      if (!keys.includes(key)) throw unknownKey(file, line, `${name}.${key}`, keys);
    }
  }
}

function wrongKey(file: ConfigFile, line: number, message: string, hint: string): RecalError {
  return new RecalError('config-shape', message, {
    hint,
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
