import type { Action } from '../../actions.js';

/** What the object of an event is taken for. */
export type EcsObject =
  | 'child'
  | 'image'
  | 'target'
  | 'file'
  | 'renamed'
  | 'flow'
  | 'library'
  | 'registry'
  | 'domain'
  | 'user'
  | 'none';

export interface EcsMeaning {
  readonly action: Action;
  readonly flow?: 'in' | 'out' | undefined;
  readonly object: EcsObject;
}

const meaning = (action: Action, object: EcsObject, flow?: 'in' | 'out'): EcsMeaning => ({
  action,
  object,
  flow,
});

/** The meaning of `category:action`, as Elastic Defend writes them. `start` also has an event for the program file. */
const MEANINGS: Readonly<Record<string, EcsMeaning>> = {
  'process:start': meaning('fork', 'child', 'out'),
  'process:fork': meaning('fork', 'child', 'out'),
  'process:already_running': meaning('fork', 'child', 'out'),
  'process:exec': meaning('exec', 'image', 'in'),
  'process:end': meaning('exit', 'none'),
  'process:remote_thread': meaning('inject', 'target', 'out'),
  'process:uid_change': meaning('setid', 'user', 'out'),
  'process:gid_change': meaning('setid', 'none', 'out'),
  'process:session_id_change': meaning('setid', 'none', 'out'),
  'file:creation': meaning('create', 'file', 'out'),
  'file:modification': meaning('write', 'file', 'out'),
  'file:overwrite': meaning('write', 'file', 'out'),
  'file:deletion': meaning('delete', 'file', 'out'),
  'file:rename': meaning('rename', 'renamed', 'out'),
  'file:open': meaning('open', 'file', 'in'),
  'file:access': meaning('read', 'file', 'in'),
  'file:read': meaning('read', 'file', 'in'),
  'network:connection_attempted': meaning('connect', 'flow', 'out'),
  'network:connection_accepted': meaning('accept', 'flow', 'in'),
  'network:disconnect_received': meaning('close', 'flow'),
  'network:lookup_requested': meaning('query', 'domain', 'out'),
  'network:lookup_result': meaning('query', 'domain', 'in'),
  'network:ipv4_connection_attempt_event': meaning('connect', 'flow', 'out'),
  'network:ipv4_connection_accept_event': meaning('accept', 'flow', 'in'),
  'library:load': meaning('load', 'library', 'in'),
  'driver:load': meaning('load', 'library', 'in'),
  'registry:creation': meaning('regset', 'registry', 'out'),
  'registry:modification': meaning('regset', 'registry', 'out'),
  'registry:deletion': meaning('regdel', 'registry', 'out'),
  'registry:query': meaning('query', 'registry', 'in'),
};

/** What events of a category that have another action are about. */
const OBJECTS: Readonly<Record<string, EcsObject>> = {
  file: 'file',
  network: 'flow',
  library: 'library',
  driver: 'library',
  registry: 'registry',
};

const LOGIN = meaning('login', 'user', 'out');

/** The categories that decide, most specific first: records may have several. */
const CATEGORIES = [
  'file',
  'network',
  'library',
  'driver',
  'registry',
  'process',
  'authentication',
  'session',
];

export function categoryOf(categories: readonly string[]): string | undefined {
  return CATEGORIES.find((category) => categories.includes(category)) ?? categories[0];
}

export function ecsMeaning(category: string, action: string): EcsMeaning {
  const name = `${category}:${action}`;
  if (Object.hasOwn(MEANINGS, name)) return MEANINGS[name];
  if (category === 'authentication' || category === 'session') return LOGIN;
  return meaning('other', Object.hasOwn(OBJECTS, category) ? OBJECTS[category] : 'none');
}
