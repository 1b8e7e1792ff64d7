import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupHosts } from '../../../src/store/segments/group-hosts.js';

const host = (name: string, rows: number) => ({ host: name, rows });

test('few small hosts keep their own segments', () => {
  const hosts = ['c', 'a', 'b'].map((name) => host(name, 5));
  expect(groupHosts(hosts)).toEqual(hosts.map((each) => [each]));
});

test('large hosts stay alone, small ones share by name', () => {
  const small = ['i', 'h', 'g', 'f', 'e', 'd', 'c', 'b'].map((name) => host(name, 1));
  const large = [host('z', 5000), host('a', 9000)];
  expect(groupHosts([large[0], ...small, large[1]])).toEqual([[large[0]], [large[1]], small.toReversed()]);
});

test('every host is in one segment, and a shared one ends when it is full', () => {
  const hosts = fc.uniqueArray(
    fc.record({ host: fc.string({ maxLength: 6 }), rows: fc.integer({ min: 1, max: 6000 }) }),
    { selector: (each) => each.host, minLength: 1, maxLength: 200, size: 'max' },
  );
  fc.assert(
    fc.property(hosts, (all) => {
      const groups = groupHosts(all);
      expect(groups.flat().sort(byName)).toEqual([...all].sort(byName));
      for (const group of groups.filter(({ length }) => length > 1)) {
        expect(group.slice(0, -1).reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(131_072);
        expect(group.every(({ rows }) => rows < 4096)).toBe(true);
      }
    }),
  );
});

function byName(a: { host: string }, b: { host: string }): number {
  return a.host < b.host ? -1 : 1;
}
