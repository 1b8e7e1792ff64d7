import { createHash } from 'node:crypto';

const SAFE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/;

/** The folder name of a host. Host names come from logs, so characters that are unsafe in a path are replaced. */
export function hostFolder(host: string): string {
  if (SAFE.test(host)) return host;
  const digest = createHash('sha256').update(host).digest('hex').slice(0, 12);
  const readable = host.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40);
  return `h-${readable}-${digest}`;
}

/** The path of a segment: `events/HOST/DAY/INGEST-PART.parquet` or `entities/HOST/INGEST-PART.parquet`. */
export function segmentPath(
  kind: 'events' | 'entities',
  host: string,
  day: string | undefined,
  ingest: number,
  part: number,
): string {
  const name = `${String(ingest).padStart(5, '0')}-${String(part).padStart(4, '0')}.parquet`;
  return [kind, host, ...(day === undefined ? [] : [day]), name].join('/');
}
