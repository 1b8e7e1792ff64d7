import { ACTIONS } from '../ingest/actions.js';
import type { EventTable } from '../store/event-table.js';
import type { LoadedEvents } from '../store/load.js';

/** The names of relations: the log's own, or one vocabulary for all formats whose readers know what an event does. */
export const VOCABULARIES = ['common', 'source'] as const;
export type RelationVocabulary = (typeof VOCABULARIES)[number];

const OTHER = ACTIONS.indexOf('other');
/** Variants of an evaluation share loaded events, so each table is translated once. */
const translated = new WeakMap<EventTable, EventTable>();

/** Returns the events with relations of this vocabulary. */
export function inVocabulary(events: LoadedEvents, vocabulary: RelationVocabulary): LoadedEvents {
  if (vocabulary === 'source') return events;
  return { ...events, vocabulary, table: commonTable(events.table) };
}

/**
 * Names each event by its action. An event keeps the log's own name if its reader stated no action, as for CDM and recal
 * NDJSON, or if the action is `other`.
 */
export function commonTable(table: EventTable): EventTable {
  const known = translated.get(table);
  if (known !== undefined) return known;
  const { length, action, stated } = table;
  const numbers = new Map<string, number>();
  // Few pairs of relation and action occur, and each has one name.
  const ofPair = new Int32Array(table.relations.length * (ACTIONS.length + 1)).fill(-1);
  const relation = new Uint16Array(length);
  for (let row = 0; row < length; row++) {
    const translates = stated[row] === 1 && action[row] !== OTHER;
    const pair = table.relation[row] * (ACTIONS.length + 1) + (translates ? action[row] + 1 : 0);
    if (ofPair[pair] < 0) {
      const name = translates ? ACTIONS[action[row]] : table.relations[table.relation[row]];
      const number = numbers.get(name) ?? numbers.size;
      numbers.set(name, number);
      ofPair[pair] = number;
    }
    relation[row] = ofPair[pair];
  }
  const result = { ...table, ...sorted([...numbers.keys()], relation) };
  translated.set(table, result);
  return result;
}

/** Sorts the names as the store does, so that the order of events does not change the numbers. */
function sorted(names: readonly string[], relation: Uint16Array): Pick<EventTable, 'relation' | 'relations'> {
  const relations = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const numbers = Uint16Array.from(names, (name) => relations.indexOf(name));
  return { relations, relation: relation.map((number) => numbers[number]) };
}
