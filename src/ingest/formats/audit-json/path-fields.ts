import { ROLE } from '../../kernel/act.js';
import type { ActBuilder } from '../../kernel/act-builder.js';
import type { KnownText } from './known-text.js';
import { type Fields, fieldText } from './record-values.js';

const ROLES: Readonly<Record<string, number>> = {
  NORMAL: ROLE.normal,
  PARENT: ROLE.parent,
  CREATE: ROLE.create,
  DELETE: ROLE.delete,
};

/** A PATH record. Logs repeat them, so that readers keep what they read of one. */
export class RecordedPath {
  readonly item: number;
  readonly role: number;
  readonly mode: number;
  readonly device: number;
  readonly inodeLow: number;
  readonly inodeHigh: number;
  readonly name: KnownText;

  constructor(fields: Fields, position: number, name: KnownText) {
    const item = Number(fieldText(fields.item) ?? position);
    const inode = Number(fieldText(fields.inode) ?? 0);
    const known = Number.isSafeInteger(inode) && inode >= 0 ? inode : 0;
    const role = fieldText(fields.nametype) ?? fieldText(fields.objtype) ?? 'NORMAL';
    this.item = Number.isInteger(item) && item >= 0 && item < 1024 ? item : position;
    this.role = Object.hasOwn(ROLES, role) ? ROLES[role] : ROLE.unknown;
    this.mode = modeOf(fieldText(fields.mode));
    this.device = deviceOf(fieldText(fields.dev));
    this.inodeLow = known | 0;
    this.inodeHigh = Math.floor(known / 2 ** 32);
    this.name = name;
  }
}

/** Adds a PATH record to an act. `name` is the number of its name. */
export function addPath(act: ActBuilder, path: RecordedPath, name: number): void {
  const { item, role, mode, device, inodeLow, inodeHigh } = path;
  act.addPath(item, role, mode, device, inodeLow, inodeHigh, name);
}

/** `0o100644` or `0100644`. */
function modeOf(text: string | undefined): number {
  const octal = /^(?:0o|0)?([0-7]{1,10})$/.exec(text ?? '');
  return octal === null ? 0 : Number.parseInt(octal[1], 8) | 0;
}

/** `fd:01` as one number. */
function deviceOf(text: string | undefined): number {
  let value = 0;
  for (const character of (text ?? '').slice(0, 16))
    value = (Math.imul(value, 31) + character.charCodeAt(0)) | 0;
  return value;
}
