/** Edit distance that counts two swapped letters as one edit: `stroe` is one edit from `store`. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, before[j - 2] + 1);
      row.push(best);
    }
    before = last;
    last = row;
  }
  return last[b.length];
}

// `time-unit`, `time_unit` and `TimeUnit` all count as `timeUnit`.
const plain = (name: string): string => name.replace(/[-_]/g, '').toLowerCase();

/** Returns the known name closest to `name`, or undefined if none is close enough to be a typing error. */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = plain(name.slice(0, 64));
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  let best: string | undefined;
  let least = limit + 1;
  for (const candidate of known) {
    const steps = distance(wanted, plain(candidate));
    if (steps < least && steps < Math.max(wanted.length, 2)) {
      best = candidate;
      least = steps;
    }
  }
  return best;
}
