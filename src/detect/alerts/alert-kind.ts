import { nameTemplate } from '../../features/name-template.js';
import type { Alert } from './alert.js';
import type { RowKind } from './fair-share.js';

const LONGEST = 200;

/** What an alert looks like: its host, type and strongest evidence, and then its name without numbers. */
export function kindOfAlert({ host, entity, evidence }: Alert): RowKind {
  const [strongest] = evidence;
  return {
    group: JSON.stringify([host, entity.type, strongest?.kind ?? null, strongest?.relation ?? null]),
    kind: nameTemplate((entity.name ?? '').slice(0, LONGEST)),
  };
}
