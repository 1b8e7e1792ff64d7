/** Groups the digits of a number by three: 1234567.25 → 1,234,567.25. */
export function groupThousands(digits: string): string {
  const [whole, fraction] = digits.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** 1 → 1 graph, 1234 → 1,234 graphs. */
export function countOf(count: number | bigint, noun: string, plural = `${noun}s`): string {
  return `${groupThousands(String(count))} ${Number(count) === 1 ? noun : plural}`;
}
