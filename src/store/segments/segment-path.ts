import { createHash } from 'node:crypto';

const SAFE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/;

/** The folder name of a host. Host names come from logs, so characters that are unsafe in a path are replaced. */
function hostFolder(host: string): string {
  if (SAFE.test(host)) return host;
  const digest = createHash('sha256').update(host).digest('hex').slice(0, 12);
  const readable = host.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40);
  return `h-${readable}-${digest}`;
}

/** The folder of segments that several hosts share. A host of this name may have segments there too. */
const SHARED = 'shared';

/** The folder of a segment with the rows of these hosts. */
export function folderOf(hosts: readonly { readonly host: string }[]): string {
  return hosts.length === 1 ? hostFolder(hosts[0].host) : SHARED;
}

/** The path of a segment: `events/FOLDER/DAY/INGEST-PART.parquet` or `entities/FOLDER/INGEST-PART.parquet`. */
export function segmentPath(
  kind: 'events' | 'entities',
  folder: string,
  day: string | undefined,
  ingest: number,
  part: number,
): string {
  const name = `${String(ingest).padStart(5, '0')}-${String(part).padStart(4, '0')}.parquet`;
  return [kind, folder, ...(day === undefined ? [] : [day]), name].join('/');
}
