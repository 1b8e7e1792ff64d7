import { PairTable } from '../../evidence/pair-table.js';
import { joinKeys, keyOfText } from './behaviour-key.js';
import { betaBinomialSurprise } from './beta-binomial.js';
import { NOVELTY_KINDS } from './catalogue.js';
import type { Novelty } from './novelty.js';

const KINDS = NOVELTY_KINDS.length;
/** A program's own rate weighs as much as its kind's after this many behaviours. */
const PRIOR = 10;
const HIGHEST_RATE = 0.99;
/** The most that one kind of behaviour adds to a score, in nats. */
const MOST_PER_KIND = 30;
/** The correlation within a process that is assumed before any is measured, and its weight in pairs of behaviours. */
const CORRELATION = { assumed: 0.1, least: 0.001, most: 0.9 };
const KIND_KEYS = NOVELTY_KINDS.map((kind) => keyOfText('kind', kind));

/** Rates as arrays. Row i counts the behaviours of the program and kind with the key (high[i], low[i]). */
export interface RateArrays {
  readonly high: Int32Array;
  readonly low: Int32Array;
  readonly all: Uint32Array;
  readonly fresh: Uint32Array;
  /** By kind. */
  readonly kinds: Float32Array;
  readonly strengths: Float32Array;
  /** The share of processes with a new program, and with a new place. */
  readonly shares: Float32Array;
}

/** What rates are measured from. */
type MeasuredNovelty = Pick<Novelty, 'activity' | 'all' | 'fresh' | 'knows' | 'newPlaces'>;

/** How often benign processes do something new, by program and kind of behaviour. */
export class NoveltyRates {
  readonly #keys = new PairTable();
  readonly #arrays: RateArrays;

  private constructor(arrays: RateArrays) {
    this.#arrays = arrays;
    for (let i = 0; i < arrays.high.length; i++) this.#keys.intern(arrays.high[i], arrays.low[i]);
  }

  /** Counts the novelty of benign actors. `novelty` must not know what they did. */
  static measure(novelty: MeasuredNovelty, isCounted: (process: number) => boolean): NoveltyRates {
    const { actors, catalogue } = novelty.activity;
    const keys = new PairTable();
    const all: number[] = [];
    const fresh: number[] = [];
    const sums = Array.from({ length: KINDS }, () => ({ all: 0, fresh: 0 }));
    const rows: { row: number; kind: number; all: number; fresh: number }[] = [];
    const processes = new Map<number, { program: boolean; place: boolean }>();
    actors.firsts.forEach((process, actor) => {
      if (!isCounted(process)) return;
      const program = actors.secondAt(actor);
      const known = processes.get(process) ?? {
        program: false,
        place: novelty.newPlaces(process).length > 0,
      };
      processes.set(process, { ...known, program: known.program || !novelty.knows(program) });
      for (let kind = 0; kind < KINDS; kind++) {
        const count = { all: novelty.all[actor * KINDS + kind], fresh: novelty.fresh[actor * KINDS + kind] };
        if (count.all === 0) continue;
        const key = joinKeys(catalogue.programKey(program), KIND_KEYS[kind]);
        const row = keys.intern(key.high, key.low);
        all[row] = (all[row] ?? 0) + count.all;
        fresh[row] = (fresh[row] ?? 0) + count.fresh;
        sums[kind].all += count.all;
        sums[kind].fresh += count.fresh;
        rows.push({ row, kind, ...count });
      }
    });
    const kinds = Float32Array.from(sums, (sum) => (sum.all === 0 ? 0.5 : (sum.fresh + 0.5) / (sum.all + 1)));
    const rateOf = (row: number, kind: number) =>
      Math.min(HIGHEST_RATE, (fresh[row] + PRIOR * kinds[kind]) / (all[row] + PRIOR));
    const share = (part: 'program' | 'place') =>
      ([...processes.values()].filter((each) => each[part]).length + 0.5) / (processes.size + 1);
    return new NoveltyRates({
      high: keys.firsts.slice(),
      low: keys.seconds.slice(),
      all: Uint32Array.from(all),
      fresh: Uint32Array.from(fresh),
      kinds,
      strengths: measureStrengths(rows, rateOf),
      shares: Float32Array.of(share('program'), share('place')),
    });
  }

  /** The surprise of `fresh` new behaviours among `all` of one process, in nats. */
  surprise(programKey: { high: number; low: number }, kind: number, all: number, fresh: number): number {
    if (fresh === 0) return 0;
    const { all: alls, fresh: news, kinds, strengths } = this.#arrays;
    const key = joinKeys(programKey, KIND_KEYS[kind]);
    const row = this.#keys.find(key.high, key.low);
    const [seen, before] = row < 0 ? [0, 0] : [alls[row], news[row]];
    const rate = Math.min(HIGHEST_RATE, (before + PRIOR * kinds[kind]) / (seen + PRIOR));
    // The rate of a process differs from that of its program, and the program's rate is itself uncertain.
    const strength = 1 / (1 / strengths[kind] + 1 / (seen + PRIOR));
    return Math.min(MOST_PER_KIND, betaBinomialSurprise(fresh, all, rate * strength, (1 - rate) * strength));
  }

  /** The counts behind the usual share of new behaviours of a program. */
  usual(programKey: { high: number; low: number }, kind: number): { all: number; fresh: number } {
    const key = joinKeys(programKey, KIND_KEYS[kind]);
    const row = this.#keys.find(key.high, key.low);
    return row < 0 ? { all: 0, fresh: 0 } : { all: this.#arrays.all[row], fresh: this.#arrays.fresh[row] };
  }

  /** The surprise that a process runs a program that never ran before. */
  get newProgram(): number {
    return -Math.log(this.#arrays.shares[0]);
  }

  /** The surprise that a process runs a program from a place from which none ran before. */
  get newPlace(): number {
    return -Math.log(this.#arrays.shares[1]);
  }

  toArrays(): RateArrays {
    return this.#arrays;
  }

  /** Throws a RangeError if the arrays are inconsistent. */
  static fromArrays(arrays: RateArrays): NoveltyRates {
    const { high, low, all, fresh, kinds, strengths, shares } = arrays;
    const isShare = (value: number) => value > 0 && value <= 1;
    if (low.length !== high.length || all.length !== high.length || fresh.length !== high.length)
      throw new RangeError('the rates of novelty differ in length');
    if (kinds.length !== KINDS || strengths.length !== KINDS || shares.length !== 2)
      throw new RangeError('the rates of novelty have the wrong number of kinds');
    if (
      !kinds.every(isShare) ||
      !shares.every(isShare) ||
      !strengths.every((value) => value > 0 && value < Infinity)
    )
      throw new RangeError('a rate of novelty is not between 0 and 1');
    if (fresh.some((value, i) => value > all[i]))
      throw new RangeError('there are more new behaviours than behaviours');
    return new NoveltyRates(arrays);
  }
}

/**
 * How alike the behaviours of one process are, by kind: a process that does one new thing often does many. By moments
 * over processes, as the strength of the Beta distribution of their rates.
 */
function measureStrengths(
  rows: readonly { row: number; kind: number; all: number; fresh: number }[],
  rateOf: (row: number, kind: number) => number,
): Float32Array {
  const excess = new Float64Array(KINDS).fill(CORRELATION.assumed);
  const expected = new Float64Array(KINDS).fill(1);
  for (const { row, kind, all, fresh } of rows) {
    if (all < 2) continue;
    const rate = rateOf(row, kind);
    const variance = rate * (1 - rate);
    excess[kind] += (fresh - all * rate) ** 2 - all * variance;
    expected[kind] += all * (all - 1) * variance;
  }
  return Float32Array.from(excess, (sum, kind) => {
    const correlation = Math.min(CORRELATION.most, Math.max(CORRELATION.least, sum / expected[kind]));
    return (1 - correlation) / correlation;
  });
}
