/** Adds all values to an array. `to.push(...values)` fails with more values than the stack can take. */
export function append<T>(to: T[], values: Iterable<T>): void {
  for (const value of values) to.push(value);
}
