import { UNSAFE } from './printable.js';

// Escapes the same characters as printable(), but as JSON escapes: the output is safe on a terminal and keeps the exact
// names.
function escapeChar(char: string): string {
  let escaped = '';
  for (let unit = 0; unit < char.length; unit++) {
    escaped += `\\u${char.charCodeAt(unit).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (ArrayBuffer.isView(value) && !(value instanceof DataView))
    return [...(value as unknown as Iterable<unknown>)];
  return value;
}

/**
 * Writes JSON on one line, for programs. A bigint becomes a string of digits, because most JSON readers would round a
 * number beyond 2^53.
 */
export function safeJson(value: unknown): string {
  return JSON.stringify(value, plain).replace(UNSAFE, escapeChar);
}
