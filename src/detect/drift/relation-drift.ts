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
/** Shares above the benign percentiles that make a significant move large. */
const MOVED = { p90: 0.2, p99: 0.03 };
/** The distance from which on values have become much smaller. */
const CALMED = 0.2;

/** `more-unusual` and `less-unusual` are significant and large changes; `shifted` is significant but small. */
export type MoveVerdict = 'more-unusual' | 'less-unusual' | 'shifted' | 'steady' | 'too-few';

export interface ValueCount {
  readonly n: number;
  readonly nodes: number;
  /** The effective number of independent values (`effectiveCount`). */
  readonly effective: number;
}

/** How the values of one slot differ from those of calibration. */
export interface Move {
  readonly slot: number;
  /** Recent values, and those of calibration. */
  readonly now: ValueCount;
  readonly before: ValueCount;
  /** The larger of the two one-sided Kolmogorov–Smirnov distances, and its direction. */
  readonly distance: number;
  readonly direction: 'up' | 'down';
  /** Nominal, because nodes share load and neighbours. */
  readonly p: number;
  /** The shares above the benign 90th and 99th percentile: 10 % and 1 % without change. */
  readonly above: { readonly p90: number; readonly p99: number };
}

/** The sums of `NodeSums` by slot. */
type SlotSums = Record<'nodes' | 'squaredCounts' | 'sum' | 'betweenSquares', Float64Array>;

/** Compares the recent values of one kind with its tables. */
export class MoveCollector {
  readonly #tables: CalibrationTables;
  readonly #minNodes: number;
  /** By (type, slot): distinct nodes of the table to compare with; 0 if there is none. */
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

  /** Values that were not compared, because their slot has too few benign nodes. */
  get withoutTable(): number {
    return this.#withoutTable;
  }

  /** `node` is the same number for the same node in every graph. */
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

  /** The moves of all slots with recent values, by slot. */
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
    // Values of several types have several tables, and the variances of their shares add up.
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
    // Tables do not store nodes, so their values are assumed to be spread over nodes like the recent ones.
    const effectiveBefore = effective / nodes / variance;
    return {
      slot,
      distance,
      now: { n, nodes, effective },
      before: { ...before, effective: effectiveBefore },
      direction: rise >= fall ? 'up' : 'down',
      p: ksProbability(distance, effective, effectiveBefore),
      above: sample.above,
    };
  }

  /** Whether a slot has enough nodes to be compared. */
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

  /** Chooses the tables per type if there are any, or else the slot's. A small or coarser table is not compared. */
  #chooseTables(slot: number, typeCount: number): void {
    const { slotCount } = this.#tables.space;
    const found = Array.from({ length: typeCount }, (_, type) => this.#tables.describe(type, slot));
    const level = found.some((each) => each.level === OF_TYPE) ? OF_TYPE : OF_SLOT;
    this.#byType[slot] = level === OF_TYPE ? 1 : 0;
    found.forEach((each, type) => {
      const isUsed = each.level === level && each.nodes >= this.#minNodes;
      if (isUsed) this.#tableNodes[type * slotCount + slot] = each.nodes;
    });
  }
}

/** Judges each move at a false discovery rate over all compared moves. */
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
  if (direction === 'down') return distance >= CALMED ? 'less-unusual' : 'shifted';
  return isLarge(above) ? 'more-unusual' : 'shifted';
}

/** True for twice as many values above the 90th percentile, or three times as many above the 99th. */
export function isLarge({ p90, p99 }: Move['above']): boolean {
  return p90 >= MOVED.p90 || p99 >= MOVED.p99;
}

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** The next larger float32: tables store float32, so a value below it is at most `value`. */
function nextAbove(value: number): number {
  float[0] = value;
  if (!Number.isFinite(float[0])) return float[0];
  if (float[0] === 0) float[0] = 0; // −0 becomes 0
  bits[0] += float[0] >= 0 ? 1 : -1;
  return float[0];
}
