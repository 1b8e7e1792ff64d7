import { z } from 'zod';
import { RecalError } from '../../base/errors.js';

/** Calibration tables as plain arrays, for a model file. Pooled tables, moments and tails are computed when it is read. */
export interface CalibrationArrays {
  readonly meta: z.infer<typeof metaSchema>;
  readonly groupOf: Uint8Array;
  /** Three words per (type, slot) table, ascending: type, slot, number of values. */
  readonly tables: Uint32Array;
  /** Distinct nodes of each (type, slot) table, of each slot, of each group, and of all tables. */
  readonly nodes: Uint32Array;
  /** The values of one (type, slot) table after another, each ascending. */
  readonly values: Float32Array;
}

const metaSchema = z.strictObject({
  kind: z.enum(['quantile', 'zscore', 'none']),
  tail: z.enum(['floor', 'tail']),
  byType: z.boolean(),
  minNodes: z.int().positive(),
  /** Tables of earlier models are all used as comparable. */
  comparable: z.boolean().default(true),
  typeCount: z.int().nonnegative().max(65_535),
  slotCount: z.int().nonnegative().max(65_535),
});

/** The most (type, slot) pairs: far more than any log has. */
const MAX_PAIRS = 1 << 22;

export function countGroups(groupOf: Uint8Array): number {
  return groupOf.reduce((most, group) => Math.max(most, group + 1), 0);
}

/** Throws unless `CalibrationBuilder` could have built these arrays. */
export function checkArrays(arrays: CalibrationArrays): CalibrationArrays {
  const checked = metaSchema.safeParse(arrays.meta);
  if (!checked.success) throw damaged(`a wrong setting: ${checked.error.issues[0].message}`);
  const meta = checked.data;
  const { groupOf, tables, nodes, values } = arrays;
  const { typeCount, slotCount } = meta;
  if ((typeCount + 1) * slotCount > MAX_PAIRS)
    throw damaged(`${typeCount} types with ${slotCount} slots are too many`);
  if (groupOf.length !== slotCount) throw damaged(`${groupOf.length} groups for ${slotCount} slots`);
  const finest = tables.length / 3;
  const groupCount = countGroups(groupOf);
  if (!Number.isInteger(finest) || nodes.length !== finest + slotCount + groupCount + 1) {
    throw damaged('the numbers of tables and of node counts differ');
  }
  // A pool has at least the nodes of its largest table and at most the sum over its tables.
  const pools = slotCount + groupCount + 1;
  const least = new Float64Array(pools);
  const most = new Float64Array(pools);
  let [total, before] = [0, -1];
  for (let i = 0; i < finest; i++) {
    const [type, slot, n] = tables.subarray(3 * i, 3 * i + 3);
    const key = type * slotCount + slot;
    if (type >= typeCount || slot >= slotCount || key <= before) throw damaged(`table ${i} is out of order`);
    before = key;
    if (n === 0 || nodes[i] === 0 || nodes[i] > n)
      throw damaged(`table ${i} has ${n} values of ${nodes[i]} nodes`);
    if (total + n > values.length) throw damaged(`table ${i} has more values than are stored`);
    for (let v = total; v < total + n; v++) {
      if (!Number.isFinite(values[v])) throw damaged(`a value of table ${i} is not a number`);
      if (v > total && values[v] < values[v - 1]) throw damaged(`table ${i} is not sorted`);
    }
    total += n;
    for (const pool of [slot, slotCount + groupOf[slot], pools - 1]) {
      least[pool] = Math.max(least[pool], nodes[i]);
      most[pool] += nodes[i];
    }
  }
  if (total !== values.length) throw damaged(`${values.length} values are stored for ${total} places`);
  for (let pool = 0; pool < pools; pool++) {
    const held = nodes[finest + pool];
    if (held < least[pool] || held > most[pool]) throw damaged(`a pool cannot have ${held} distinct nodes`);
  }
  return { meta, groupOf, tables, nodes, values };
}

function damaged(why: string): RecalError {
  return new RecalError('model-damaged', `the calibration tables of the model are damaged: ${why}`, {
    hint: 'run recal calibrate again, or restore the model file from a backup',
  });
}
