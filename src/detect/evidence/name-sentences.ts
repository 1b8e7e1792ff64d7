import { type NodeNames, nameOf } from '../../graph/node-names.js';
import { ENTITY_TYPES, type EntityType } from '../../ingest/event.js';
import { singularOf } from './entity-words.js';
import { type NameLevel, splitName } from './name-levels.js';
import { quote, selfVerbOf, verbOf } from './relation-words.js';

/** An interaction whose surprise is explained. */
interface Interaction {
  readonly names: NodeNames;
  readonly subject: number;
  readonly object: number;
  /** The relation's name in the log; undefined for one that training never saw. */
  readonly relation: string | undefined;
}

/** How well training knew an interaction. Levels of the object's name count from the coarsest. */
export interface FirstUnseen {
  /** The first level that training never saw with this subject and relation; `depth` if it saw all. */
  readonly own: number;
  /** The first level that training never saw with this relation and any subject. */
  readonly any: number;
  readonly depth: number;
  /** Whether training saw a subject of this name. */
  readonly knownSubject: boolean;
  /** How often training saw this interaction, and how often this subject with this relation. */
  readonly times: number;
  readonly total: number;
}

/** Says why an interaction is surprising, or how common it is: one sentence without a full stop. */
export function phraseNameSurprise(surprise: Interaction & FirstUnseen): string {
  const { names, subject, object, relation, own, any, depth, knownSubject, times, total } = surprise;
  if (relation === undefined) return 'training never saw this relation';
  const who = phraseProgram(names, subject);
  const objectType = typeOf(names, object);
  const levels = splitName(objectType, nameOf(names, object));
  const verb = verbOf(relation, objectType);
  if (any < depth) {
    const nobody = typeOf(names, subject) === 'process' ? 'no process' : 'nothing';
    return `${nobody} in training ever ${verb} ${phraseLevel(levels, any)}`;
  }
  const act = (level: number) =>
    subject === object ? selfVerbOf(relation, objectType) : `${verb} ${phraseLevel(levels, level)}`;
  if (own < depth) {
    return knownSubject
      ? `${who} never ${act(own)} in training`
      : `training never saw ${who}, which ${act(depth - 1)}`;
  }
  return `in training, ${who} ${act(depth - 1)} ${times} of ${total} ${total === 1 ? 'time' : 'times'}`;
}

/** How training saw a subject interact with an object. */
export interface RelationSurpriseFacts extends Interaction {
  /** The finest level of the object's name that training saw with this subject; below 0 for none. */
  readonly level: number;
  /** The interactions with that level that have this relation, and all of them. */
  readonly times: number;
  readonly total: number;
}

/** Says how unusual a relation is between two entities: one sentence without a full stop. */
export function phraseRelationSurprise(facts: RelationSurpriseFacts): string {
  const { names, subject, object, relation, level, times, total } = facts;
  if (relation === undefined) return 'training never saw this relation';
  const who = phraseProgram(names, subject);
  const objectType = typeOf(names, object);
  const verb = verbOf(relation, objectType);
  if (level < 0) {
    const [from, to] = [typeOf(names, subject), objectType].map(singularOf);
    return `training never saw ${who} with a ${to}; ${times} of ${total} interactions of a ${from} with a ${to} had this relation`;
  }
  const what = phraseLevel(splitName(objectType, nameOf(names, object)), level);
  return times === 0
    ? `in training, ${who} interacted ${total === 1 ? 'once' : `${total} times`} with ${what} and never ${verb} it`
    : `in training, ${who} ${verb} ${what} in ${times} of ${total} interactions with it`;
}

/** The program of a process, or the name of another subject, quoted. */
function phraseProgram(names: NodeNames, node: number): string {
  const type = typeOf(names, node);
  const levels = splitName(type, nameOf(names, node));
  return levels.length === 1 ? `an unnamed ${singularOf(type)}` : quote(levels[levels.length - 1].text);
}

function typeOf(names: NodeNames, node: number): EntityType {
  return ENTITY_TYPES[names.types[node]];
}

function phraseLevel(levels: readonly NameLevel[], at: number): string {
  const { kind, text } = levels[Math.min(at, levels.length - 1)];
  switch (kind) {
    case 'type': {
      const type = singularOf(text as EntityType);
      return levels.length === 1 ? `an unnamed ${type}` : `any ${type}`;
    }
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
