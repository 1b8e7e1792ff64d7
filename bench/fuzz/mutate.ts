/** A stream of random numbers. */
export interface Draws {
  float(): number;
}

/** Values on which parsers fail. */
const ODD = [
  'null',
  'true',
  '0',
  '-1',
  '1e999',
  '9223372036854775808',
  '18446744073709551616',
  '""',
  '[]',
  '{}',
  '[[[[]]]]',
  '"\\ud800"',
  '"\\u0000"',
  '{"__proto__":{"a":1}}',
  '"=1+1"',
  '"../../etc/passwd"',
  `"${'a'.repeat(5000)}"`,
];
const VALUE = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null/g;
const FIELD = /[^\s=]+=(?:"[^"]*"|\S*)/g;

/** Changes a text as its own structure allows: values, fields and lines first, single bytes sometimes. */
export function mutate(bytes: Buffer, others: readonly Buffer[], random: Draws): Buffer {
  let changed = bytes;
  const changes = 1 + Math.floor(random.float() * 3);
  for (let i = 0; i < changes; i++) changed = change(changed, others, random);
  return changed.subarray(0, 1 << 20);
}

function change(bytes: Buffer, others: readonly Buffer[], random: Draws): Buffer {
  const at = (length: number) => Math.floor(random.float() * length);
  const kind = at(8);
  if (kind === 0) return flip(bytes, random);
  if (kind === 1) return bytes.subarray(0, at(bytes.length + 1));
  const text = bytes.toString('latin1');
  if (kind <= 4) {
    const found = [...text.matchAll(random.float() < 0.5 ? VALUE : FIELD)];
    if (found.length === 0) return flip(bytes, random);
    const { index, 0: old } = found[at(found.length)];
    const other = found[at(found.length)][0];
    const next = random.float() < 0.6 ? ODD[at(ODD.length)] : other;
    return Buffer.from(text.slice(0, index) + next + text.slice(index + old.length), 'latin1');
  }
  const lines = text.split('\n');
  const line = at(lines.length);
  if (kind === 5) lines.splice(line, 1);
  else if (kind === 6) lines.splice(line, 0, lines[at(lines.length)]);
  else lines.splice(line, 0, ...others[at(others.length)].toString('latin1').split('\n').slice(0, 3));
  return Buffer.from(lines.join('\n'), 'latin1');
}

function flip(bytes: Buffer, random: Draws): Buffer {
  if (bytes.length === 0) return bytes;
  const changed = Buffer.from(bytes);
  const bit = Math.floor(random.float() * 8 * bytes.length);
  changed[bit >> 3] ^= 1 << (bit & 7);
  return changed;
}
