import { basename, dirname, sep } from 'node:path';

/** The suffixes that may follow the part number. */
const PACKED_SUFFIXES = ['.tar.gz', '.tar.zst', '.tgz', '.tzst', '.tar', '.gz', '.zst'];

/** The base of rotated logs such as `audit.log.1` and `syslog.2.gz`. Dates as suffixes have more digits. */
const ROTATED = /log$/;
const ROTATION = /^[1-9]\d{0,2}$/;

/**
 * DARPA E3 splits a topic into `X.json`, `X.json.1`, `X.json.2`, …; some lists call the first part `X.json.0`. In rotated
 * logs such as `audit.log.1`, higher numbers are older, so their parts are negative. Any other name is a topic with one
 * part.
 */
export function partOf(name: string): { topic: string; part: number } {
  const packed = PACKED_SUFFIXES.find((suffix) => name.endsWith(suffix)) ?? '';
  const bare = name.slice(0, name.length - packed.length);
  if (bare.endsWith('.json')) return { topic: bare, part: 0 };
  const dot = bare.lastIndexOf('.');
  const topic = bare.slice(0, Math.max(dot, 0));
  const digits = bare.slice(dot + 1);
  if (topic.endsWith('.json') && /^\d{1,15}$/.test(digits)) return { topic, part: Number(digits) };
  if (ROTATED.test(topic) && ROTATION.test(digits)) return { topic, part: -Number(digits) };
  return { topic: ROTATED.test(bare) ? bare : name, part: 0 };
}

/** Compares paths by folder, topic in natural order (`official` < `official-2` < `official-10`) and part number. */
export function comparePartNames(a: string, b: string): number {
  const [one, two] = [partOf(a), partOf(b)];
  return (
    compareFolders(dirname(one.topic), dirname(two.topic)) ||
    compareNatural(stem(one.topic), stem(two.topic)) ||
    compareNatural(basename(one.topic), basename(two.topic)) ||
    one.part - two.part ||
    compareNatural(a, b)
  );
}

/** Returns the name up to the first dot: '-' sorts before '.', but `official-1.json` must follow `official.json`. */
function stem(topic: string): string {
  const name = basename(topic);
  const dot = name.indexOf('.', 1);
  return dot < 0 ? name : name.slice(0, dot);
}

function compareFolders(a: string, b: string): number {
  const [as, bs] = [a.split(sep), b.split(sep)];
  for (let i = 0; i < Math.min(as.length, bs.length); i++) {
    const order = compareNatural(as[i], bs[i]);
    if (order !== 0) return order;
  }
  return as.length - bs.length;
}

const isDigit = (text: string, at: number) => text[at] >= '0' && text[at] <= '9';

/** Compares runs of digits by value and the rest by code unit. Unlike a locale's order, it is the same everywhere. */
function compareNatural(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (isDigit(a, i) && isDigit(b, j)) {
      const [x, y] = [digitsAt(a, i), digitsAt(b, j)];
      const order = x.value.length - y.value.length || compareText(x.value, y.value);
      if (order !== 0) return order;
      i = x.end;
      j = y.end;
    } else {
      if (a[i] !== b[j]) return compareText(a[i], b[j]);
      i++;
      j++;
    }
  }
  return a.length - i - (b.length - j) || compareText(a, b); // orders `01` and `1`
}

function digitsAt(text: string, from: number): { value: string; end: number } {
  let end = from;
  while (isDigit(text, end)) end++;
  let start = from;
  while (start < end - 1 && text[start] === '0') start++;
  return { value: text.slice(start, end), end };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
