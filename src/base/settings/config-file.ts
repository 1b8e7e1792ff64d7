import { readFileSync, statSync } from 'node:fs';
import { EXIT, isSystemError, RecalError } from '../errors.js';
import { parseLocatedJson } from './located-json.js';

export const CONFIG_FILE = 'recal.config.json';

const MAX_BYTES = 1 << 20;

export interface ConfigValue {
  value: unknown;
  line: number;
}

/** A parsed `recal.config.json`: keys for all commands, and a section per command that overrides them. */
export interface ConfigFile {
  path: string;
  shared: ReadonlyMap<string, ConfigValue>;
  sections: ReadonlyMap<string, ConfigSection>;
}

export interface ConfigSection {
  line: number;
  values: ReadonlyMap<string, ConfigValue>;
}

/** Parses the text of a configuration file. `path` appears in error messages only. */
function parseConfigFile(text: string, path: string): ConfigFile {
  const root = parseLocatedJson(text.replace(/^\uFEFF/, ''), path);
  if (root.members === undefined) {
    throw new RecalError('config-shape', 'the configuration file must be a JSON object', {
      hint: 'put all settings in one object: { "store": "recal-store" }',
      where: { file: path, line: root.line },
      exit: EXIT.usage,
    });
  }
  const shared = new Map<string, ConfigValue>();
  const sections = new Map<string, ConfigSection>();
  // No setting takes an object, so an object is always a section, even if a setting has the same name.
  for (const [key, node] of root.members) {
    if (node.members === undefined) shared.set(key, node);
    else sections.set(key, { line: node.line, values: node.members });
  }
  return { path, shared, sections };
}

/**
 * Reads the configuration file. Returns undefined if the file does not exist and is not required. Error messages call it
 * `name`.
 */
export function readConfigFile(path: string, name: string, required: boolean): ConfigFile | undefined {
  let text: string;
  try {
    if (statSync(path).size > MAX_BYTES) {
      throw new RecalError('config-unreadable', `the configuration file is larger than ${MAX_BYTES} bytes`, {
        hint: 'check the path; a configuration file has only a few settings',
        where: { file: name },
        exit: EXIT.usage,
      });
    }
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (!required && isSystemError(error, 'ENOENT')) return undefined;
    if (error instanceof RecalError) throw error;
    throw new RecalError('config-unreadable', 'cannot read the configuration file', {
      hint: isSystemError(error, 'ENOENT') ? 'there is no such file' : (error as Error).message,
      where: { file: name },
      exit: EXIT.usage,
      cause: error,
    });
  }
  return parseConfigFile(text, name);
}
