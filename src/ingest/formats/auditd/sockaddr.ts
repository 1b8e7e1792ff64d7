import { FAMILY } from '../../kernel/act.js';
import { hexDigit } from './field-scan.js';

/** An address of a socket. `text` is `address:port`, a path, `@name` for an abstract socket, or undefined if unnamed. */
export interface SocketAddress {
  readonly family: number;
  readonly text: string | undefined;
}

const MAX_BYTES = 128;

/**
 * Reads the `saddr` of a SOCKADDR record: the C structure in hexadecimal. Its family is in the byte order of the host, so
 * 0200 and 0002 are both IPv4. Everything else is in network order.
 */
export function parseSocketAddress(bytes: Uint8Array, start: number, stop: number): SocketAddress {
  const length = Math.min((stop - start) >> 1, MAX_BYTES);
  const address = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const high = hexDigit(bytes[start + i * 2]);
    const low = hexDigit(bytes[start + i * 2 + 1]);
    if (high < 0 || low < 0) return { family: FAMILY.none, text: undefined };
    address[i] = (high << 4) | low;
  }
  if (length < 2) return { family: FAMILY.none, text: undefined };
  const family = address[0] === 0 ? address[1] : address[1] === 0 ? address[0] : FAMILY.other;
  if (family === FAMILY.unix) return { family, text: unixPath(address) };
  const port = (address[2] << 8) | address[3];
  if (family === FAMILY.inet && length >= 8) return { family, text: endpoint(formatIpv4(address, 4), port) };
  if (family === FAMILY.inet6 && length >= 24) {
    const inner = address.subarray(8, 24);
    const mapped =
      inner.subarray(0, 10).every((byte) => byte === 0) && inner[10] === 255 && inner[11] === 255;
    if (mapped) return { family, text: endpoint(formatIpv4(inner, 12), port) };
    return { family, text: endpoint(`[${formatIpv6(inner)}]`, port) };
  }
  return { family: family === 0 ? FAMILY.none : FAMILY.other, text: undefined };
}

function endpoint(address: string, port: number): string {
  return `${address}:${port}`;
}

function formatIpv4(bytes: Uint8Array, at: number): string {
  return `${bytes[at]}.${bytes[at + 1]}.${bytes[at + 2]}.${bytes[at + 3]}`;
}

/** A path ends at its first NUL. An abstract name starts with one. */
function unixPath(address: Uint8Array): string | undefined {
  const abstract = address[2] === 0;
  const from = abstract ? 3 : 2;
  const end = address.indexOf(0, from);
  const name = Buffer.from(address.subarray(from, end < 0 ? address.length : end)).toString('utf8');
  if (name === '') return undefined;
  return abstract ? `@${name}` : name;
}

/** Formats an IPv6 address as in RFC 5952: the longest run of zeros, of at least two, becomes `::`. */
function formatIpv6(bytes: Uint8Array): string {
  const groups = Array.from({ length: 8 }, (_, i) => (bytes[i * 2] << 8) | bytes[i * 2 + 1]);
  let [best, bestLength] = [-1, 1];
  for (let i = 0; i < 8; i++) {
    let length = 0;
    while (i + length < 8 && groups[i + length] === 0) length++;
    if (length > bestLength) [best, bestLength] = [i, length];
  }
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  if (best < 0) return hex(groups);
  return `${hex(groups.slice(0, best))}::${hex(groups.slice(best + bestLength))}`;
}
