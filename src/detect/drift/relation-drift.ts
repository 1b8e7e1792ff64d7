import { enlarge } from '../../base/enlarge.js';
import {
  type CalibratedValue,
  type CalibrationTables,
  emptyCalibratedValue,
  LEVELS,
} from '../calibration/calibration-tables.js';
import { PairTable } from '../evidence/pair-table.js';
import { discoveryRates, effectiveCount, ksProbability, PlacedSample } from './drift-statistics.js';

const OF_TYPE = LEVELS.indexOf('type');
const OF_SLOT = LEVELS.indexOf('slot');
/** A share above the benign percentile from which on a move is worth an alarm: significance alone is not. */
const MOVED = { p90: 0.2, p99: 0.03 };
/** Values that fall this far are fewer surprises: no alarm, and less room for one. */
const CALMED = 0.2;

/** `stranger` and `calmer` are significant and large; `shifted` is significant and small. */
export type MoveVerdict = 'stranger' | 'calmer' | 'shifted' | 'steady' | 'too-few';

interface ValueCount {
  readonly n: number;
  readonly nodes: number;
  /** What they are worth in independent values (see `effectiveCount`). */
  readonly effective: number;
}

/** How the values of one slot of one kind of evidence compare with those that were calibrated on. */
export interface Move {
  readonly slot: number;
  /** Recent values and those of calibration: how many, of how many distinct nodes. */
  readonly now: ValueCount;
  readonly before: ValueCount;
  /** The larger of the two Kolmogorov–Smirnov distances, and where to. */
  readonly distance: number;
  readonly direction: 'up' | 'down';
  /** Nominal: nodes share load and neighbours. */
  readonly p: number;
  /** Shares above the benign 90th and 99th percentile; they were 10 % and 1 %. */
  readonly above: { readonly p90: number; readonly p99: number };
}

/** Of the nodes of each slot: see `NodeSums`. */
type SlotSums = Record<'nodes' | 'squaredCounts' | 'sum' | 'betweenSquares', Float64Array>;

/** Compares the recent values of one kind with its tables. */
export class MoveCollector {
  readonly #tables: CalibrationTables;
  readonly #minNodes: number;
  /** By (type, slot): distinct nodes of the table that it is compared with; 0 where it has none of its own. */
  readonly #tableNodes: Uint32Array;
  readonly #byType: Uint8Array;
  readonly #samples = new Map<number, PlacedSample>();
  /** By (type, slot): recent values. */
  readonly #counts: Uint32Array;
  readonly #pairs = new PairTable();
  #pairCounts = new Uint32Array(256);
  #pairSums = new Float64Array(256);
  readonly #squares: Float64Array;
  readonly #answer: CalibratedValue = emptyCalibratedValue();
  #withoutTable = 0;

  constructor(tables: CalibrationTables) {
    const { typeCount, slotCount } = tables.space;
    this.#tables = tables;
    this.#minNodes = tables.options.minNodes;
    this.#tableNodes = new Uint32Array(typeCount * slotCount);
    this.#counts = new Uint32Array(typeCount * slotCount);
    this.#byType = new Uint8Array(slotCount);
    this.#squares = new Float64Array(slotCount);
    for (let slot = 0; slot < slotCount; slot++) this.#chooseTables(slot, typeCount);
  }

  /** Values that were not compared: what they would be compared with was made of others. */
  get withoutTable(): number {
    return this.#withoutTable;
  }

  /** `node` is the same number in every graph. */
  add(type: number, slot: number, node: number, value: number): void {
    const { slotCount } = this.#tables.space;
    const place = type * slotCount + slot;
    if (this.#tableNodes[place] === 0) {
      this.#withoutTable++;
      return;
    }
    this.#tables.lookup(type, slot, value, this.#answer);
    const below = this.#answer.quantile;
    this.#tables.lookup(type, slot, nextAbove(value), this.#answer);
    const atMost = this.#answer.quantile;
    const sample = this.#samples.get(slot) ?? new PlacedSample();
    this.#samples.set(slot, sample);
    sample.add(below, atMost);
    this.#counts[place]++;
    const rank = (below + atMost) / 2;
    const pair = this.#pairs.intern(slot, node);
    if (pair >= this.#pairCounts.length) {
      this.#pairCounts = enlarge(this.#pairCounts);
      this.#pairSums = enlarge(this.#pairSums);
    }
    this.#pairCounts[pair]++;
    this.#pairSums[pair] += rank;
    this.#squares[slot] += rank * rank;
  }

  /** By slot; those without a recent value are left out. */
  finish(): Move[] {
    const sums = this.#sumNodes();
    return [...this.#samples.keys()].sort((a, b) => a - b).map((slot) => this.#move(slot, sums));
  }

  #move(slot: number, sums: SlotSums): Move {
    const { slotCount, typeCount } = this.#tables.space;
    const sample = this.#samples.get(slot) as PlacedSample;
    const { n } = sample;
    const nodes = sums.nodes[slot];
    const effective = effectiveCount({
      nodes,
      n,
      squares: this.#squares[slot],
      sum: sums.sum[slot],
      squaredCounts: sums.squaredCounts[slot],
      betweenSquares: sums.betweenSquares[slot],
    });
    const before = { n: 0, nodes: 0 };
    // Values of several types have several tables: the variances of their shares add up.
    let variance = 0;
    for (let type = 0; type < typeCount; type++) {
      const recent = this.#counts[type * slotCount + slot];
      if (recent === 0) continue;
      const table = this.#tables.describe(type, slot);
      const isShared = this.#byType[slot] === 0;
      before.n += table.n;
      before.nodes += table.nodes;
      variance += (isShared ? 1 : recent / n) ** 2 / table.nodes;
      if (isShared) break;
    }
    const { rise, fall } = sample;
    const distance = Math.max(rise, fall);
    // Who made the tables is not kept with them: they are taken to be as uneven as what is compared.
    const worth = effective / nodes / variance;
    return {
      slot,
      distance,
      now: { n, nodes, effective },
      before: { ...before, effective: worth },
      direction: rise >= fall ? 'up' : 'down',
      p: ksProbability(distance, effective, worth),
      above: sample.above,
    };
  }

  /** Whether there is enough of a slot to be compared at all. */
  isEnough({ now, before }: Move): boolean {
    return now.nodes >= this.#minNodes && before.nodes >= this.#minNodes;
  }

  #sumNodes(): SlotSums {
    const { slotCount } = this.#tables.space;
    const column = () => new Float64Array(slotCount);
    const sums = { nodes: column(), squaredCounts: column(), sum: column(), betweenSquares: column() };
    const slots = this.#pairs.firsts;
    for (let pair = 0; pair < slots.length; pair++) {
      const [slot, count, sum] = [slots[pair], this.#pairCounts[pair], this.#pairSums[pair]];
      sums.nodes[slot]++;
      sums.squaredCounts[slot] += count * count;
      sums.sum[slot] += sum;
      sums.betweenSquares[slot] += (sum * sum) / count;
    }
    return sums;
  }

  /** Types with tables of their own, or else all types with the slot's: a table that was backed off to is of others. */
  #chooseTables(slot: number, typeCount: number): void {
    const { slotCount } = this.#tables.space;
    const found = Array.from({ length: typeCount }, (_, type) => this.#tables.describe(type, slot));
    const level = found.some((each) => each.level === OF_TYPE) ? OF_TYPE : OF_SLOT;
    this.#byType[slot] = level === OF_TYPE ? 1 : 0;
    found.forEach((each, type) => {
      if (each.level === level) this.#tableNodes[type * slotCount + slot] = each.nodes;
    });
  }
}

/** The verdict on each move, at a false discovery rate over all that are compared. */
export function judgeMoves<M extends Move>(
  moves: readonly { readonly move: M; readonly enough: boolean }[],
  level: number,
): { readonly move: M; readonly rate: number; readonly verdict: MoveVerdict }[] {
  const rates = discoveryRates(moves.filter(({ enough }) => enough).map(({ move }) => move.p));
  let at = 0;
  return moves.map(({ move, enough }) => {
    if (!enough) return { move, rate: 1, verdict: 'too-few' };
    const rate = rates[at++];
    return { move, rate, verdict: rate > level ? 'steady' : sizeOf(move) };
  });
}

function sizeOf({ direction, distance, above }: Move): MoveVerdict {
  if (direction === 'down') return distance >= CALMED ? 'calmer' : 'shifted';
  return isLarge(above) ? 'stranger' : 'shifted';
}

/** Twice as many above the 90th percentile, or three times as many above the 99th. */
export function isLarge({ p90, p99 }: Move['above']): boolean {
  return p90 >= MOVED.p90 || p99 >= MOVED.p99;
}

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** The next float32: what is below it is no larger than the value, as tables keep them. */
function nextAbove(value: number): number {
  float[0] = value;
  if (!Number.isFinite(float[0])) return float[0];
  if (float[0] === 0) float[0] = 0; // −0 and 0 are one
  bits[0] += float[0] >= 0 ? 1 : -1;
  return float[0];
}
