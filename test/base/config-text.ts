import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigFile, readConfigFile } from '../../src/base/settings/config-file.js';
import { newFolder } from '../folders.js';

/** Reads a configuration file with this text. Errors call it `name`. */
export function configFileOf(text: string, name: string): ConfigFile {
  const path = join(newFolder(), 'recal.config.json');
  writeFileSync(path, text);
  return readConfigFile(path, name, true) as ConfigFile;
}
