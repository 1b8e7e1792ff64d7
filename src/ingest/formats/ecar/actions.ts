import type { Action } from '../../actions.js';

/** What the object of an eCAR event is taken for. */
export type EcarObject =
  | 'process'
  | 'target'
  | 'file'
  | 'flow'
  | 'module'
  | 'registry'
  | 'user'
  | 'other'
  | 'none';

export interface EcarMeaning {
  readonly action: Action;
  readonly flow?: 'in' | 'out' | undefined;
  readonly object: EcarObject;
}

const OBJECTS: Readonly<Record<string, EcarObject>> = {
  PROCESS: 'process',
  FILE: 'file',
  FLOW: 'flow',
  MODULE: 'module',
  REGISTRY: 'registry',
  USER_SESSION: 'user',
  HOST: 'none',
};

/** The meaning of `OBJECT_ACTION`. FLOW events also depend on their direction. */
const MEANINGS: Readonly<Record<string, readonly [Action, ('in' | 'out')?]>> = {
  PROCESS_CREATE: ['fork', 'out'],
  PROCESS_OPEN: ['access', 'in'],
  PROCESS_TERMINATE: ['exit'],
  FILE_CREATE: ['create', 'out'],
  FILE_DELETE: ['delete', 'out'],
  FILE_MODIFY: ['write', 'out'],
  FILE_OPEN: ['open'],
  FILE_READ: ['read', 'in'],
  FILE_RENAME: ['rename', 'out'],
  FILE_WRITE: ['write', 'out'],
  'FLOW_MESSAGE:inbound': ['recv', 'in'],
  'FLOW_MESSAGE:outbound': ['send', 'out'],
  'FLOW_OPEN:inbound': ['accept', 'in'],
  'FLOW_OPEN:outbound': ['connect', 'out'],
  'FLOW_START:inbound': ['accept', 'in'],
  'FLOW_START:outbound': ['connect', 'out'],
  MODULE_LOAD: ['load', 'in'],
  MODULE_UNLOAD: ['close'],
  REGISTRY_ADD: ['regset', 'out'],
  REGISTRY_EDIT: ['regset', 'out'],
  REGISTRY_REMOVE: ['regdel', 'out'],
  SERVICE_CREATE: ['create', 'out'],
  SERVICE_MODIFY: ['write', 'out'],
  SERVICE_DELETE: ['delete', 'out'],
  TASK_CREATE: ['create', 'out'],
  TASK_MODIFY: ['write', 'out'],
  TASK_DELETE: ['delete', 'out'],
  THREAD_REMOTE_CREATE: ['inject', 'out'],
  USER_SESSION_LOGIN: ['login', 'out'],
  USER_SESSION_LOGOUT: ['login', 'out'],
  USER_SESSION_INTERACTIVE: ['login', 'out'],
  USER_SESSION_RDP: ['login', 'out'],
  USER_SESSION_REMOTE: ['login', 'out'],
  USER_SESSION_UNLOCK: ['login', 'out'],
};

/** Returns the relation and the meaning of an event. */
export function ecarMeaning(
  object: string,
  action: string,
  direction: string,
): EcarMeaning & { relation: string } {
  const known = direction === 'inbound' || direction === 'outbound';
  const relation = object === 'FLOW' && known ? `${object}_${action}:${direction}` : `${object}_${action}`;
  const [meaning, flow] = Object.hasOwn(MEANINGS, relation) ? MEANINGS[relation] : (['other'] as const);
  const kind = object === 'THREAD' ? 'target' : Object.hasOwn(OBJECTS, object) ? OBJECTS[object] : 'other';
  return { relation, action: meaning, flow, object: kind };
}
