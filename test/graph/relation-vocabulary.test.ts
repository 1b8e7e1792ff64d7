import { describe, expect, it } from 'vitest';
import { commonTable, inVocabulary } from '../../src/graph/relation-vocabulary.js';
import { ACTIONS, type Action } from '../../src/ingest/actions.js';
import type { EventTable } from '../../src/store/event-table.js';
import type { LoadedEvents } from '../../src/store/load.js';

type Row = readonly [relation: string, action: Action, stated: boolean];

function tableOf(rows: readonly Row[]): EventTable {
  const relations = [...new Set(rows.map(([relation]) => relation))].sort();
  const none = new Int32Array(rows.length).fill(-1);
  return {
    length: rows.length,
    ts: new BigInt64Array(rows.length),
    seq: new BigInt64Array(rows.length),
    subject: none,
    object: none,
    object2: none,
    flow: new Uint8Array(rows.length),
    relation: Uint16Array.from(rows, ([relation]) => relations.indexOf(relation)),
    action: Uint8Array.from(rows, ([, action]) => ACTIONS.indexOf(action)),
    stated: Uint8Array.from(rows, ([, , stated]) => Number(stated)),
    relations,
    nodeCount: 0,
  };
}

const namesIn = ({ relation, relations }: EventTable): string[] => [...relation].map((r) => relations[r]);

describe('the common vocabulary', () => {
  it('names events by their action, whatever the log calls them', () => {
    const table = tableOf([
      ['openat_read', 'read', true],
      ['security_file_permission:read', 'read', true],
      ['execve', 'exec', true],
      ['openat_write', 'write', true],
    ]);
    expect(namesIn(commonTable(table))).toEqual(['read', 'read', 'exec', 'write']);
    expect(commonTable(table).relations).toEqual(['exec', 'read', 'write']);
  });

  it('keeps the names of events without a stated action, and of those without an action of their own', () => {
    const table = tableOf([
      ['EVENT_READ', 'read', false],
      ['io_uring_setup', 'other', true],
      ['read', 'read', false],
      ['openat', 'read', true],
      ['openat', 'write', true],
    ]);
    expect(namesIn(commonTable(table))).toEqual(['EVENT_READ', 'io_uring_setup', 'read', 'read', 'write']);
  });

  it('changes nothing in CDM, and nothing in the vocabulary of the source', () => {
    const rows: Row[] = [
      ['EVENT_WRITE', 'write', false],
      ['EVENT_FORK', 'fork', false],
    ];
    const table = tableOf(rows);
    expect(commonTable(table).relations).toEqual(table.relations);
    expect(commonTable(table).relation).toEqual(table.relation);
    const events = { table } as LoadedEvents;
    expect(inVocabulary(events, 'source')).toBe(events);
    expect(inVocabulary(events, 'common')).toMatchObject({ vocabulary: 'common' });
  });
});
