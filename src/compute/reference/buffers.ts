import type { FeatureBuffers, Floats, Integers } from '../device.js';
import type { WorkList } from '../work-list.js';

/** A buffer of the reference device holds its data itself. */
export interface ReferenceFloats extends Floats {
  readonly data: Float64Array;
}

export interface ReferenceIntegers extends Integers {
  readonly data: Uint32Array;
}

export function floatsOf(buffer: Floats): Float64Array {
  return (buffer as ReferenceFloats).data;
}

export function integersOf(buffer: Integers): Uint32Array {
  return (buffer as ReferenceIntegers).data;
}

export function isMasked(masked: Integers | null, row: number): boolean {
  return masked !== null && integersOf(masked)[row] !== 0;
}

/** Visits each row with all its entries, whether it was split or not. */
export function eachRow(
  work: WorkList<Integers>,
  visit: (row: number, start: number, end: number) => void,
): void {
  const segments = integersOf(work.segments);
  for (let i = 0; i < work.segmentCount; ) {
    const row = segments[4 * i];
    const start = segments[4 * i + 1];
    let end = start;
    for (; i < work.segmentCount && segments[4 * i] === row; i++) end = segments[4 * i + 2];
    visit(row, start, end);
  }
}

/** Visits each stored value of a row. */
export function eachValue(
  x: FeatureBuffers,
  row: number,
  visit: (column: number, value: number) => void,
): void {
  const [dense, columns] = [floatsOf(x.dense), integersOf(x.columns)];
  for (let k = 0; k < x.width; k++) visit(columns[k], dense[row * x.width + k]);
  const [offsets, indices, values] = [integersOf(x.offsets), integersOf(x.indices), floatsOf(x.values)];
  for (let i = offsets[row]; i < offsets[row + 1]; i++) visit(indices[i], values[i]);
}
