import { BlockList, isIP } from 'node:net';

/** Addresses that no receiver of notifications has: cloud metadata services answer on link-local ones. */
const NEVER = new BlockList();
NEVER.addSubnet('0.0.0.0', 8);
NEVER.addSubnet('169.254.0.0', 16);
NEVER.addSubnet('224.0.0.0', 3);
NEVER.addAddress('::', 'ipv6');
NEVER.addSubnet('fe80::', 10, 'ipv6');
NEVER.addSubnet('ff00::', 8, 'ipv6');
NEVER.addAddress('fd00:ec2::254', 'ipv6');

const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8);
PRIVATE.addSubnet('100.64.0.0', 10);
PRIVATE.addSubnet('127.0.0.0', 8);
PRIVATE.addSubnet('172.16.0.0', 12);
PRIVATE.addSubnet('192.168.0.0', 16);
PRIVATE.addAddress('::1', 'ipv6');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');

/** Suffixes of host names in internal networks. */
const LOCAL_NAME = /^[^.]+$|\.(localhost|local|internal|intranet|lan|home\.arpa|corp)$/i;

/**
 * Returns why notifications must not be sent to this address, or undefined. A public name that leads to a private address is
 * refused: whoever controls the name could make recal connect to the internal network. A private address that the user
 * wrote is allowed.
 */
export function addressProblem(hostname: string, address: string): string | undefined {
  const plain = mapped(address);
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
  if (NEVER.check(plain, family)) return `${address} is reserved and cannot be a receiver`;
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0 || LOCAL_NAME.test(hostname) || !PRIVATE.check(plain, family)) return undefined;
  return `${hostname} resolves to the private address ${address}; if you mean that address, write it instead of the name`;
}

/** The IPv4 address inside an IPv6 one, if there is one. */
function mapped(address: string): string {
  const match = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return match === null ? address : match[1];
}
