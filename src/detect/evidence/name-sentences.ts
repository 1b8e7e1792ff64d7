import { printable } from '../../base/printable.js';
import { type NodeNames, nameOf } from '../../graph/node-names.js';
import { ENTITY_TYPES, type EntityType } from '../../ingest/event.js';
import { type NameLevel, splitName } from './name-levels.js';

const LONGEST = 80;

/** How far training knew what a subject did to an object: levels of the object's name, counted from the coarsest. */
export interface FirstUnseen {
  /** The first level that this subject never met in this relation; `depth` if it met them all. */
  readonly own: number;
  /** The first one that no subject ever met in it. */
  readonly any: number;
  readonly depth: number;
  /** Whether training met a subject of this name at all. */
  readonly knownSubject: boolean;
  /** How often training saw just this, and how often this subject in this relation. */
  readonly times: number;
  readonly total: number;
}

export interface Surprise extends FirstUnseen {
  readonly names: NodeNames;
  readonly subject: number;
  readonly object: number;
  /** The relation's name in the log; undefined for one that training never met. */
  readonly relation: string | undefined;
}

/** What a program "ever" did, for relations that logs commonly have; others are named as they are. */
const VERBS: Readonly<Record<string, string>> = {
  accept: 'accepted a connection from',
  bind: 'bound',
  change_principal: 'changed to',
  clone: 'started',
  close: 'closed',
  connect: 'connected to',
  create: 'created',
  create_object: 'created',
  delete: 'deleted',
  execute: 'executed',
  exec: 'executed',
  fork: 'started',
  link: 'linked',
  loadlibrary: 'loaded',
  mmap: 'mapped',
  modify_file_attributes: 'changed the attributes of',
  mprotect: 'changed the protection of',
  open: 'opened',
  read: 'read',
  recvfrom: 'received from',
  recvmsg: 'received from',
  rename: 'renamed',
  sendmsg: 'sent to',
  sendto: 'sent to',
  truncate: 'truncated',
  unlink: 'unlinked',
  update: 'updated',
  write: 'wrote to',
};

/** One sentence without a full stop on why an interaction is surprising, or how common it is. */
export function phraseNameSurprise(surprise: Surprise): string {
  const { names, subject, object, relation, own, any, depth, knownSubject, times, total } = surprise;
  const who = programOf(names, subject);
  if (relation === undefined) return `training never met what ${who} did here`;
  const verb = verbOf(relation);
  const levels = splitName(typeOf(names, object), nameOf(names, object));
  if (any < depth) return `nothing in training ever ${verb} ${describeLevel(levels, any)}`;
  if (own < depth) {
    const what = describeLevel(levels, own);
    return knownSubject
      ? `no ${who} in training ever ${verb} ${what}`
      : `training never met ${who}, which ${verb} ${quote(levels[depth - 1].text)}`;
  }
  return `${who} ${verb} ${describeLevel(levels, depth - 1)} ${times} of ${total} times in training`;
}

/** The program of a process, the name of any other subject, quoted. */
function programOf(names: NodeNames, node: number): string {
  const levels = splitName(typeOf(names, node), nameOf(names, node));
  return levels.length === 1 ? `nameless ${levels[0].text}` : quote(levels[levels.length - 1].text);
}

export function verbOf(relation: string): string {
  const bare = relation.replace(/^EVENT_/, '').toLowerCase();
  return Object.hasOwn(VERBS, bare) ? VERBS[bare] : `did ${quote(relation)} to`;
}

/** Text of a log between backticks, short and harmless; a backtick of its own must not end the quotation. */
export function quote(text: string): string {
  const safe = printable(text).replaceAll('`', "'");
  const characters = [...safe];
  return `\`${characters.length <= LONGEST ? safe : `${characters.slice(0, LONGEST - 1).join('')}…`}\``;
}

function typeOf(names: NodeNames, node: number): EntityType {
  return ENTITY_TYPES[names.types[node]];
}

function describeLevel(levels: readonly NameLevel[], at: number): string {
  const { kind, text } = levels[Math.min(at, levels.length - 1)];
  switch (kind) {
    case 'type':
      return levels.length === 1 ? `a nameless ${text}` : `any ${text}`;
    case 'folder':
      return `anything under ${quote(text)}`;
    case 'kind':
      return `anything like ${quote(text)}`;
    case 'network':
      return `any address in ${quote(text)}`;
    case 'address':
    case 'name':
      return quote(text);
  }
}

/** How training saw two deal with each other. */
export interface RelationSurpriseFacts {
  readonly names: NodeNames;
  readonly subject: number;
  readonly object: number;
  readonly relation: string | undefined;
  /** The finest level of the object's name that this subject dealt with in training; below 0 for none. */
  readonly level: number;
  /** Of so many dealings with that level, so many were of this relation. */
  readonly times: number;
  readonly total: number;
}

/** One sentence without a full stop on how unusual this relation is between these two. */
export function phraseRelationSurprise(facts: RelationSurpriseFacts): string {
  const { names, subject, object, relation, level, times, total } = facts;
  const who = programOf(names, subject);
  if (relation === undefined) return `training never met what ${who} did here`;
  const levels = splitName(typeOf(names, object), nameOf(names, object));
  const verb = verbOf(relation);
  if (level < 0) {
    const usual = `${times} of ${total} dealings of a ${typeOf(names, subject)} with a ${levels[0].text}`;
    return `training never met ${who} with any ${levels[0].text}; it ${verb} one, as in ${usual}`;
  }
  const what = describeLevel(levels, level);
  return times === 0
    ? `${who} dealt with ${what} ${total} times in training, and never ${verb} it`
    : `${who} ${verb} ${what} in ${times} of ${total} dealings with it in training`;
}
