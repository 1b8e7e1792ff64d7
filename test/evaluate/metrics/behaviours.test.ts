import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.js';
import {
  behaviourMetrics,
  bootstrapBehaviours,
  groupBehaviours,
} from '../../../src/evaluate/metrics/behaviours.js';

/** Behaviours by letter, one a node; `flagged` and `positives` as strings of 0 and 1. */
const world = (letters: string, flagged: string, positives: string) => ({
  behaviours: groupBehaviours(Uint32Array.from([...letters].flatMap((c) => [c.charCodeAt(0), 7]))),
  flagged: Uint8Array.from(flagged, Number),
  positives: Uint8Array.from(positives, Number),
});

describe('behaviours', () => {
  it('are told by both words of the hash, and numbered by first sight', () => {
    const hashes = Uint32Array.of(5, 1, 5, 2, 4, 1, 5, 1, 0xffffffff, 0xffffffff, 5, 2);
    expect(groupBehaviours(hashes)).toEqual({ count: 4, of: Int32Array.of(0, 1, 2, 0, 3, 1) });
    expect(groupBehaviours(hashes, Uint8Array.of(1, 0, 0, 0, 1, 1))).toEqual({
      count: 3,
      of: Int32Array.of(-1, 0, 1, 2, -1, -1),
    });
    expect(groupBehaviours(new Uint32Array(0))).toEqual({ count: 0, of: new Int32Array(0) });
  });

  it('count once, however many nodes show them', () => {
    // Behaviour a has a thousand positives, all found; b, c and d have one each, all missed; e is one false alarm.
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
      behaviours: 6,
      precision: 0.5,
      recall: 0.25,
      mixed: 0,
    });
  });

  it('are positive by any node and flagged by any node, also by another', () => {
    const { behaviours, flagged, positives } = world('aabbcc', '100010', '010100');
    // a: flagged by one, positive by the other. b: positive, not flagged. c: flagged only.
    expect(behaviourMetrics(behaviours, flagged, positives)).toEqual({
      tp: 1,
      fp: 1,
      fn: 1,
      tn: 0,
      behaviours: 3,
      precision: 0.5,
      recall: 0.5,
      mixed: 2,
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
      mixed: 0,
    });
  });

  it('have null rates where there is nothing to be a share of', () => {
    const { behaviours, flagged, positives } = world('ab', '00', '00');
    expect(behaviourMetrics(behaviours, flagged, positives)).toMatchObject({ precision: null, recall: null });
    const { precision, behaviourRecall } = bootstrapBehaviours(
      behaviours,
      flagged,
      positives,
      new Random(0),
      10,
    );
    expect([precision, behaviourRecall]).toEqual(Array(2).fill({ low: null, high: null, defined: 0 }));
  });
});

describe('the bootstrap', () => {
  // 40 behaviours: 6 found, 2 false alarms, 4 missed, 28 quiet. Behaviour a has 100 nodes.
  const letters = Array.from({ length: 40 }, (_, i) => String.fromCharCode(97 + i)).join('');
  const { behaviours, flagged, positives } = world(
    letters[0].repeat(99) + letters,
    '1'.repeat(99) + '1'.repeat(8) + '0'.repeat(32),
    `${'1'.repeat(99)}11111100${'1'.repeat(4)}${'0'.repeat(28)}`,
  );

  it('gives the same for the same seed, and another for another', () => {
    const run = (seed: number) => bootstrapBehaviours(behaviours, flagged, positives, new Random(seed), 200);
    expect(run(3)).toEqual(run(3));
    expect(run(3)).not.toEqual(run(4));
  });

  it('agrees with drawing every behaviour, quiet ones too', () => {
    const resamples = 4000;
    const found = bootstrapBehaviours(behaviours, flagged, positives, new Random(1), resamples);
    const random = new Random(99);
    const ofBehaviours: number[] = [];
    const ofNodes: number[] = [];
    for (let i = 0; i < resamples; i++) {
      let [tp, fn, nodeTp, nodeFn] = [0, 0, 0, 0];
      for (let draw = 0; draw < 40; draw++) {
        const b = random.below(40);
        if (b < 6) tp++;
        if (b < 6) nodeTp += b === 0 ? 100 : 1;
        if (b >= 8 && b < 12) fn++;
        if (b >= 8 && b < 12) nodeFn++;
      }
      if (tp + fn > 0) ofBehaviours.push(tp / (tp + fn));
      if (tp + fn > 0) ofNodes.push(nodeTp / (nodeTp + nodeFn));
    }
    const quantile = (values: number[], q: number) =>
      [...values].sort((a, b) => a - b)[Math.round(q * (values.length - 1))];
    for (const [interval, values] of [
      [found.behaviourRecall, ofBehaviours],
      [found.recall, ofNodes],
    ] as const) {
      expect(Math.abs((interval.low ?? 9) - quantile(values, 0.025))).toBeLessThan(0.05);
      expect(Math.abs((interval.high ?? 9) - quantile(values, 0.975))).toBeLessThan(0.05);
    }
    expect(found.resamples).toBe(resamples);
    expect(found.recall.defined).toBeGreaterThan(resamples * 0.99);
  });

  it('shows what a single behaviour of many nodes is worth: recall per node may be near 1 or low', () => {
    const { recall } = bootstrapBehaviours(behaviours, flagged, positives, new Random(5), 1000);
    expect(recall.high).toBeGreaterThan(0.95);
    expect(recall.low).toBeLessThan(0.5);
  });

  it('takes a behaviour for found that another of its nodes flags, as the metrics do', () => {
    const other = world('aa', '10', '01');
    const { behaviourRecall, recall } = bootstrapBehaviours(
      other.behaviours,
      other.flagged,
      other.positives,
      new Random(2),
      20,
    );
    expect(behaviourRecall).toEqual({ low: 1, high: 1, defined: 20 });
    expect(recall).toEqual({ low: 0, high: 0, defined: 20 });
  });

  it('works where every behaviour counts, and where there is none', () => {
    const all = world('ab', '11', '10');
    const { behaviourRecall, f1 } = bootstrapBehaviours(
      all.behaviours,
      all.flagged,
      all.positives,
      new Random(2),
      400,
    );
    // Of two draws: a twice, both, or b twice. b alone leaves recall undefined.
    expect(behaviourRecall).toMatchObject({ low: 1, high: 1 });
    expect(Math.abs(behaviourRecall.defined / 400 - 0.75)).toBeLessThan(0.08);
    expect(f1).toEqual({ low: 0, high: 1, defined: 400 });
    const none = world('', '', '');
    expect(
      bootstrapBehaviours(none.behaviours, none.flagged, none.positives, new Random(2), 5).f1.defined,
    ).toBe(0);
  });
});
