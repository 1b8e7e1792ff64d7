const ADDRESS = /^\[?([0-9a-fA-F.:]+?)\]?:(\d+)$/;
/** Addresses of the host itself, and those that name no host. */
const LOCAL = /^(?:127\.|0\.0\.0\.0$|::1?$|22[4-9]\.|23\d\.|255\.|ff|fe80:|169\.254\.)/i;

export interface RemoteEnd {
  readonly address: string;
  readonly port: number;
}

/** The remote end in the name of a flow; undefined for addresses that say nothing about a remote host. */
export function remoteEnd(name: string): RemoteEnd | undefined {
  const [, address, port] = ADDRESS.exec(name) ?? [];
  return address === undefined || LOCAL.test(address) ? undefined : { address, port: Number(port) };
}
