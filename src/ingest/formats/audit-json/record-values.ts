import { NONE } from '../../kernel/act.js';

/** The same as `wordOf` for ASCII bytes. */
export function wordIn(bytes: Uint8Array, start: number, stop: number): number {
  const negative = bytes[start] === 0x2d;
  const first = negative ? start + 1 : start;
  if (first === stop || stop > first + 10) return NONE;
  let value = 0;
  for (let i = first; i < stop; i++) {
    const digit = bytes[i] - 0x30;
    if (digit < 0 || digit > 9) return NONE;
    value = value * 10 + digit;
  }
  return wordOfValue(negative ? -value : value);
}

/** The same as `lowWord` for ASCII bytes. */
export function lowWordIn(bytes: Uint8Array, start: number, stop: number): number {
  const first = bytes[start] === 0x30 && (bytes[start + 1] | 0x20) === 0x78 ? start + 2 : start;
  if (first >= stop || stop > first + 16) return NONE;
  let value = 0;
  for (let i = first; i < stop; i++) {
    const digit = hexDigit(bytes[i]);
    if (digit < 0) return NONE;
    value = (value << 4) | digit;
  }
  return value;
}

function wordOfValue(value: number): number {
  const word = value | 0;
  return value >= -0x7fffffff && value <= 0xffffffff && word !== -1 ? word : NONE;
}

/** Returns an integer of 32 bits, or NONE: for no integer, and for -1, which is 4294967295 unsigned. */
export function wordOf(text: string | undefined): number {
  if (text === undefined) return NONE;
  const first = text.charCodeAt(0) === 0x2d ? 1 : 0;
  if (text.length === first || text.length > first + 10) return NONE;
  let value = 0;
  for (let i = first; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return NONE;
    value = value * 10 + digit;
  }
  return wordOfValue(first === 1 ? -value : value);
}

/** The low 32 bits of a number such as `0x7ffd`. */
export function lowWord(text: string): number {
  const first = text.charCodeAt(0) === 0x30 && (text.charCodeAt(1) | 0x20) === 0x78 ? 2 : 0;
  if (text.length === first || text.length > first + 16) return NONE;
  let value = 0;
  for (let i = first; i < text.length; i++) {
    const digit = hexDigit(text.charCodeAt(i));
    if (digit < 0) return NONE;
    value = (value << 4) | digit;
  }
  return value;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = (code | 0x20) - 0x61;
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list, or the object itself. */
export function objectsIn(value: unknown, most = 1024): Fields[] {
  return (Array.isArray(value) ? value.slice(0, most) : [value]).filter(isFields);
}

/** A text or number as text, or undefined. */
export function fieldText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}
