import { formatEndpoint } from '../network.js';
import type { Described } from './event-rows.js';

const WINDOWS_PATH = /^(?:[a-z]:[\\/]|\\)/i;

/** Describes a file by its path. Windows paths are the same in any case. */
export function fileAt(path: string): Described {
  return { id: WINDOWS_PATH.test(path) ? path.toLowerCase() : path, type: 'file', name: path };
}

/** Describes a registry key or value. */
export function registryAt(path: string): Described {
  return { id: path.toLowerCase(), type: 'registry', name: path };
}

/** Describes a domain name that was asked for. */
export function domainNamed(name: string): Described {
  return { id: `dns:${name.toLowerCase()}`, type: 'other', kind: 'domain', name };
}

/** The end of a connection as a log writes it. */
export interface Endpoint {
  address: string | undefined;
  port: string | undefined;
}

/** Describes the flow between two ends. It is known by its remote end, or by the local one if there is no other. */
export function flowBetween(remote: Endpoint, local: Endpoint, kind?: string): Described | undefined {
  const far = formatEndpoint(remote.address ?? '', remote.port ?? '');
  const near = formatEndpoint(local.address ?? '', local.port ?? '');
  const name = far ?? near;
  if (name === undefined) return undefined;
  return { id: name, type: 'flow', kind, name, local: name === far ? near : undefined };
}

/** The identifier of a user: `uid:0` for a number, else the SID or name in lower case. */
export function userId(id: string | undefined, name: string | undefined): string | undefined {
  if (id !== undefined) return /^\d+$/.test(id) ? `uid:${id}` : id.toLowerCase();
  return name?.toLowerCase();
}
