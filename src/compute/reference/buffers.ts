import type { FeatureBuffers, Floats, Words } from '../device.js';
import type { WorkList } from '../work-list.js';

/** The reference device's buffers hold their numbers. */
export interface ReferenceFloats extends Floats {
  readonly data: Float64Array;
}

export interface ReferenceWords extends Words {
  readonly data: Uint32Array;
}

export function numbers(buffer: Floats): Float64Array {
  return (buffer as ReferenceFloats).data;
}

export function integers(buffer: Words): Uint32Array {
  return (buffer as ReferenceWords).data;
}

export function isMasked(masked: Words | null, row: number): boolean {
  return masked !== null && integers(masked)[row] !== 0;
}

/** Calls for each row with all its entries, whatever way it was cut. */
export function eachRow(
  work: WorkList<Words>,
  visit: (row: number, start: number, end: number) => void,
): void {
  const segments = integers(work.segments);
  for (let i = 0; i < work.segmentCount; ) {
    const row = segments[4 * i];
    const start = segments[4 * i + 1];
    let end = start;
    for (; i < work.segmentCount && segments[4 * i] === row; i++) end = segments[4 * i + 2];
    visit(row, start, end);
  }
}

/** Calls for each value of a row that may not be zero. */
export function eachValue(
  x: FeatureBuffers,
  row: number,
  visit: (column: number, value: number) => void,
): void {
  const [dense, columns] = [numbers(x.dense), integers(x.columns)];
  for (let k = 0; k < x.width; k++) visit(columns[k], dense[row * x.width + k]);
  const [offsets, indices, values] = [integers(x.offsets), integers(x.indices), numbers(x.values)];
  for (let i = offsets[row]; i < offsets[row + 1]; i++) visit(indices[i], values[i]);
}
