import type { HostPart, Segment } from '../manifest.js';

/** What a segment holds of one host: all of it, or the rows of that host in a segment that several hosts share. */
export interface SegmentPart extends HostPart, Pick<Segment, 'kind' | 'path' | 'ingest' | 'day'> {
  readonly segment: Segment;
}

/** The parts of segments, in their order. */
export function partsOf(segments: readonly Segment[]): SegmentPart[] {
  return segments.flatMap((segment) => {
    const { kind, path, ingest, day } = segment;
    return hostParts(segment).map((part) => ({ kind, path, ingest, day, segment, ...part }));
  });
}

/** The rows of each host in a segment. */
export function hostParts({ host, hosts, rows, firstTs, lastTs }: Segment): readonly HostPart[] {
  return host === null ? (hosts ?? []) : [{ host, rows, firstTs, lastTs }];
}

/** What the entry of a segment says of its rows. */
export type SegmentRows = Pick<Segment, 'host' | 'hosts' | 'rows' | 'firstTs' | 'lastTs'>;

/** Describes a segment by the rows of its hosts. */
export function describeRows(parts: readonly HostPart[]): SegmentRows {
  const [first] = parts;
  if (parts.length === 1) return { ...first, hosts: undefined };
  const times = parts.flatMap(({ firstTs, lastTs }) =>
    [firstTs, lastTs].flatMap((time) => (time === null ? [] : [BigInt(time)])),
  );
  const sorted = BigInt64Array.from(times).sort();
  return {
    host: null,
    hosts: [...parts],
    rows: parts.reduce((sum, { rows }) => sum + rows, 0),
    firstTs: sorted.length === 0 ? null : String(sorted[0]),
    lastTs: sorted.length === 0 ? null : String(sorted[sorted.length - 1]),
  };
}

/** The segments of parts, and the hosts to read from them if they have rows of other hosts too. */
export function segmentsOf(parts: readonly SegmentPart[]): {
  readonly segments: readonly Segment[];
  readonly hosts: readonly string[] | undefined;
} {
  const segments = [...new Set(parts.map(({ segment }) => segment))];
  const hosts = new Set(parts.map(({ host }) => host));
  const hasOthers = segments.some((segment) => hostParts(segment).some(({ host }) => !hosts.has(host)));
  return { segments, hosts: hasOthers ? [...hosts].sort() : undefined };
}
