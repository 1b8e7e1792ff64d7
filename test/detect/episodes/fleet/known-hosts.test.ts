import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostKey, roleKey } from '../../../../src/detect/episodes/fleet/known-hosts.js';
import { KnownBehaviours } from '../../../../src/detect/episodes/novelty/known-behaviours.js';

const key = (n: number) => ({ high: n, low: ~n });

function fleetOf(seen: readonly (readonly [key: number, host: number])[]): KnownBehaviours {
  const known = new KnownBehaviours();
  const hosts = known.recordHosts();
  for (const [n, host] of seen) {
    known.add(key(n), hosts.intern(hostKey(`web${host}`), roleKey(host % 2 === 0 ? 'even' : 'odd')));
  }
  return known;
}

const sightings = fc.array(fc.tuple(fc.nat(40), fc.nat(70)), { minLength: 1, maxLength: 200 });

test('survive a model file, for more hosts than a word has bits', () => {
  fc.assert(
    fc.property(sightings, (seen) => {
      const known = fleetOf(seen);
      const read = KnownBehaviours.fromArrays(known.toArrays());
      expect(read.toArrays()).toEqual(known.toArrays());
      for (const [n, host] of seen) {
        const number = read.hosts?.find(hostKey(`web${host}`)) ?? -1;
        expect(read.hosts?.isSeen(read.find(key(n)), number)).toBe(true);
      }
    }),
  );
});

test('are united by host, whatever their numbers', () => {
  fc.assert(
    fc.property(sightings, sightings, (one, other) => {
      const both = fleetOf(one);
      both.addAll(fleetOf(other));
      const all = fleetOf([...one, ...other]);
      for (const [n, host] of [...one, ...other]) {
        const count = (known: KnownBehaviours) =>
          known.hosts?.countOthers(known.find(key(n)), known.hosts.find(hostKey(`web${host}`)));
        expect(count(both)).toEqual(count(all));
      }
    }),
  );
});

test('of a damaged file are refused', () => {
  const arrays = fleetOf([
    [1, 0],
    [2, 1],
  ]).toArrays();
  const refused = (change: object) => () => KnownBehaviours.fromArrays({ ...arrays, ...change });
  expect(refused({ masks: new Uint32Array(1) })).toThrow(RangeError);
  expect(refused({ masks: Uint32Array.of(4, 1) })).toThrow(RangeError);
  expect(refused({ roleLow: new Int32Array(1) })).toThrow(RangeError);
});

test('are not recorded for a single host', () => {
  const known = new KnownBehaviours();
  known.add(key(1));
  expect(Object.keys(known.toArrays())).toEqual(['high', 'low']);
});
