type TypedArray =
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | BigInt64Array;

/**
 * A longer typed array that begins as the given one; the rest is zero. Twice as long unless told otherwise: what grows
 * by doubling is copied about once in all.
 */
export function enlarge<T extends TypedArray>(column: T, length = 2 * column.length): T {
  const larger = new (column.constructor as new (length: number) => T)(length);
  larger.set(column as never);
  return larger;
}
