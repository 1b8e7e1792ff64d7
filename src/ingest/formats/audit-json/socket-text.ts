import { FAMILY } from '../../kernel/act.js';

const MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

/** Formats an address as auditd/sockaddr.ts does: `address:port`, with IPv6 in brackets, or a path. */
export function socketText(family: number, address: string, port: string | undefined): string | undefined {
  if (address === '') return undefined;
  if (family === FAMILY.unix) return address.startsWith('\0') ? `@${address.slice(1)}` : address;
  const mapped = MAPPED.exec(address);
  if (mapped !== null) return `${mapped[1]}:${port ?? 0}`;
  return address.includes(':') ? `[${address.toLowerCase()}]:${port ?? 0}` : `${address}:${port ?? 0}`;
}
