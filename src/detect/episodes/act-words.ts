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

/** Files in a directory of this depth may lie deeper: behaviours keep no more of a path. */
const WHOLE_LEVELS = 4;
const SINGULAR: Readonly<Record<string, string>> = {
  addresses: 'address',
  directories: 'directory',
};

/** A new behaviour: its kind and what tells it apart, and the name in the log of the object that shows it. */
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
      return `${verbOf(relation, 'process')} ${list(namesOf(own, 2), 'programs', 'an unnamed process')}`;
    case 'net':
      return phraseFlows(relation, phraseAddresses(addresses, own));
    case 'port':
      return phraseFlows(relation, phrasePorts(own.map(({ what }) => String(what[2]))));
    case 'dir':
      return `${verbOf(relation, type)} ${phraseDirectories(own, type)}`;
    default:
      return `${verbOf(relation, type)} ${list(namesOf(own, 3), nounOfAll(own), unnamed(type))}`;
  }
}

/** The names in the log, or the templates of behaviours without one. Files with secrets come first. */
function namesOf(behaviours: readonly NewBehaviour[], at: number): string[] {
  const names = new Map<string, string>();
  for (const { what, name } of behaviours) {
    const template = String(what[at]);
    if (!names.has(template)) names.set(template, name ?? template);
  }
  return [...names.values()].sort((a, b) => Number(isCredential(b)) - Number(isCredential(a)));
}

/** Addresses or ports, and how many there are. */
interface Flows {
  readonly text: string;
  readonly count: number;
}

/** "opened a connection to port 443"; "opened connections to ports 80 and 443". */
function phraseFlows(relation: string, { text, count }: Flows): string {
  const verb = verbOf(relation, 'flow');
  return `${count === 1 ? verb : verb.replace(/\ba connection\b|\bconnection\b/, 'connections')} ${text}`;
}

/** `203.0.113.9`; or "548 new addresses in 12 networks (first: `203.0.113.9`)". */
function phraseAddresses(addresses: readonly string[], behaviours: readonly NewBehaviour[]): Flows {
  const networks = new Set(behaviours.map(({ what }) => String(what[2])));
  if (addresses.length > MOST_NAMED) {
    const inNetworks = networks.size > 1 ? ` in ${networks.size} networks` : '';
    const text = `${addresses.length} new addresses${inNetworks} (first: ${quote(addresses[0])})`;
    return { text, count: addresses.length };
  }
  const names = behaviours.map(({ what, name }) => (name === undefined ? String(what[2]) : hostOf(name)));
  const named = addresses.length > 0 ? addresses : [...new Set(names)];
  return { text: list(named, 'addresses', unnamed('flow')), count: named.length };
}

/** An address without its port. */
function hostOf(name: string): string {
  return /^\[?([0-9a-fA-F.:]+?)\]?:\d+\s*$/.exec(name)?.[1] ?? name;
}

/** "port 443"; "6 ports (80, 443, 8080, …)"; "a port above 9999". */
function phrasePorts(all: readonly string[]): Flows {
  const ports = [...new Set(all)];
  const low = ports.filter((port) => port !== 'high' && port !== '');
  const high = ports.includes('high');
  if (low.length === 0) return { text: high ? 'a port above 9999' : 'an unknown port', count: 1 };
  const named =
    low.length > MOST_NAMED
      ? `${low.length} ports (${low.slice(0, MOST_NAMED).join(', ')}, …)`
      : `${low.length === 1 ? 'port' : 'ports'} ${sequence(low)}`;
  return { text: `${named}${high ? ', and ports above 9999' : ''}`, count: low.length + Number(high) };
}

/** "a file in `/etc`"; "a file under `/srv/shop/data`". Programs may know what lies deeper, so that the word matters. */
function phraseDirectories(behaviours: readonly NewBehaviour[], type: EntityType): string {
  const depthOf = ({ what }: NewBehaviour) => String(what[3]).split('/').length;
  const inside = behaviours.filter((each) => depthOf(each) < WHOLE_LEVELS);
  const told = inside.length > 0 ? inside : behaviours;
  const names = new Map<string, string>();
  for (const each of told) {
    const template = String(each.what[3]);
    if (!names.has(template)) names.set(template, directoryOf(each, depthOf(each)) || '/');
  }
  const what = names.size === 1 ? article(type) : nounOf(type);
  return `${what} ${inside.length > 0 ? 'in' : 'under'} ${list([...names.values()], type === 'registry' ? 'keys' : 'directories', '/')}`;
}

function directoryOf({ what, name }: NewBehaviour, depth: number): string {
  if (name === undefined) return String(what[3]);
  return name
    .split(/[/\\]/)
    .slice(0, depth)
    .join(name.includes('\\') ? '\\' : '/');
}

/** "executed a file and opened a connection". */
function listActs(behaviours: readonly NewBehaviour[]): string {
  const acts = new Set(
    behaviours.map(
      ({ what: [, relation, type] }) =>
        `${verbOf(String(relation), String(type) as EntityType)} ${article(String(type))}`,
    ),
  );
  const named = [...acts].slice(0, 2);
  const more = acts.size - 2;
  return more > 0
    ? `${named.join(', ')} and took ${more} more ${more === 1 ? 'kind' : 'kinds'} of action`
    : named.join(' and ');
}

function article(type: string): string {
  if (type === 'flow') return 'an address';
  return type === 'other' ? 'an object' : type === 'registry' ? 'a registry key' : `a ${type}`;
}

function unnamed(type: string): string {
  return `an unnamed ${article(type).replace(/^an? /, '')}`;
}

/** One relation may act on several types, such as a Sysmon record of files and pipes. */
function nounOfAll(behaviours: readonly NewBehaviour[]): string {
  const types = new Set(behaviours.map(({ what }) => String(what[2])));
  return types.size === 1 ? nounOf([...types][0]) : 'objects';
}

function nounOf(type: string): string {
  return type === 'registry' ? 'registry keys' : type === 'other' ? 'objects' : `${type}s`;
}

function tellingRelation(behaviours: readonly NewBehaviour[]): string {
  const relations = [...new Set(behaviours.map(({ what }) => String(what[1])))];
  const place = (relation: string) => {
    const found = TELLING_FIRST.indexOf(relation.replace(/^EVENT_/, '').toLowerCase());
    return found < 0 ? TELLING_FIRST.length : found;
  };
  return relations.reduce((first, each) => (place(each) < place(first) ? each : first));
}

/** Lists names; those without any text are `unnamed`. */
function list(texts: readonly string[], nouns: string, unnamed: string): string {
  const named = texts.filter((text) => text !== '');
  if (named.length === 0) return unnamed;
  const shown = named.slice(0, MOST_NAMED).map(quote);
  const more = texts.length - shown.length;
  if (more === 0) return sequence(shown);
  return `${shown.join(', ')} and ${more} more ${more === 1 ? (SINGULAR[nouns] ?? nouns.slice(0, -1)) : nouns}`;
}

/** "a, b and c". */
function sequence(texts: readonly string[]): string {
  return texts.length < 2
    ? texts.join('')
    : `${texts.slice(0, -1).join(', ')} and ${texts[texts.length - 1]}`;
}
