/**
 * The indices at which each number from 0 on occurs, ascending. Two arrays hold them all, because millions of small arrays
 * would take many times the memory. `isTaken`: the indices that count; default: all.
 */
export function groupIndices(numbers: Int32Array, isTaken?: Uint8Array): (number: number) => Int32Array {
  const last = numbers.reduce((most, number) => Math.max(most, number), -1);
  const from = new Int32Array(last + 2);
  const counts = (index: number) => isTaken === undefined || isTaken[index] === 1;
  for (let i = 0; i < numbers.length; i++) if (counts(i)) from[numbers[i] + 1]++;
  for (let i = 0; i <= last; i++) from[i + 1] += from[i];
  const next = from.slice();
  const sorted = new Int32Array(from[last + 1] ?? 0);
  for (let i = 0; i < numbers.length; i++) if (counts(i)) sorted[next[numbers[i]]++] = i;
  return (number) =>
    number < 0 || number > last ? sorted.subarray(0, 0) : sorted.subarray(from[number], from[number + 1]);
}
