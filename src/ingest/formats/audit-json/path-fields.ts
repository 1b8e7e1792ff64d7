import { NONE, ROLE } from '../../kernel/act.js';
import type { ActBuilder } from '../../kernel/act-builder.js';
import { type Fields, fieldText } from './acts-reader.js';

const ROLES: Readonly<Record<string, number>> = {
  NORMAL: ROLE.normal,
  PARENT: ROLE.parent,
  CREATE: ROLE.create,
  DELETE: ROLE.delete,
};

/** Adds a PATH record to an act. `name` is the number of its name. */
export function addPath(act: ActBuilder, fields: Fields, position: number, name: number): void {
  const item = Number(fieldText(fields.item) ?? position);
  const inode = Number(fieldText(fields.inode) ?? 0);
  const known = Number.isSafeInteger(inode) && inode >= 0 ? inode : 0;
  const role = fieldText(fields.nametype) ?? fieldText(fields.objtype) ?? 'NORMAL';
  act.addPath(
    Number.isInteger(item) && item >= 0 && item < 1024 ? item : position,
    Object.hasOwn(ROLES, role) ? ROLES[role] : ROLE.unknown,
    modeOf(fieldText(fields.mode)),
    deviceOf(fieldText(fields.dev)),
    known | 0,
    Math.floor(known / 2 ** 32),
    name,
    NONE,
  );
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
