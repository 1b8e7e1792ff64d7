import { z } from 'zod';
import { RecalError } from '../../base/errors.js';

/** Tables as plain arrays, for a model file. Pooled tables, moments and tails are made anew when they are read. */
export interface CalibrationArrays {
  readonly meta: z.infer<typeof metaSchema>;
  readonly groupOf: Uint8Array;
  /** Three words a finest table, ascending: type, slot, number of values. */
  readonly tables: Uint32Array;
  /** Distinct nodes of the finest tables, of the slots, of the groups, and of all. */
  readonly nodes: Uint32Array;
  /** Of the finest tables one after the other, each ascending. */
  readonly values: Float32Array;
}

const metaSchema = z.strictObject({
  kind: z.enum(['quantile', 'zscore', 'none']),
  tail: z.enum(['floor', 'tail']),
  byType: z.boolean(),
  minNodes: z.int().positive(),
  typeCount: z.int().nonnegative().max(65_535),
  slotCount: z.int().nonnegative().max(65_535),
});

/** Types times slots: far more than any log has. */
const MAX_PLACES = 1 << 22;

export function countGroups(groupOf: Uint8Array): number {
  return groupOf.reduce((most, group) => Math.max(most, group + 1), 0);
}

/** The arrays, if they can be what `CalibrationBuilder` made. */
export function checkArrays(arrays: CalibrationArrays): CalibrationArrays {
  const checked = metaSchema.safeParse(arrays.meta);
  if (!checked.success) throw refused(`their settings are wrong: ${checked.error.issues[0].message}`);
  const meta = checked.data;
  const { groupOf, tables, nodes, values } = arrays;
  const { typeCount, slotCount } = meta;
  if ((typeCount + 1) * slotCount > MAX_PLACES)
    throw refused(`they are for ${typeCount} types of ${slotCount} slots`);
  if (groupOf.length !== slotCount)
    throw refused(`${groupOf.length} groups are given for ${slotCount} slots`);
  const finest = tables.length / 3;
  const groupCount = countGroups(groupOf);
  if (!Number.isInteger(finest) || nodes.length !== finest + slotCount + groupCount + 1) {
    throw refused('their numbers of tables and of node counts do not match');
  }
  // Pools hold at least the nodes of their largest part and at most those of all arrays.
  const pools = slotCount + groupCount + 1;
  const least = new Float64Array(pools);
  const most = new Float64Array(pools);
  let [total, before] = [0, -1];
  for (let i = 0; i < finest; i++) {
    const [type, slot, n] = tables.subarray(3 * i, 3 * i + 3);
    const key = type * slotCount + slot;
    if (type >= typeCount || slot >= slotCount || key <= before) throw refused(`table ${i} is out of order`);
    before = key;
    if (n === 0 || nodes[i] === 0 || nodes[i] > n)
      throw refused(`table ${i} has ${n} values of ${nodes[i]} nodes`);
    if (total + n > values.length) throw refused(`table ${i} reaches beyond the values`);
    for (let v = total; v < total + n; v++) {
      if (!Number.isFinite(values[v])) throw refused(`a value of table ${i} is no number`);
      if (v > total && values[v] < values[v - 1]) throw refused(`table ${i} is not sorted`);
    }
    total += n;
    for (const pool of [slot, slotCount + groupOf[slot], pools - 1]) {
      least[pool] = Math.max(least[pool], nodes[i]);
      most[pool] += nodes[i];
    }
  }
  if (total !== values.length) throw refused(`they have ${values.length} values for ${total} places`);
  for (let pool = 0; pool < pools; pool++) {
    const held = nodes[finest + pool];
    if (held < least[pool] || held > most[pool]) throw refused(`a pool cannot have ${held} distinct nodes`);
  }
  return { meta, groupOf, tables, nodes, values };
}

function refused(why: string): RecalError {
  return new RecalError('model-damaged', `the calibration tables cannot be used: ${why}`, {
    hint: 'the model file is damaged or was changed: calibrate again',
  });
}
