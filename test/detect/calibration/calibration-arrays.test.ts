import { describe, expect, it } from 'vitest';
import { type CalibrationArrays, checkArrays } from '../../../src/detect/calibration/calibration-arrays.js';
import { CalibrationBuilder } from '../../../src/detect/calibration/calibration-tables.js';

describe('arrays of calibration tables', () => {
  it('are accepted as built, and refused when damaged', () => {
    const builder = new CalibrationBuilder({
      typeCount: 3,
      slotCount: 4,
      groupOf: Uint8Array.of(0, 0, 1, 1),
    });
    [1, 2, 3].forEach((value, node) => {
      builder.add(0, 0, value, node);
      builder.add(1, 2, value + 3, node);
    });
    const options = {
      kind: 'quantile',
      tail: 'tail',
      byType: true,
      minNodes: 30,
      comparable: false,
    } as const;
    const good = builder.build(options).toArrays();
    expect(checkArrays(good)).toEqual(good);
    // Earlier models do not have this setting, and pooled all relations.
    const { comparable, ...earlier } = good.meta;
    expect(comparable).toBe(false);
    const read = checkArrays({ ...good, meta: earlier as typeof good.meta });
    expect(read.meta.comparable).toBe(true);
    const broken: [string, (arrays: CalibrationArrays) => Partial<CalibrationArrays>][] = [
      ['not sorted', (p) => ({ values: p.values.slice().reverse() })],
      ['no number', (p) => ({ values: p.values.map((v) => (v === 2 ? Number.NaN : v)) })],
      ['for 6 places', (p) => ({ values: Float32Array.of(...p.values, 9) })],
      ['beyond the values', (p) => ({ values: p.values.slice(1) })],
      ['out of order', (p) => ({ tables: Uint32Array.of(...p.tables.slice(3), ...p.tables.slice(0, 3)) })],
      ['out of order', (p) => ({ tables: p.tables.with(0, 77) })],
      ['values of 9 nodes', (p) => ({ nodes: p.nodes.with(0, 9) })],
      ['distinct nodes', (p) => ({ nodes: p.nodes.with(p.nodes.length - 1, 99) })],
      ['do not match', (p) => ({ nodes: p.nodes.slice(1) })],
      ['groups are given', (p) => ({ groupOf: p.groupOf.slice(1) })],
      ['settings are wrong', (p) => ({ meta: { ...p.meta, kind: 'guess' as 'none' } })],
      ['types of', (p) => ({ meta: { ...p.meta, typeCount: 65_535, slotCount: 65_535 } })],
    ];
    for (const [why, change] of broken) {
      expect(() => checkArrays({ ...good, ...change(good) }), why).toThrow(
        expect.objectContaining({ code: 'model-damaged' }),
      );
    }
  });
});
