import { enlarge } from '../../base/enlarge.js';
import { type CalibrationArrays, checkArrays, countGroups } from './calibration-arrays.js';
import { logNormalTail } from './log-survival.js';
import { fitTail, type TailModel, tailLogP } from './tail-model.js';

/** The levels of tables, from the finest. A table with few nodes backs off to a coarser one (method §6, §11). */
export const LEVELS = ['type', 'slot', 'group', 'all'] as const;
const TYPE = 0;
const SLOT = 1;
const GROUP = 2;
const ALL = 3;

export interface CalibrationOptions {
  /** `quantile` is the method; `zscore` and `none` are ablations. */
  readonly kind: 'quantile' | 'zscore' | 'none';
  /** p beyond the benign values: the floor 1/(n+1), or a tail model if there are enough values. */
  readonly tail: 'floor' | 'tail';
  /** Prefer tables per (entity type, slot) to tables per slot. */
  readonly byType: boolean;
  /** Distinct nodes that a table needs to be used as it is. */
  readonly minNodes: number;
  /**
   * True if values of different slots mean the same, so that a slot with few nodes may use the values of others. Otherwise
   * it has only its own, and each node counts once.
   */
  readonly comparable: boolean;
}

/** The numbers of entity types and slots, and the group (the role) of each slot. */
export interface CalibrationSpace {
  readonly typeCount: number;
  readonly slotCount: number;
  readonly groupOf: Uint8Array;
}

/** The result of a lookup. Reuse it, because every row of evidence is looked up. */
export interface CalibratedValue {
  logP: number;
  /** The number of benign values that p counts: those of the table, or one per node. */
  n: number;
  /** Index into LEVELS. */
  level: number;
  /** True above every benign value, where p is 1/(n+1) or the tail model's. */
  floor: boolean;
  /** The share of benign values below the value. */
  quantile: number;
  /** True if p comes from the tail model. */
  modelled: boolean;
}

export const emptyCalibratedValue = (): CalibratedValue => ({
  logP: 0,
  n: 0,
  level: ALL,
  floor: false,
  quantile: 0,
  modelled: false,
});

interface Table {
  /** Ascending. A looked-up value is rounded to float32 too. */
  readonly values: Float32Array;
  readonly nodes: number;
  /** The number of values that p counts. */
  readonly size: number;
  readonly mean: number;
  readonly deviation: number;
  readonly tail: TailModel | undefined;
}

const LARGEST_FLOAT32 = 3.4028234663852886e38;
/** σ is at least this share of the deviation of all values, so that a constant relation cannot give an infinite z. */
const DEVIATION_FLOOR = 1e-3;

/** Benign values, and the probability that a benign value is at least as large as a given one (method §6). */
export class CalibrationTables {
  readonly options: CalibrationOptions;
  readonly space: CalibrationSpace;
  readonly #arrays: CalibrationArrays;
  /** By (type, slot), with a last row for unknown types: the table to use, and its level. */
  readonly #answering: readonly Table[];
  readonly #levels: Uint8Array;

  private constructor(arrays: CalibrationArrays) {
    const { kind, tail, byType, minNodes, comparable, typeCount, slotCount } = arrays.meta;
    this.#arrays = arrays;
    this.options = { kind, tail, byType, minNodes, comparable };
    this.space = { typeCount, slotCount, groupOf: arrays.groupOf };
    ({ answering: this.#answering, levels: this.#levels } = resolveTables(arrays));
  }

  /** Writes ln p of a value into `result`. Unknown types and slots use the coarser tables. */
  lookup(type: number, slot: number, value: number, result: CalibratedValue): void {
    if (Number.isNaN(value)) throw new RangeError(`slot ${slot}: NaN has no tail probability`);
    const at = this.#place(type, slot);
    const table = this.#answering[at];
    const { values } = table;
    const n = values.length;
    const e = roundAsStored(value);
    let low = 0;
    let high = n;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (values[middle] < e) low = middle + 1;
      else high = middle;
    }
    result.n = table.size;
    result.level = this.#levels[at];
    result.floor = low === n && n > 0;
    result.quantile = n === 0 ? 0 : low / n;
    result.modelled =
      this.options.kind === 'quantile' && table.tail !== undefined && e > table.tail.threshold;
    result.logP = this.#logP(table, e, n - low);
  }

  /** The table that a type and slot use: its level, and the numbers of its values and distinct nodes. */
  describe(type: number, slot: number): { level: number; n: number; nodes: number } {
    const at = this.#place(type, slot);
    const { values, nodes } = this.#answering[at];
    return { level: this.#levels[at], n: values.length, nodes };
  }

  toArrays(): CalibrationArrays {
    return this.#arrays;
  }

  /** Throws if the arrays are damaged, because they may come from any file. */
  static fromArrays(arrays: CalibrationArrays): CalibrationTables {
    return new CalibrationTables(checkArrays(arrays));
  }

  #logP({ values: { length: n }, size, mean, deviation, tail }: Table, e: number, atLeast: number): number {
    switch (this.options.kind) {
      case 'none':
        return -Math.max(0, e);
      case 'zscore':
        return n === 0 ? 0 : logNormalTail((e - mean) / deviation);
      default:
        if (tail !== undefined && e > tail.threshold) return tailLogP(tail, e);
        return n === 0 ? 0 : Math.log((1 + (size * atLeast) / n) / (size + 1));
    }
  }

  #place(type: number, slot: number): number {
    const { typeCount, slotCount } = this.space;
    if (!(slot >= 0 && slot < slotCount)) throw new RangeError(`slot ${slot} is not below ${slotCount}`);
    return (type >= 0 && type < typeCount ? type : typeCount) * slotCount + slot;
  }
}

function roundAsStored(value: number): number {
  return Math.max(-LARGEST_FLOAT32, Math.min(LARGEST_FLOAT32, Math.fround(value)));
}

/** Some of the (type, slot) tables: one, those of a slot, those of a group, or all. */
interface Pool {
  readonly nodes: number;
  readonly has: (type: number, slot: number) => boolean;
}

function resolveTables(arrays: CalibrationArrays): { answering: Table[]; levels: Uint8Array } {
  const { meta, groupOf, tables, nodes } = arrays;
  const { typeCount, slotCount, byType, minNodes } = meta;
  const finest = tables.length / 3;
  const groupCount = countGroups(groupOf);
  const finestNodes = new Uint32Array((typeCount + 1) * slotCount);
  for (let i = 0; i < finest; i++) finestNodes[tables[3 * i] * slotCount + tables[3 * i + 1]] = nodes[i];
  const deviationFloor =
    meta.kind === 'zscore' ? DEVIATION_FLOOR * moments(poolValues(arrays, () => true)).deviation : 0;
  // Only tables that are used are built, each once.
  const made = new Map<string, Table>();
  const countsNodes = meta.kind === 'quantile' && !meta.comparable;
  const make = (name: string, { nodes, has }: Pool): Table => {
    let table = made.get(name);
    if (table === undefined) {
      const values = poolValues(arrays, has);
      const { mean, deviation } = moments(values);
      // Values of one node are much alike, so that many values of few nodes say no more than the nodes.
      const isSmall = countsNodes && nodes < minNodes;
      const hasTail = meta.kind === 'quantile' && meta.tail === 'tail' && !isSmall;
      table = {
        values,
        nodes,
        size: isSmall ? nodes : values.length,
        mean,
        deviation: Math.max(deviation, deviationFloor, 1e-9),
        tail: hasTail ? fitTail(values) : undefined,
      };
      made.set(name, table);
    }
    return table;
  };
  const answering: Table[] = [];
  const levels = new Uint8Array((typeCount + 1) * slotCount);
  for (let type = 0; type <= typeCount; type++) {
    for (let slot = 0; slot < slotCount; slot++) {
      const group = groupOf[slot];
      const ofType = finestNodes[type * slotCount + slot];
      const ofSlot = nodes[finest + slot];
      const ofGroup = nodes[finest + slotCount + group];
      const at = answering.length;
      if (byType && ofType >= minNodes) {
        levels[at] = TYPE;
        answering.push(make(`${type}/${slot}`, { nodes: ofType, has: (t, s) => t === type && s === slot }));
      } else if (ofSlot >= minNodes || countsNodes) {
        levels[at] = SLOT;
        answering.push(make(`slot ${slot}`, { nodes: ofSlot, has: (_, s) => s === slot }));
      } else if (groupCount > 1 && ofGroup >= minNodes) {
        levels[at] = GROUP;
        answering.push(make(`group ${group}`, { nodes: ofGroup, has: (_, s) => groupOf[s] === group }));
      } else {
        levels[at] = ALL;
        answering.push(make('all', { nodes: nodes[nodes.length - 1], has: () => true }));
      }
    }
  }
  return { answering, levels };
}

/** The values of some (type, slot) tables, ascending. */
function poolValues({ tables, values }: CalibrationArrays, has: Pool['has']): Float32Array {
  const chosen: Float32Array[] = [];
  let [from, total] = [0, 0];
  for (let i = 0; i < tables.length; i += 3) {
    const n = tables[i + 2];
    if (has(tables[i], tables[i + 1])) {
      chosen.push(values.subarray(from, from + n));
      total += n;
    }
    from += n;
  }
  if (chosen.length === 1) return chosen[0];
  const pool = new Float32Array(total);
  let at = 0;
  for (const table of chosen) {
    pool.set(table, at);
    at += table.length;
  }
  return pool.sort();
}

function moments(values: Float32Array): { mean: number; deviation: number } {
  let mean = 0;
  for (const value of values) mean += value / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return { mean, deviation: values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1)) };
}

/** Collects benign values and builds tables, which do not depend on the order of the values. */
export class CalibrationBuilder {
  readonly space: CalibrationSpace;
  #length = 0;
  #types = new Uint16Array(1024);
  #slots = new Uint16Array(1024);
  #values = new Float32Array(1024);
  #nodes = new Float64Array(1024);

  constructor(space: CalibrationSpace) {
    if (space.groupOf.length !== space.slotCount) {
      throw new RangeError(`${space.groupOf.length} groups given for ${space.slotCount} slots`);
    }
    this.space = space;
  }

  /** `node` is the same number for the same node in every graph. */
  add(type: number, slot: number, value: number, node: number): void {
    const { typeCount, slotCount } = this.space;
    if (!(type >= 0 && type < typeCount)) throw new RangeError(`type ${type} is not below ${typeCount}`);
    if (!(slot >= 0 && slot < slotCount)) throw new RangeError(`slot ${slot} is not below ${slotCount}`);
    if (!Number.isFinite(value) || !Number.isFinite(node)) {
      throw new RangeError(`slot ${slot}: the value ${value} of node ${node} is not finite`);
    }
    const at = this.#length++;
    if (at === this.#types.length) this.#grow(2 * at);
    this.#types[at] = type;
    this.#slots[at] = slot;
    this.#values[at] = roundAsStored(value);
    this.#nodes[at] = node;
  }

  build(options: CalibrationOptions): CalibrationTables {
    const { typeCount, slotCount, groupOf } = this.space;
    const members = new Map<number, number>();
    for (let i = 0; i < this.#length; i++) {
      const key = this.#types[i] * slotCount + this.#slots[i];
      members.set(key, (members.get(key) ?? 0) + 1);
    }
    const keys = [...members.keys()].sort((a, b) => a - b);
    const tables = new Uint32Array(keys.length * 3);
    const starts = new Uint32Array(keys.length + 1);
    keys.forEach((key, i) => {
      const n = members.get(key) as number;
      tables.set([Math.floor(key / slotCount), key % slotCount, n], 3 * i);
      starts[i + 1] = starts[i] + n;
      members.set(key, starts[i]);
    });
    const values = new Float32Array(this.#length);
    const nodes = new Float64Array(this.#length);
    for (let i = 0; i < this.#length; i++) {
      const key = this.#types[i] * slotCount + this.#slots[i];
      const at = members.get(key) as number;
      members.set(key, at + 1);
      values[at] = this.#values[i];
      nodes[at] = this.#nodes[i];
    }
    for (let i = 0; i < keys.length; i++) values.subarray(starts[i], starts[i + 1]).sort();
    const distinct = (has: Pool['has']): number => {
      const chosen = keys.flatMap((_, i) =>
        has(tables[3 * i], tables[3 * i + 1]) ? [nodes.subarray(starts[i], starts[i + 1])] : [],
      );
      return countDistinct(chosen);
    };
    const groups = Array.from({ length: countGroups(groupOf) }, (_, group) => group);
    return CalibrationTables.fromArrays({
      meta: { ...options, typeCount, slotCount },
      groupOf,
      tables,
      values,
      nodes: Uint32Array.from([
        ...keys.map((_, i) => countDistinct([nodes.subarray(starts[i], starts[i + 1])])),
        ...Array.from({ length: slotCount }, (_, slot) => distinct((_, s) => s === slot)),
        ...groups.map((group) => distinct((_, s) => groupOf[s] === group)),
        distinct(() => true),
      ]),
    });
  }

  #grow(capacity: number): void {
    this.#types = enlarge(this.#types, capacity);
    this.#slots = enlarge(this.#slots, capacity);
    this.#values = enlarge(this.#values, capacity);
    this.#nodes = enlarge(this.#nodes, capacity);
  }
}

function countDistinct(lists: readonly Float64Array[]): number {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  all.sort();
  let distinct = 0;
  for (let i = 0; i < all.length; i++) if (i === 0 || all[i] !== all[i - 1]) distinct++;
  return distinct;
}
