import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backOffWeight } from '../../../../src/detect/episodes/fleet/back-off.js';
import { roleOf } from '../../../../src/detect/episodes/fleet/host-role.js';

const counts = fc.tuple(fc.nat(50), fc.nat(50)).chain(([role, others]) =>
  fc.record({
    all: fc.constant({ role, fleet: role + others }),
    knowing: fc
      .tuple(fc.nat(role), fc.nat(others))
      .map(([own, other]) => ({ role: own, fleet: own + other })),
  }),
);

test('a behaviour that no other host knows weighs 1, others between 0 and 1', () => {
  fc.assert(
    fc.property(counts, ({ knowing, all }) => {
      const weight = backOffWeight(knowing, all);
      expect(weight).toBeGreaterThan(0);
      expect(weight).toBeLessThanOrEqual(1);
      if (knowing.fleet === 0) expect(weight).toBe(1);
    }),
  );
});

test('weighs less, the more hosts know it', () => {
  fc.assert(
    fc.property(counts, ({ knowing, all }) => {
      if (knowing.role >= all.role) return;
      const more = { role: knowing.role + 1, fleet: knowing.fleet + 1 };
      expect(backOffWeight(more, all)).toBeLessThan(backOffWeight(knowing, all));
    }),
  );
});

test('a host of the same role says more than one of another role', () => {
  const all = { role: 4, fleet: 20 };
  expect(backOffWeight({ role: 3, fleet: 3 }, all)).toBeLessThan(backOffWeight({ role: 0, fleet: 3 }, all));
});

test('the role of a host is its name without numbers', () => {
  expect(['web-01', 'web-02', 'web'].map(roleOf)).toEqual(['web', 'web', 'web']);
  expect(roleOf('db3.eu.example')).toBe('db.eu.example');
});
