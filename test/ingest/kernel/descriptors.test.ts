import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Descriptors } from '../../../src/ingest/kernel/descriptors.js';
import { EntityRecord } from '../../../src/ingest/kernel/entity-record.js';

const FILES = ['a', 'b', 'c'].map((name) => EntityRecord.of('file', `/${name}`));

it('tables of parents and children behave like copies', () => {
  const step = fc.tuple(
    fc.constantFrom('set', 'delete', 'range', 'fork', 'exec'),
    fc.nat(5),
    fc.nat(9),
    fc.nat(2),
    fc.boolean(),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const tables = [new Descriptors()];
      const copies = [new Map<number, { entity: EntityRecord; closeOnExec: boolean }>()];
      for (const [what, which, number, file, closeOnExec] of steps) {
        const at = which % tables.length;
        const [table, copy] = [tables[at], copies[at]];
        if (what === 'set') {
          table.set(number, FILES[file], closeOnExec);
          copy.set(number, { entity: FILES[file], closeOnExec });
        } else if (what === 'delete') {
          table.delete(number);
          copy.delete(number);
        } else if (what === 'range') {
          table.deleteRange(number, number + 3);
          for (let i = number; i <= number + 3; i++) copy.delete(i);
        } else if (what === 'fork') {
          tables.push(table.fork());
          copies.push(new Map(copy));
        } else {
          table.exec();
          for (const [key, value] of copy) if (value.closeOnExec) copy.delete(key);
        }
        for (const [i, each] of tables.entries()) expect(new Map(each.entries())).toEqual(copies[i]);
      }
    }),
  );
});

it('forgets the oldest of more than 1,024', () => {
  const table = new Descriptors();
  for (let number = 0; number < 1100; number++) table.set(number, FILES[0], false);
  expect([...table.entries()].length).toBe(1024);
  expect(table.get(0)).toBeUndefined();
  expect(table.get(1099)).toBe(FILES[0]);
});
