/** Groups the digits of a number by three: 1234567.25 → 1,234,567.25. */
export function groupThousands(digits: string): string {
  const [whole, fraction] = digits.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
