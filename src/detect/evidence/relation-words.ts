import { printable } from '../../base/printable.js';
import type { EntityType } from '../../ingest/event.js';

const LONGEST = 80;

/** Common relations, without `EVENT_` and in lower case: a verb in the past tense, and a noun in the plural. */
const WORDS: Readonly<Record<string, readonly [verb: string, noun: string]>> = {
  accept: ['accepted a connection from', 'accepted connections'],
  access: ['opened the memory of', 'process accesses'],
  bind: ['bound to', 'bound addresses'],
  change_principal: ['changed the user of', 'user changes'],
  check_file_attributes: ['checked the attributes of', 'attribute checks'],
  chmod: ['changed the attributes of', 'attribute changes'],
  clone: ['started', 'process starts'],
  close: ['closed', 'closes'],
  connect: ['connected to', 'connections'],
  create: ['created', 'creations'],
  create_object: ['created', 'creations'],
  create_thread: ['started a thread in', 'thread starts'],
  delete: ['deleted', 'deletions'],
  exec: ['executed', 'executions'],
  execute: ['executed', 'executions'],
  exit: ['ended', 'exits'],
  fork: ['started', 'process starts'],
  // Covers ptrace, with which debuggers attach, as well as remote threads.
  inject: ['traced or injected code into', 'traces and injections'],
  link: ['linked', 'links'],
  load: ['loaded', 'library loads'],
  loadlibrary: ['loaded', 'library loads'],
  login: ['logged in', 'logins'],
  mmap: ['mapped', 'memory mappings'],
  modify_file_attributes: ['changed the attributes of', 'attribute changes'],
  modify_process: ['modified', 'process changes'],
  mount: ['mounted', 'mounts'],
  mprotect: ['changed the protection of', 'memory protection changes'],
  open: ['opened', 'opens'],
  query: ['looked up', 'look-ups'],
  read: ['read', 'reads'],
  recv: ['received data from', 'network receives'],
  recvfrom: ['received data from', 'network receives'],
  recvmsg: ['received data from', 'network receives'],
  regdel: ['deleted', 'registry deletions'],
  regset: ['set', 'registry changes'],
  rename: ['renamed', 'renames'],
  send: ['sent data to', 'network sends'],
  sendmsg: ['sent data to', 'network sends'],
  sendto: ['sent data to', 'network sends'],
  setid: ['changed the user of', 'user changes'],
  signal: ['sent a signal to', 'signals'],
  truncate: ['truncated', 'truncations'],
  umount: ['unmounted', 'unmounts'],
  unlink: ['deleted', 'deletions'],
  update: ['updated', 'updates'],
  write: ['wrote to', 'writes'],
};

/** Verbs that differ if the object is a network flow. */
const FLOW_VERBS: Readonly<Record<string, string>> = {
  close: 'closed the connection to',
  create: 'opened a connection to',
  create_object: 'opened a connection to',
  open: 'opened a connection to',
  read: 'read from',
  write: 'sent data to',
};

/** Verbs that differ if the object is a file. Logs of CADETS record changes of the directory or root this way. */
const FILE_VERBS: Readonly<Record<string, string>> = {
  modify_process: 'changed its directory or root to',
};

/** Verbs that differ if the object is a process. */
const PROCESS_VERBS: Readonly<Record<string, string>> = {
  query: 'asked for the state of',
};

/** What a process does to itself. */
const SELF_VERBS: Readonly<Record<string, string>> = {
  change_principal: 'changed its user',
  exit: 'exited',
  setid: 'changed its user',
};

/** "deleted", "opened a connection to": a verb for a relation to an object of this type. */
export function verbOf(relation: string, object: EntityType): string {
  const name = bareName(relation);
  if (object === 'flow' && Object.hasOwn(FLOW_VERBS, name)) return FLOW_VERBS[name];
  if (object === 'file' && Object.hasOwn(FILE_VERBS, name)) return FILE_VERBS[name];
  if (object === 'process' && Object.hasOwn(PROCESS_VERBS, name)) return PROCESS_VERBS[name];
  if (object === 'principal' && (name === 'change_principal' || name === 'setid'))
    return 'changed its user to';
  return Object.hasOwn(WORDS, name) ? WORDS[name][0] : `performed ${quote(relation)} on`;
}

/** "changed its user": a verb for a relation of an entity to itself. */
export function selfVerbOf(relation: string, type: EntityType): string {
  const name = bareName(relation);
  return Object.hasOwn(SELF_VERBS, name) ? SELF_VERBS[name] : `${verbOf(relation, type)} itself`;
}

/** "deletions": a noun for the events of a relation. */
export function nounOf(relation: string): string {
  const name = bareName(relation);
  return Object.hasOwn(WORDS, name) ? WORDS[name][1] : `${quote(relation)} events`;
}

function bareName(relation: string): string {
  return relation.replace(/^EVENT_/, '').toLowerCase();
}

/** Quotes text of a log in backticks, printable and cut. Its own backticks become apostrophes. */
export function quote(text: string): string {
  const safe = printable(text).replaceAll('`', "'");
  const characters = [...safe];
  return `\`${characters.length <= LONGEST ? safe : `${characters.slice(0, LONGEST - 1).join('')}…`}\``;
}
