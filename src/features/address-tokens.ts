import { isIPv4, isIPv6 } from 'node:net';

/** Ports from this one on are mostly ephemeral, so their number carries no information (method §2). */
const FIRST_EPHEMERAL_PORT = 10_000;

const IPV6_GROUPS = 8;
/** Longer texts are not addresses, even with a zone and a port. */
const MAX_ADDRESS_LENGTH = 128;

/**
 * The prefixes of an address, so that addresses of a subnet share tokens: IPv4 by octets, IPv6 by its first 2, 3 and 4
 * groups, then the whole (method §2). Undefined if the text is not an address in lower case.
 */
export function addressTokens(text: string): string[] | undefined {
  if (text.length > MAX_ADDRESS_LENGTH) return undefined;
  if (isIPv4(text)) return ipv4Tokens(text);
  const bare = text.replace(/%.*$/s, ''); // the zone is only the name of a local interface
  if (!isIPv6(bare)) return undefined;
  const groups = expandIPv6(bare);
  const mapped = ipv4Of(groups);
  if (mapped !== undefined) return ipv4Tokens(mapped);
  return [2, 3, 4, IPV6_GROUPS].map((count) => groups.slice(0, count).join(':'));
}

/** The tokens of an endpoint. `name` is a host name, which the caller tokenises as a name. */
export interface EndpointTokens {
  readonly name?: string;
  readonly tokens: readonly string[];
}

/** Parses `address`, `address:port`, `[v6]:port`, `*:port` and `name:port`; undefined for paths and other texts. */
export function endpointTokens(endpoint: string): EndpointTokens | undefined {
  const text = endpoint.toLowerCase();
  if (text.length > MAX_ADDRESS_LENGTH + 256 || text.startsWith('/') || text.startsWith('\\'))
    return undefined;
  const whole = addressTokens(text);
  if (whole !== undefined) return { tokens: whole };
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined) {
    const inner = /^\[([^\]]*)\]$/.exec(text)?.[1];
    const tokens = inner === undefined ? undefined : addressTokens(inner);
    return tokens === undefined ? undefined : { tokens };
  }
  const host = bracketed ?? plain;
  const address = addressTokens(host);
  if (address !== undefined) return { tokens: [...address, portToken(port)] };
  if (host === '*' || host === '') return { tokens: [portToken(port)] };
  return { name: host, tokens: [portToken(port)] };
}

function portToken(digits: string): string {
  const port = Number(digits);
  return port < FIRST_EPHEMERAL_PORT ? String(port) : '#port';
}

function ipv4Tokens(text: string): string[] {
  const octets = text.split('.');
  return [1, 2, 3, 4].map((count) => octets.slice(0, count).join('.'));
}

/** Eight groups without leading zeros, the same for every spelling of an address. */
function expandIPv6(text: string): string[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  if (dotted !== null) {
    const [, head, a, b, c, d] = dotted;
    const pair = (high: string, low: string) => (Number(high) * 256 + Number(low)).toString(16);
    return expandIPv6(`${head}${pair(a, b)}:${pair(c, d)}`);
  }
  const [before, after] = text.split('::');
  const split = (part: string | undefined) => (part === undefined || part === '' ? [] : part.split(':'));
  const [left, right] = [split(before), split(after)];
  const zeros = new Array<string>(IPV6_GROUPS - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16).toString(16));
}

/** The IPv4 address in an IPv4-mapped address such as ::ffff:10.2.3.4, as dual-stack sockets write it. */
function ipv4Of(groups: readonly string[]): string | undefined {
  if (groups.slice(0, 5).some((group) => group !== '0') || groups[5] !== 'ffff') return undefined;
  return groups
    .slice(6)
    .flatMap((group) => {
      const value = Number.parseInt(group, 16);
      return [value >> 8, value & 255];
    })
    .join('.');
}
