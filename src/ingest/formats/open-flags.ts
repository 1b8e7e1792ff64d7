import { FLOW_IN, FLOW_OUT, FLOW_UNKNOWN } from '../flow.js';

/** The two lowest bits are the same on FreeBSD and Linux: 0 read, 1 write, 2 both. */
const ACCESS_MODE = 3;

/**
 * Returns the direction of information for the flags of an OPEN event: out if the file is open for writing. Flags are
 * names (TRACE `O_RDWR|O_CREAT`), decimal (THEIA `591872`) or hexadecimal bytes (CADETS `0602`).
 */
export function directionOfOpen(flags: string, radix: 10 | 16): number {
  if (/^[0-9A-Fa-f]{1,16}$/.test(flags) && (radix === 16 || /^\d+$/.test(flags))) {
    const low = radix === 16 ? Number.parseInt(flags.slice(-2), 16) : Number(flags.slice(-2)) % 4;
    return (low & ACCESS_MODE) === 0 ? FLOW_IN : FLOW_OUT;
  }
  if (/\bO_(RDWR|WRONLY)\b/.test(flags)) return FLOW_OUT;
  return /\bO_RDONLY\b/.test(flags) ? FLOW_IN : FLOW_UNKNOWN;
}

/** Returns the value of the parameter `flags` in the `parameters.array` of a CADETS event. */
export function flagsParameter(parameters: string): string | undefined {
  const value: unknown = JSON.parse(parameters);
  const list = Array.isArray(value) ? value : (value as { array?: unknown }).array;
  if (!Array.isArray(list)) return undefined;
  for (const item of list as { name?: unknown; valueBytes?: unknown }[]) {
    if (unwrap(item?.name) === 'flags') {
      const bytes = unwrap(item.valueBytes);
      if (typeof bytes === 'string') return bytes;
    }
  }
  return undefined;
}

function unwrap(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? Object.values(value)[0] : value;
}
