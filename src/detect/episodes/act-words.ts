import { nameTemplate } from '../../features/name-template.js';
import type { EntityType } from '../../ingest/event.js';
import { quote, verbOf } from '../evidence/relation-words.js';
import { isCredential } from './changes/telling-for-packages.js';

const MOST_NAMED = 3;
/** What is told first if a program did several new things to one object. */
const TELLING_FIRST = [
  ...[
    'inject',
    'access',
    'exec',
    'execute',
    'write',
    'create',
    'rename',
    'delete',
    'unlink',
    'regset',
    'chmod',
  ],
  ...['connect', 'accept', 'bind', 'send', 'read', 'load', 'mmap', 'open'],
];

/** A new behaviour: its kind and what tells it apart, and the name in the log of an object that shows it. */
export interface NewBehaviour {
  readonly what: readonly (string | number)[];
  readonly name: string | undefined;
}

/** "read `/root/.ssh/id_rsa`, `/srv/secrets.yml` and 3 more files": the new behaviours of one kind. */
export function phraseActs(behaviours: readonly NewBehaviour[], addresses: readonly string[]): string {
  const [kind] = behaviours[0].what;
  const relation = tellingRelation(behaviours);
  const own = behaviours.filter(({ what }) => what[1] === relation);
  const type = (kind === 'net' || kind === 'port' ? 'flow' : String(own[0].what[2])) as EntityType;
  switch (kind) {
    case 'rel':
      return listActs(behaviours);
    case 'process':
      return `${verbOf(relation, 'process')} ${list(distinct(own, 2), 'programs')}`;
    case 'net':
      return `${verbOf(relation, 'flow')} ${phraseAddresses(addresses, distinct(own, 2))}`;
    case 'port':
      return `${verbOf(relation, 'flow')} ${phrasePorts(distinct(own, 2, 'unknown'))}`;
    case 'dir':
      return `${verbOf(relation, type)} something below ${list(distinct(own, 3, '/'), 'directories')}`;
    default:
      return `${verbOf(relation, type)} ${list(namesOf(own), type === 'registry' ? 'keys' : `${type}s`)}`;
  }
}

/** Files with secrets are named first. */
function namesOf(behaviours: readonly NewBehaviour[]): string[] {
  const names = behaviours.map(({ what, name }) => {
    const template = String(what[3]);
    return name !== undefined && nameTemplate(name) === template ? name : template;
  });
  return [...new Set(names)].sort((a, b) => Number(isCredential(b)) - Number(isCredential(a)));
}

/** `203.0.113.9`; or "548 new addresses in 12 networks, first `203.0.113.9`". */
function phraseAddresses(addresses: readonly string[], networks: readonly string[]): string {
  if (addresses.length === 0) return `the network ${list(networks, 'networks')}`;
  if (addresses.length <= MOST_NAMED) return list(addresses, 'addresses');
  const inNetworks = networks.length > 1 ? ` in ${networks.length} networks` : '';
  return `${addresses.length} new addresses${inNetworks}, first ${quote(addresses[0])}`;
}

/** "port 443"; "ports 80, 443 and 3 more". */
function phrasePorts(ports: readonly string[]): string {
  const named = ports.slice(0, MOST_NAMED).map((port) => (port === 'high' ? 'from 10000 on' : port));
  const more = ports.length > MOST_NAMED ? ` and ${ports.length - MOST_NAMED} more` : '';
  return `${ports.length === 1 ? 'port' : 'ports'} ${named.join(', ')}${more}`;
}

/** "executed a file and opened a connection". */
function listActs(behaviours: readonly NewBehaviour[]): string {
  const acts = behaviours.map(({ what: [, relation, type] }) => {
    const noun = type === 'flow' ? 'an address' : type === 'other' ? 'an object' : `a ${type}`;
    return `${verbOf(String(relation), String(type) as EntityType)} ${noun}`;
  });
  const named = acts.slice(0, 2).join(' and ');
  return acts.length > 2 ? `${named}, and did ${acts.length - 2} more such things` : named;
}

function tellingRelation(behaviours: readonly NewBehaviour[]): string {
  const relations = [...new Set(behaviours.map(({ what }) => String(what[1])))];
  const place = (relation: string) => {
    const found = TELLING_FIRST.indexOf(relation.replace(/^EVENT_/, '').toLowerCase());
    return found < 0 ? TELLING_FIRST.length : found;
  };
  return relations.reduce((first, each) => (place(each) < place(first) ? each : first));
}

function distinct(behaviours: readonly NewBehaviour[], at: number, empty = ''): string[] {
  return [...new Set(behaviours.map(({ what }) => String(what[at]) || empty))];
}

function list(texts: readonly string[], noun: string): string {
  const named = texts.slice(0, MOST_NAMED).map(quote);
  const more = texts.length - named.length;
  if (more > 0) return `${named.join(', ')} and ${more} more ${noun}`;
  return named.length < 2
    ? named.join('')
    : `${named.slice(0, -1).join(', ')} and ${named[named.length - 1]}`;
}
