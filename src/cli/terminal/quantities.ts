import { groupThousands } from '../../base/number-text.js';

/** 1234567 → 1,234,567. Fractions keep their digits. */
export function formatCount(value: number | bigint): string {
  const digits = String(value);
  // Infinity, NaN and 1e+21 have no digits to group.
  return /[a-z]/.test(digits) ? digits : groupThousands(digits);
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** 1536 → 1.5 KiB */
export function formatBytes(bytes: number | bigint): string {
  let value = Number(bytes);
  let unit = 0;
  // 1023.95 KiB would be printed as 1024.0 KiB.
  while (Math.abs(value) >= (unit === 0 ? 1024 : 1023.95) && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? `${value} B` : `${value.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

/** Formats milliseconds: 350 ms, 2.5 s, 1m 20s, 2h 05m, 3d 4h. */
export function formatDuration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return '?';
  if (milliseconds < 0) return `-${formatDuration(-milliseconds)}`;
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 9_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${pad(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h ${pad(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

const pad = (value: number): string => String(value).padStart(2, '0');
