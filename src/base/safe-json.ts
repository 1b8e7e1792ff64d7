import { UNSAFE } from './printable.js';

// In JSON the characters that printable() escapes have an escape that means the same to every reader, so the output can
// be shown on a terminal and still holds the exact names.
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
 * JSON on one line, for programs. Integers beyond 2^53 and nanoseconds arrive as bigint and become strings of digits,
 * because most JSON readers would round them.
 */
export function safeJson(value: unknown): string {
  return JSON.stringify(value, plain).replace(UNSAFE, escapeChar);
}
