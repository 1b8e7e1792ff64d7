import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectInteractions } from '../../src/graph/interactions.js';
import { arbitraryRows, type EventRow, RELATIONS, tableOf } from '../store/event-rows.js';

/** The reference: a Map with string keys. */
function count(rows: readonly EventRow[]) {
  const found = new Map<string, { count: number; first: number; last: number }>();
  const add = (row: number, s: number, r: number, o: number) => {
    const known = found.get(`${s} ${r} ${o}`);
    if (known === undefined) found.set(`${s} ${r} ${o}`, { count: 1, first: row, last: row });
    else Object.assign(known, { count: known.count + 1, last: row });
  };
  rows.forEach(({ subj = -1, obj = -1, obj2 = -1, rel = 0 }, row) => {
    if (subj >= 0 && obj >= 0) add(row, subj, rel, obj);
    if (subj >= 0 && obj2 >= 0) add(row, subj, rel, obj2);
    if (subj < 0 && obj >= 0 && obj2 >= 0) add(row, obj, rel, obj2);
  });
  return [...found].map(([key, value]) => ({ key, ...value }));
}

test('collectInteractions equals the reference on random events', () => {
  fc.assert(
    fc.property(arbitraryRows(5, 200), (rows) => {
      const found = collectInteractions(tableOf(rows, RELATIONS, 5));
      const listed = Array.from({ length: found.length }, (_, i) => ({
        key: `${found.subject[i]} ${found.relation[i]} ${found.object[i]}`,
        count: found.count[i],
        first: found.first[i],
        last: found.last[i],
      }));
      expect(listed).toEqual(count(rows));
    }),
  );
});
