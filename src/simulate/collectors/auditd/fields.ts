import { hash32 } from '../collector.js';

/** The kernel quotes a string without control characters, spaces and quotes, and writes any other in hexadecimal. */
export function untrusted(text: string): string {
  return /^[!#-~]*$/.test(text) ? `"${text}"` : hex(text);
}

function hex(text: string): string {
  return Buffer.from(text, 'utf8').toString('hex').toUpperCase();
}

/** The most bytes of a process title that the kernel logs. */
const TITLE_BYTES = 128;

/** The arguments, each with its final NUL but the last. */
export function processTitle(args: readonly string[]): string {
  return untrusted(args.join('\0').slice(0, TITLE_BYTES));
}

/** `sockaddr_in` in hexadecimal, as long as the kernel has it. */
export function inetAddress(address: string, port: number): string {
  const digits = address.split('.').map((part) => byte(Number(part)));
  return `0200${byte(port >> 8)}${byte(port & 0xff)}${digits.join('')}0000000000000000`;
}

/** `sockaddr_un` in hexadecimal: family, path and NUL. */
export function unixAddress(path: string): string {
  return `0100${hex(path)}00`;
}

function byte(value: number): string {
  return (0x100 + value).toString(16).slice(1).toUpperCase();
}

/** The inode of a folder. The simulated kernel has nodes only for the folders that programs open. */
export function folderInode(path: string): number {
  return 2_200_000 + (hash32(path) & 0xf_ffff);
}

/** The device of a path, as `major:minor`. */
export function deviceOf(path: string): string {
  if (path.startsWith('/proc/')) return '00:15';
  if (path.startsWith('/sys/')) return '00:16';
  if (path.startsWith('/dev/')) return '00:05';
  if (path.startsWith('/run/')) return '00:19';
  return 'fe:00';
}
