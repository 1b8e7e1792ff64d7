import { describe, expect, test } from 'vitest';
import { Random } from '../../../src/base/random.js';
import {
  CalibrationBuilder,
  type CalibrationTables,
} from '../../../src/detect/calibration/calibration-tables.js';
import { judgeMoves, MoveCollector, type MoveVerdict } from '../../../src/detect/drift/relation-drift.js';

const SLOTS = 10;
const TYPES = 2;
const OPTIONS = { kind: 'quantile', tail: 'floor', byType: true, minNodes: 30, comparable: false } as const;

type Draw = (random: Random, slot: number, type: number) => number;

/** Relations differ in scale, types in location. */
const usual: Draw = (random, slot, type) => random.exponential(slot + 1) + 10 * type;

function tablesOf(random: Random, draw: Draw, nodes: number, byType = true): CalibrationTables {
  const groupOf = new Uint8Array(SLOTS);
  const builder = new CalibrationBuilder({ typeCount: TYPES, slotCount: SLOTS, groupOf });
  for (let node = 0; node < nodes; node++) {
    for (let slot = 0; slot < SLOTS; slot++)
      builder.add(node % TYPES, slot, draw(random, slot, node % TYPES), node);
  }
  return builder.build({ ...OPTIONS, byType });
}

function verdicts(tables: CalibrationTables, random: Random, draw: Draw, nodes = 200, level = 0.05) {
  const moves = new MoveCollector(tables);
  for (let node = 0; node < nodes; node++) {
    for (let slot = 0; slot < SLOTS; slot++) {
      moves.add(node % TYPES, slot, node, draw(random, slot, node % TYPES));
    }
  }
  const found = moves.finish().map((move) => ({ move, enough: moves.isEnough(move) }));
  return judgeMoves(found, level).map(({ move, rate, verdict }) => ({ ...move, rate, verdict }));
}

const named = (rows: readonly { slot: number; verdict: MoveVerdict }[], wanted: MoveVerdict) =>
  rows.filter(({ verdict }) => verdict === wanted).map(({ slot }) => slot);

describe('without change', () => {
  test('about the level of repetitions find any move, and fewer a large one', () => {
    const repetitions = 200;
    let [any, stranger] = [0, 0];
    for (let seed = 0; seed < repetitions; seed++) {
      const random = new Random(seed);
      const rows = verdicts(tablesOf(random, usual, 200), random, usual);
      if (rows.some(({ rate }) => rate <= 0.05)) any++;
      if (named(rows, 'more-unusual').length > 0) stranger++;
    }
    // Without change, every discovery is false, so the false discovery rate is the share of repetitions with any.
    expect(any / repetitions).toBeLessThan(0.05 + 3 * Math.sqrt((0.05 * 0.95) / repetitions));
    expect(any / repetitions).toBeGreaterThan(0.005);
    expect(stranger).toBeLessThan(any);
  });

  test('a node that repeats itself counts about once', () => {
    let any = 0;
    for (let seed = 0; seed < 100; seed++) {
      const random = new Random(seed);
      const tables = tablesOf(random, usual, 200);
      const moves = new MoveCollector(tables);
      // One of ten nodes repeats its value a hundred times.
      for (let node = 0; node < 200; node++) {
        const value = usual(random, 0, node % TYPES);
        for (let i = 0; i < (node % 10 === 0 ? 100 : 1); i++) moves.add(node % TYPES, 0, node, value);
      }
      const [{ p, now }] = moves.finish();
      expect(now.effective).toBeLessThan(60);
      if (p <= 0.05) any++;
    }
    expect(any / 100).toBeLessThan(0.1);
  });

  test('types that share a table are compared together', () => {
    const random = new Random(3);
    const tables = tablesOf(random, usual, 400, false);
    const rows = verdicts(tables, random, usual);
    expect(rows.every(({ before }) => before.nodes === 400)).toBe(true);
    expect(named(rows, 'steady')).toHaveLength(SLOTS);
  });
});

describe('with change', () => {
  test('only the relation that moved is found', () => {
    for (let seed = 0; seed < 20; seed++) {
      const random = new Random(seed);
      const tables = tablesOf(random, usual, 400);
      const moved: Draw = (r, slot, type) => usual(r, slot, type) + (slot === 3 ? 8 : 0);
      const rows = verdicts(tables, random, moved, 200, 0.01);
      expect(named(rows, 'more-unusual')).toEqual([3]);
      expect(rows[3].direction).toBe('up');
      expect(rows[3].above.p90).toBeGreaterThan(0.3);
    }
  });

  test('smaller values are calmer', () => {
    const random = new Random(1);
    const tables = tablesOf(random, usual, 400);
    const rows = verdicts(tables, random, (r, slot, type) =>
      slot === 5 ? 10 * type + 0.3 * r.exponential(6) : usual(r, slot, type),
    );
    expect(named(rows, 'less-unusual')).toEqual([5]);
    expect(rows[5].direction).toBe('down');
  });

  test('a small move of very many nodes is significant but not large', () => {
    const random = new Random(1);
    const rows = verdicts(
      tablesOf(random, usual, 20_000),
      random,
      (r, slot, type) => usual(r, slot, type) * (slot === 2 && type === 0 ? 1.15 : 1),
      20_000,
    );
    expect(named(rows, 'shifted')).toEqual([2]);
    expect(named(rows, 'more-unusual')).toEqual([]);
  });
});

describe('values that cannot be compared', () => {
  test('have too few nodes', () => {
    const random = new Random(1);
    const rows = verdicts(tablesOf(random, usual, 400), random, (r, s, t) => usual(r, s, t) + 50, 20);
    expect(named(rows, 'too-few')).toHaveLength(SLOTS);
  });

  test('have a slot without a table', () => {
    const builder = new CalibrationBuilder({ typeCount: 1, slotCount: 2, groupOf: new Uint8Array(2) });
    for (let node = 0; node < 100; node++) builder.add(0, 0, node, node);
    for (let node = 0; node < 29; node++) builder.add(0, 1, node, node);
    for (const comparable of [true, false]) {
      const moves = new MoveCollector(builder.build({ ...OPTIONS, comparable }));
      moves.add(0, 1, 7, 1e9);
      expect([moves.finish(), moves.withoutTable]).toEqual([[], 1]);
    }
  });

  test('have a type without a table, while another type has one', () => {
    const builder = new CalibrationBuilder({ typeCount: 2, slotCount: 1, groupOf: new Uint8Array(1) });
    for (let node = 0; node < 100; node++) builder.add(0, 0, node, node);
    const moves = new MoveCollector(builder.build(OPTIONS));
    moves.add(0, 0, 1, 5);
    moves.add(1, 0, 2, 5);
    expect(moves.finish()).toHaveLength(1);
    expect(moves.finish()[0].now.n).toBe(1);
    expect(moves.withoutTable).toBe(1);
  });

  test('without values, there are no moves', () => {
    expect(new MoveCollector(tablesOf(new Random(1), usual, 40)).finish()).toEqual([]);
    expect(judgeMoves([], 0.01)).toEqual([]);
  });
});
