import { endpointTokens } from '../../features/address-tokens.js';
import type { EntityType } from '../../ingest/event.js';

/** g_0 to g_4 (method §11). */
export const MAX_LEVELS = 5;

/** What a level stands for. Explanations word each kind differently. */
export type LevelKind = 'type' | 'folder' | 'kind' | 'network' | 'address' | 'name';

/** One level of a name. Its text is unique among levels with the same parent. */
export interface NameLevel {
  readonly kind: LevelKind;
  readonly text: string;
}

/** Longer names are cut, so that an attacker cannot make them expensive. Real paths are shorter. */
const LONGEST = 1024;
const LONGEST_EXTENSION = 10;
const DIGITS = /[0-9]+/g;

/** Splits an entity's name into nested levels, coarsest first. A level that equals its parent is left out. */
export function splitName(type: EntityType, name: string | undefined): NameLevel[] {
  const levels: NameLevel[] = [{ kind: 'type', text: type }];
  if (name === undefined || name === '') return levels;
  // A lone surrogate has no UTF-8 form, so that two such names would become one in the model file.
  const text = name.slice(0, LONGEST).toWellFormed();
  if (type === 'flow' && pushEndpoint(text, levels)) return levels;
  if (type === 'registry') pushRegistryKey(text, levels);
  else if (isPath(text)) pushPath(text, levels);
  else pushLevel(levels, 'name', fold(text));
  return levels;
}

function fold(text: string): string {
  return text.replace(DIGITS, '#');
}

function pushLevel(levels: NameLevel[], kind: LevelKind, text: string): void {
  if (levels[levels.length - 1].text !== text) levels.push({ kind, text });
}

/** /16 ⊃ /24 ⊃ address ⊃ address and port; for IPv6 by groups, for host names by labels from the right. */
function pushEndpoint(text: string, levels: NameLevel[]): boolean {
  const endpoint = endpointTokens(text);
  if (endpoint === undefined) return false;
  const { name, tokens } = endpoint;
  const isAddress = tokens.length >= 4;
  const port = isAddress ? tokens[4] : tokens[0];
  let host = '*';
  if (isAddress) {
    host = tokens[3];
    pushLevel(levels, 'network', tokens[1]);
    pushLevel(levels, 'network', tokens[2]);
  } else if (name !== undefined) {
    host = name;
    const labels = name.split('.');
    pushLevel(levels, 'network', labels.slice(-2).join('.'));
    pushLevel(levels, 'network', labels.slice(-3).join('.'));
  }
  pushLevel(levels, 'address', host);
  if (port !== undefined) pushLevel(levels, 'name', `${host} port ${port}`);
  return true;
}

function isPath(text: string): boolean {
  return text.includes('/') || text.includes('\\');
}

/** A Windows path: it begins with a drive, share or device, or has only backslashes as separators. */
const WINDOWS = /^(?:[a-z]:|\\)|^[^/]*\\[^/]*$/i;
/** The drive, share or device before the first directory, in any notation. */
const DRIVE =
  /^(?:\\\\[?.]\\|\\\?\?\\)?(?:(?:unc\\|\\\\)([^\\]+\\[^\\]+)|([a-z]:)|\\?(?:(device\\[^\\]+)|(systemroot)(?=\\)))/i;

/** First directory ⊃ first three directories ⊃ directory and extension ⊃ full name. */
function pushPath(text: string, levels: NameLevel[]): void {
  const windows = WINDOWS.test(text);
  const folded = fold(windows ? text.toLowerCase() : text);
  const separator = windows ? '\\' : '/';
  let [root, rest] = [folded.startsWith('/') ? '/' : '', folded];
  if (windows) {
    const native = folded.replaceAll('/', '\\');
    const drive = DRIVE.exec(native);
    root = `${drive?.slice(1).find((part) => part !== undefined) ?? ''}\\`;
    rest = native.slice(drive?.[0].length ?? 0);
    if (drive === null && !native.startsWith('\\')) root = '';
  }
  const parts = resolveParts(rest.split(separator), root !== '');
  const file = parts.pop();
  if (file === undefined) {
    pushLevel(levels, 'name', root === '' ? '.' : root);
    return;
  }
  const prefix = (count: number) => root + parts.slice(0, count).join(separator);
  if (parts.length > 0 || root !== '') pushLevel(levels, 'folder', prefix(1));
  if (parts.length > 1) pushLevel(levels, 'folder', prefix(3));
  const directory = parts.length === 0 ? root : prefix(parts.length) + separator;
  pushLevel(levels, 'kind', `${directory}*${extensionOf(file)}`);
  pushLevel(levels, 'name', directory + file);
}

/** Removes empty parts and `.`, and resolves `..`, so that different spellings of a path become equal. */
function resolveParts(parts: readonly string[], rooted: boolean): string[] {
  const kept: string[] = [];
  for (const part of parts) {
    if (part === '' || part === '.') continue;
    if (part === '..' && kept.length > 0 && kept[kept.length - 1] !== '..') kept.pop();
    else if (part !== '..' || !rooted) kept.push(part);
  }
  return kept;
}

/** The extension with its dot and following numbers (`.so.#`), or an empty string. */
function extensionOf(file: string): string {
  const found = /[^.](\.[^.#][^.]*(?:\.#)*)$/.exec(file)?.[1] ?? /[^.](\.#)$/.exec(file)?.[1] ?? '';
  return found.length > LONGEST_EXTENSION + 1 ? '' : found;
}

const HIVES: Readonly<Record<string, string>> = {
  hkey_local_machine: 'hklm',
  hkey_current_user: 'hkcu',
  hkey_users: 'hku',
  hkey_classes_root: 'hkcr',
  hkey_current_config: 'hkcc',
  '\\registry\\machine': 'hklm',
  '\\registry\\user': 'hku',
};

/** Hive and first key ⊃ first three keys ⊃ parent key ⊃ key. Keys have no extensions. */
function pushRegistryKey(text: string, levels: NameLevel[]): void {
  const folded = fold(text.toLowerCase());
  const hive = /^(?:\\registry\\[a-z]+|[^\\]+)/.exec(folded)?.[0] ?? '';
  const parts = folded.slice(hive.length).split('\\').filter(Boolean);
  const root = HIVES[hive] ?? hive;
  const prefix = (count: number) => [root, ...parts.slice(0, count)].join('\\');
  pushLevel(levels, 'folder', prefix(Math.min(1, parts.length)));
  if (parts.length > 1) pushLevel(levels, 'folder', prefix(Math.min(3, parts.length - 1)));
  if (parts.length > 1) pushLevel(levels, 'folder', prefix(parts.length - 1));
  pushLevel(levels, 'name', prefix(parts.length));
}
