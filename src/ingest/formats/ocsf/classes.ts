import type { Action } from '../../actions.js';

/** What the object of an event is taken for. */
export type OcsfObject =
  | 'launched'
  | 'process'
  | 'file'
  | 'renamed'
  | 'module'
  | 'driver'
  | 'flow'
  | 'domain'
  | 'registry'
  | 'user'
  | 'none';

export interface OcsfMeaning {
  readonly action: Action;
  readonly flow?: 'in' | 'out' | undefined;
}

interface OcsfClass {
  /** The name in the schema. */
  readonly name: string;
  readonly object: OcsfObject;
  /** By `activity_id`: its name in the schema, and what it means. */
  readonly activities: Readonly<Record<number, readonly [string, Action, ('in' | 'out')?]>>;
}

/** The event classes that recal reads, by `class_uid`. Events of others are skipped and counted. */
const CLASSES: Readonly<Record<string, OcsfClass>> = {
  1001: {
    name: 'file',
    object: 'file',
    activities: {
      1: ['create', 'create', 'out'],
      2: ['read', 'read', 'in'],
      3: ['update', 'write', 'out'],
      4: ['delete', 'delete', 'out'],
      5: ['rename', 'rename', 'out'],
      6: ['set_attributes', 'chmod', 'out'],
      7: ['set_security', 'chmod', 'out'],
      8: ['get_attributes', 'query', 'in'],
      9: ['get_security', 'query', 'in'],
      10: ['encrypt', 'write', 'out'],
      11: ['decrypt', 'read', 'in'],
      12: ['mount', 'mount', 'out'],
      13: ['unmount', 'mount', 'out'],
      14: ['open', 'open'],
    },
  },
  1002: {
    name: 'kernel_extension',
    object: 'driver',
    activities: { 1: ['load', 'load', 'in'], 2: ['unload', 'close'] },
  },
  1005: {
    name: 'module',
    object: 'module',
    activities: { 1: ['load', 'load', 'in'], 2: ['unload', 'close'], 3: ['invoke', 'load', 'in'] },
  },
  1007: {
    name: 'process',
    object: 'process',
    activities: {
      1: ['launch', 'fork', 'out'],
      2: ['terminate', 'exit'],
      3: ['open', 'access', 'in'],
      4: ['inject', 'inject', 'out'],
      5: ['set_user_id', 'setid', 'out'],
    },
  },
  3002: {
    name: 'authentication',
    object: 'user',
    activities: { 1: ['logon', 'login', 'out'], 2: ['logoff', 'login', 'out'] },
  },
  4001: {
    name: 'network',
    object: 'flow',
    activities: {
      1: ['open', 'connect', 'out'],
      2: ['close', 'close'],
      3: ['reset', 'close'],
      4: ['fail', 'connect', 'out'],
      5: ['refuse', 'accept', 'in'],
      6: ['traffic', 'send', 'out'],
      7: ['listen', 'bind', 'out'],
    },
  },
  4003: {
    name: 'dns',
    object: 'domain',
    activities: {
      1: ['query', 'query', 'out'],
      2: ['response', 'query', 'in'],
      6: ['traffic', 'query', 'in'],
    },
  },
  201001: {
    name: 'registry_key',
    object: 'registry',
    activities: {
      1: ['create', 'regset', 'out'],
      2: ['read', 'query', 'in'],
      3: ['modify', 'regset', 'out'],
      4: ['delete', 'regdel', 'out'],
      5: ['rename', 'rename', 'out'],
    },
  },
  201002: {
    name: 'registry_value',
    object: 'registry',
    activities: {
      1: ['get', 'query', 'in'],
      2: ['set', 'regset', 'out'],
      3: ['modify', 'regset', 'out'],
      4: ['delete', 'regdel', 'out'],
    },
  },
};

/** What inbound connections are instead: the other end opened them. */
const INBOUND: Readonly<Record<string, OcsfMeaning>> = {
  connect: { action: 'accept', flow: 'in' },
  send: { action: 'recv', flow: 'in' },
};

/** Returns the relation and the meaning of an event, or undefined if recal does not read its class. */
export function ocsfMeaning(
  classId: string,
  activity: number,
  inbound: boolean,
): (OcsfMeaning & { relation: string; object: OcsfObject }) | undefined {
  if (!Object.hasOwn(CLASSES, classId)) return undefined;
  const { name, object, activities } = CLASSES[classId];
  const [verb, action, flow] = Object.hasOwn(activities, activity)
    ? activities[activity]
    : ([`activity_${activity}`, 'other'] as const);
  const relation = `${name}:${verb}`;
  if (object === 'flow' && inbound && Object.hasOwn(INBOUND, action))
    return { ...INBOUND[action], relation: `${relation}:inbound`, object };
  return {
    action,
    flow,
    relation,
    object:
      relation === 'process:launch'
        ? 'launched'
        : action === 'rename' && object === 'file'
          ? 'renamed'
          : object,
  };
}
