import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecalError } from '../../../src/base/errors.js';
import { Random } from '../../../src/base/random.js';
import {
  type BenignCurve,
  chooseThreshold,
  empiricalP,
  formatThreshold,
  nodeP,
  parseThreshold,
  type ThresholdSpec,
} from '../../../src/detect/threshold/threshold.js';

interface Instance {
  score: number;
  graph: number;
}

type Count = (list: readonly Instance[]) => number;

/** A curve on which every instance is an incident, unless another count is given. */
function curve(
  instances: readonly Instance[],
  { days = 1, incidents = undefined as Count | undefined } = {},
): BenignCurve {
  const descending = (list: readonly Instance[]) =>
    list.map(({ score, graph }) => ({ score: Math.fround(score), graph })).sort((a, b) => b.score - a.score);
  const scores = Float32Array.from(descending(instances), ({ score }) => score).filter((score) => score > 0);
  const thresholds = scores.filter((score, i) => i === 0 || score !== scores[i - 1]);
  const count = (list: readonly Instance[], how?: Count) => {
    const sorted = descending(list);
    let end = 0;
    return Uint32Array.from(thresholds, (tau) => {
      while (end < sorted.length && sorted[end].score >= tau) end++;
      return how === undefined ? end : how(sorted.slice(0, end));
    });
  };
  const graphs = new Set(instances.map(({ graph }) => graph)).size;
  return {
    scores,
    thresholds,
    graphs,
    instances: instances.length,
    hostDays: days,
    incidents: count(instances, incidents),
    without: Array.from({ length: graphs < 2 ? 0 : graphs }, (_, graph) => {
      const left = instances.filter((instance) => instance.graph !== graph);
      return {
        hostDays: (days * (graphs - 1)) / graphs,
        incidents: count(left, incidents),
        instances: left.length,
        above: count(left),
      };
    }),
  };
}

const draw = (seed: number, n: number, graphs = 4): Instance[] => {
  const random = new Random(seed);
  return Array.from({ length: n }, (_, i) => ({ score: random.exponential(2), graph: i % graphs }));
};
const budget = (count: number) => ({ kind: 'budget', count, per: 'day' }) as const;
const fpr = (level: number) => ({ kind: 'fpr', level }) as const;

describe('the text of a threshold', () => {
  it('is parsed', () => {
    expect(parseThreshold('budget:5/day')).toEqual({ kind: 'budget', count: 5, per: 'day' });
    expect(parseThreshold(' Budget:0.5/HOUR ')).toEqual({ kind: 'budget', count: 0.5, per: 'hour' });
    expect(parseThreshold('budget:2/week')).toEqual({ kind: 'budget', count: 2, per: 'week' });
    expect(parseThreshold('fpr:1e-3')).toEqual({ kind: 'fpr', level: 0.001 });
    expect(parseThreshold('fdr:.1')).toEqual({ kind: 'fdr', level: 0.1 });
    expect(parseThreshold('oracle', { oracle: true })).toEqual({ kind: 'oracle' });
  });

  it('is the same after formatting and parsing', () => {
    const level = fc.double({ min: 1e-12, max: 1 - 1e-12, noNaN: true });
    const specs: fc.Arbitrary<ThresholdSpec> = fc.oneof(
      fc.record({
        kind: fc.constant('budget' as const),
        count: fc.double({ min: 1e-9, max: 1e30, noNaN: true }),
        per: fc.constantFrom('hour' as const, 'day' as const, 'week' as const),
      }),
      fc.record({ kind: fc.constantFrom('fpr' as const, 'fdr' as const), level }),
      fc.constant({ kind: 'oracle' as const }),
    );
    fc.assert(
      fc.property(specs, (spec) => {
        expect(parseThreshold(formatThreshold(spec), { oracle: true })).toEqual(spec);
      }),
    );
  });

  it('is refused with a hint, and is printable in the message', () => {
    for (const text of [
      '',
      '5',
      'budget:5',
      'budget:5/year',
      'budget:0/day',
      'fpr:0',
      'fpr:1',
      'fdr:2',
      'fpr:1%',
      'oracle',
      'fpr:-0.1',
      'x\u001b[2J',
    ]) {
      let error: unknown;
      try {
        parseThreshold(text);
      } catch (thrown) {
        error = thrown;
      }
      expect(error, text).toBeInstanceOf(RecalError);
      expect(error).toMatchObject({ code: 'threshold-invalid', exit: 2, hint: expect.stringMatching(/./) });
      expect((error as RecalError).message).not.toContain('\u001b');
    }
  });
});

describe('τ for a budget', () => {
  it('is the lowest score at which incidents per host and day do not exceed it', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ score: fc.integer({ min: 0, max: 30 }), graph: fc.integer({ min: 0, max: 2 }) }),
          { minLength: 1, maxLength: 60 },
        ),
        fc.constantFrom(0.5, 1, 2, 7),
        fc.integer({ min: 1, max: 20 }),
        (instances, days, count) => {
          if (count * days < 1) return;
          const { tau, status, realised } = chooseThreshold(budget(count), curve(instances, { days }));
          const at = (score: number) =>
            instances.filter((one) => one.score > 0 && one.score >= score).length / days;
          expect(status).toBe('resolved');
          expect(at(tau)).toBeLessThanOrEqual(count);
          expect(realised).toBeCloseTo(at(tau), 12);
          const lower = instances.map(({ score }) => score).filter((score) => score > 0 && score < tau);
          if (lower.length > 0) expect(at(Math.max(...lower))).toBeGreaterThan(count);
        },
      ),
    );
  });

  it('is not chosen where incidents have merged', () => {
    const instances = [9, 8, 7, 6, 5, 4].map((score) => ({ score, graph: 0 }));
    const incidents = (list: readonly Instance[]) => (list.length > 4 ? 1 : list.length);
    expect(chooseThreshold(budget(2), curve(instances, { incidents })).tau).toBe(8);
  });

  it('counts hours and weeks as days', () => {
    const benign = curve(draw(1, 1000), { days: 10 });
    const tau = (text: string) =>
      chooseThreshold(parseThreshold(text) as ReturnType<typeof budget>, benign).tau;
    expect(tau('budget:1/hour')).toBe(tau('budget:24/day'));
    expect(tau('budget:7/week')).toBe(tau('budget:1/day'));
  });

  it('estimates the expected alarms and incidents', () => {
    const pairs = (list: readonly Instance[]) => Math.ceil(list.length / 2);
    const found = chooseThreshold(budget(5), curve(draw(2, 1000), { days: 2, incidents: pairs }));
    expect(found).toMatchObject({ incidentsPerDay: 5, alarmsPerDay: 10, finest: 0.5, asked: 5, graphs: 4 });
  });
});

describe('τ for a false positive rate', () => {
  it('gives alarms for at most the level of all instances', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99 }), fc.constantFrom(0.01, 0.05, 0.3), (seed, level) => {
        const instances = draw(seed, 500).map((one, i) => ({
          ...one,
          score: i % 2 === 0 ? 0 : Math.ceil(one.score * 4),
        }));
        const { tau } = chooseThreshold(fpr(level), curve(instances));
        const share = (at: number) => instances.filter(({ score }) => score > 0 && score >= at).length / 500;
        expect(share(tau)).toBeLessThanOrEqual(level);
        const lower = instances.map(({ score }) => score).filter((score) => score > 0 && score < tau);
        if (lower.length > 0) expect(share(Math.max(...lower))).toBeGreaterThan(level);
      }),
    );
  });
});

describe('the number that a rate allows', () => {
  it('is not changed by binary fractions', () => {
    const instances = Array.from({ length: 100 }, (_, i) => ({ score: i + 1, graph: 0 }));
    expect(0.29 * 100).toBeLessThan(29);
    expect(chooseThreshold(fpr(0.29), curve(instances)).tau).toBe(72);
  });

  it('is 0 if more instances share the highest score', () => {
    const benign = curve(Array.from({ length: 100 }, () => ({ score: 7, graph: 0 })));
    const found = chooseThreshold(budget(5), benign);
    expect(found).toMatchObject({ status: 'resolved', realised: 0, alarmsPerDay: 0 });
    expect(found.tau).toBeGreaterThan(7);
  });
});

describe('a rate that the benign scores do not resolve', () => {
  it('is extrapolated from their tail: above the highest score, and higher for a lower rate', () => {
    const benign = curve(draw(3, 2000), { days: 2 });
    const [one, fine, finer] = [0.5, 0.1, 0.001].map((count) => chooseThreshold(budget(count), benign));
    expect(one.status).toBe('resolved');
    expect(fine).toMatchObject({ status: 'extrapolated', realised: 0 });
    expect(fine.incidentsPerDay).toBeCloseTo(0.1, 12);
    expect(fine.tau).toBeGreaterThan(Math.max(...benign.scores));
    expect(finer.tau).toBeGreaterThan(fine.tau);
    // Scores are drawn from an exponential distribution of mean 2, 1000 a day.
    expect(finer.tau).toBeGreaterThan(2 * Math.log(1000 / 0.001) * 0.6);
    expect(finer.tau).toBeLessThan(2 * Math.log(1000 / 0.001) * 2.5);
  });

  it('is unresolved without a tail to fit: τ is just above the highest score', () => {
    const benign = curve([1, 2, 3].map((score) => ({ score, graph: 0 })));
    const { tau, status } = chooseThreshold(budget(0.1), benign);
    expect(status).toBe('unresolved');
    expect(tau).toBeGreaterThan(3);
    expect(tau).toBeLessThan(3.000001);
    expect(chooseThreshold(fpr(0.01), benign)).toMatchObject({ status: 'unresolved', finest: 1 / 3 });
  });

  it('never alarms at a score of 0', () => {
    const silent = curve(Array.from({ length: 50 }, () => ({ score: 0, graph: 0 })));
    for (const spec of [budget(3), budget(0.1), fpr(0.5)]) {
      expect(chooseThreshold(spec, silent).tau).toBeGreaterThan(0);
    }
    expect(() => chooseThreshold(budget(1), curve([]))).toThrow(
      expect.objectContaining({ code: 'nothing-to-calibrate' }),
    );
  });
});

describe('the range with one graph left out', () => {
  it('shows the influence of a single graph', () => {
    const calm = Array.from({ length: 40 }, (_, i) => ({ score: 1 + i / 100, graph: i % 4 }));
    const wild = Array.from({ length: 4 }, (_, i) => ({ score: 50 + i, graph: 0 }));
    const { tau, range } = chooseThreshold(budget(1), curve([...calm, ...wild], { days: 4 }));
    expect(tau).toBe(50);
    // Without graph 0, three calm scores are allowed in three days: 1.39, 1.38 and 1.37 (1.36 is of graph 0).
    // Without another graph, the three highest wild scores are allowed.
    const lowest = Math.fround(1.36);
    expect(range?.tau).toEqual([lowest, 51]);
    const through = [...calm, ...wild].filter(({ score }) => Math.fround(score) >= lowest).length;
    expect(through).toBe(8);
    expect(range?.rate).toEqual([3 / 4, through / 4]);
  });

  it('exists for rates of instances too, and needs two graphs', () => {
    const { range, tau } = chooseThreshold(fpr(0.05), curve(draw(5, 400)));
    expect(range?.tau[0]).toBeLessThanOrEqual(tau);
    expect(range?.tau[1]).toBeGreaterThanOrEqual(tau);
    expect(chooseThreshold(fpr(0.05), curve(draw(5, 400, 1))).range).toBeUndefined();
  });
});

describe('the empirical p-value', () => {
  it('is (1 + #{B ≥ s}) / (|B| + 1), and times G for a node in G graphs', () => {
    const benign = curve([0, 0, 1, 2, 2].map((score) => ({ score, graph: 0 })));
    expect([0, 0.5, 1, 1.5, 2, 3].map((s) => empiricalP(benign, s) * 6)).toEqual([6, 4, 4, 3, 3, 1]);
    expect(nodeP(0.1, 3)).toBeCloseTo(0.3, 12);
    expect(nodeP(0.1, 30)).toBe(1);
    expect(() => empiricalP(benign, Number.NaN)).toThrow(RangeError);
  });

  it.each([1, 2, 10])('is at most α for a share of α of benign nodes in %i graphs', (graphs) => {
    const alphas = [0.01, 0.05, 0.2];
    const met = alphas.map(() => 0);
    const [seeds, nodes, benignCount] = [500, 20, 199];
    for (let seed = 0; seed < seeds; seed++) {
      const random = new Random(seed).stream(`graphs ${graphs}`);
      // As with a gate, half score 0; and scores tie.
      const score = () => (random.chance(0.5) ? 0 : Math.ceil(random.exponential(30)));
      const benign = curve(Array.from({ length: benignCount }, () => ({ score: score(), graph: 0 })));
      for (let node = 0; node < nodes; node++) {
        let smallest = 1;
        for (let g = 0; g < graphs; g++) smallest = Math.min(smallest, empiricalP(benign, score()));
        const p = nodeP(smallest, graphs);
        alphas.forEach((alpha, a) => {
          if (p <= alpha + 1e-12) met[a]++;
        });
      }
    }
    alphas.forEach((alpha, a) => {
      // Nodes compared with the same benign scores share their error.
      const variance = alpha / (seeds * nodes) + (alpha * graphs) / benignCount / seeds;
      expect(met[a] / (seeds * nodes)).toBeLessThan(alpha + 4 * Math.sqrt(variance));
      expect(met[a]).toBeGreaterThan(graphs / (benignCount + 1) <= alpha ? 0 : -1);
    });
  });
});

describe('τ on new benign data', () => {
  it('keeps the rate on average', () => {
    for (const [spec, perInstance] of [
      [fpr(0.02), 0.02],
      [budget(10), 10 / 500],
    ] as const) {
      let [met, drawn] = [0, 0];
      for (let seed = 0; seed < 300; seed++) {
        const { tau } = chooseThreshold(spec, curve(draw(seed, 500, 1), { days: 1 }));
        for (const { score } of draw(10_000 + seed, 500)) if (score >= tau) met++;
        drawn += 500;
      }
      expect(met / drawn).toBeLessThan(perInstance * 1.08);
      expect(met / drawn).toBeGreaterThan(perInstance * 0.8);
    }
  });
});
