/** The texts that the DARPA performers write for an unknown address. */
const NO_ADDRESS = new Set(['', 'NA', 'LOCAL', '<unknown>', 'unknown', 'null']);

/**
 * Formats `address:port`, with IPv6 addresses in brackets. Returns undefined if the log has no address and no port. A
 * port that is missing, -1 or 0 is left out.
 */
export function formatEndpoint(address: string, port: string): string | undefined {
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  const hasPort = number > 0 && number <= 65535;
  const none = NO_ADDRESS.has(address) || ((address === 'localhost' || address === '0.0.0.0') && !hasPort);
  if (none) return hasPort ? `*:${number}` : undefined;
  const host =
    address.includes(':') && !address.startsWith('[') && !address.startsWith('/') ? `[${address}]` : address;
  return hasPort ? `${host}:${number}` : address;
}
