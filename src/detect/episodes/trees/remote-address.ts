const ADDRESS = /^\[?([0-9a-fA-F.:]+?)\]?:\d+$/;
/** Addresses of the host itself, and those that name no host. */
const LOCAL = /^(?:127\.|0\.0\.0\.0$|::1?$|22[4-9]\.|23\d\.|255\.|ff|fe80:|169\.254\.)/i;

/** The remote address in the name of a flow; undefined for addresses that say nothing about a remote host. */
export function remoteAddress(name: string): string | undefined {
  const address = ADDRESS.exec(name)?.[1];
  return address === undefined || LOCAL.test(address) ? undefined : address;
}
