import { printable } from '../../base/printable.js';

export type LogLevel = 'info' | 'warn' | 'error';
type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Receives what happens while `recal watch` runs. */
export type WatchLog = (level: LogLevel, event: string, fields?: Fields) => void;

/** Writes one line per event: JSON, or words. */
export function watchLog(
  format: 'text' | 'json',
  write: (line: string, level: LogLevel) => void,
  now: () => Date = () => new Date(),
): WatchLog {
  return (level, event, fields = {}) => {
    if (format === 'json') {
      write(JSON.stringify({ time: now().toISOString(), level, event, ...safe(fields) }), level);
      return;
    }
    const details = Object.entries(fields)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([key, value]) => `${key}=${printable(String(value), 300)}`);
    write([event, ...details].join(' '), level);
  };
}

function safe(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === 'string' ? printable(value, 1000) : value,
    ]),
  );
}
