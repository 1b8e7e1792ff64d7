type TypedArray =
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | BigInt64Array;

/**
 * Returns a longer copy of a typed array, filled up with zeros. The default is twice the length, so that an array that
 * grows step by step is copied about once in total.
 */
export function enlarge<T extends TypedArray>(column: T, length = 2 * column.length): T {
  const larger = new (column.constructor as new (length: number) => T)(length);
  larger.set(column as never);
  return larger;
}
