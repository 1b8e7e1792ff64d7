import { describe, expect, it } from 'vitest';
import { behaviourMetrics, groupBehaviours } from '../../../src/evaluate/metrics/behaviours.js';

/** One letter per node names its behaviour; `flagged` and `positives` are strings of 0 and 1. */
const world = (letters: string, flagged: string, positives: string) => ({
  behaviours: groupBehaviours(Uint32Array.from([...letters].flatMap((c) => [c.charCodeAt(0), 7]))),
  flagged: Uint8Array.from(flagged, Number),
  positives: Uint8Array.from(positives, Number),
});

describe('behaviours', () => {
  it('are identified by both words of the hash and numbered in node order', () => {
    const hashes = Uint32Array.of(5, 1, 5, 2, 4, 1, 5, 1, 0xffffffff, 0xffffffff, 5, 2);
    expect(groupBehaviours(hashes)).toEqual({ count: 4, of: Int32Array.of(0, 1, 2, 0, 3, 1) });
    expect(groupBehaviours(hashes, Uint8Array.of(1, 0, 0, 0, 1, 1))).toEqual({
      count: 3,
      of: Int32Array.of(-1, 0, 1, 2, -1, -1),
    });
    expect(groupBehaviours(new Uint32Array(0))).toEqual({ count: 0, of: new Int32Array(0) });
  });

  it('count once, however many nodes share them', () => {
    // Behaviour a has a thousand positives, all flagged. b, c and d have one each, all missed. e is a false alarm.
    const { behaviours, flagged, positives } = world(
      `${'a'.repeat(1000)}bcde${'f'.repeat(50)}`,
      `${'1'.repeat(1000)}0001${'0'.repeat(50)}`,
      `${'1'.repeat(1003)}0${'0'.repeat(50)}`,
    );
    expect(behaviourMetrics(behaviours, flagged, positives)).toEqual({
      tp: 1,
      fp: 1,
      fn: 3,
      tn: 1,
      precision: 0.5,
      recall: 0.25,
    });
  });

  it('are positive or flagged if any node is, even if the nodes differ', () => {
    const { behaviours, flagged, positives } = world('aabbcc', '100010', '010100');
    // a has one flagged node and one positive node. b is positive and not flagged. c is flagged only.
    expect(behaviourMetrics(behaviours, flagged, positives)).toEqual({
      tp: 1,
      fp: 1,
      fn: 1,
      tn: 0,
      precision: 0.5,
      recall: 0.5,
    });
  });

  it('leave ignored nodes out', () => {
    const hashes = Uint32Array.of(1, 0, 1, 0, 2, 0);
    const behaviours = groupBehaviours(hashes, Uint8Array.of(0, 1, 0));
    expect(behaviourMetrics(behaviours, Uint8Array.of(0, 1, 1), Uint8Array.of(1, 0, 0))).toMatchObject({
      tp: 0,
      fp: 1,
      fn: 1,
      tn: 0,
    });
  });

  it('have null rates if the denominator is 0', () => {
    const { behaviours, flagged, positives } = world('ab', '00', '00');
    expect(behaviourMetrics(behaviours, flagged, positives)).toMatchObject({ precision: null, recall: null });
  });
});
