/** A host with fewer rows in a segment shares the segment with others, because the segment would cost more than its rows. */
const SMALL_ROWS = 4096;
/** A shared segment is full from this many rows on: who selects one host reads at most about so many. */
const SHARED_ROWS = 131_072;
/** Fewer small hosts keep folders of their own, which are easier to look at. */
const SMALL_HOSTS = 8;

/** Divides hosts into those of each segment: large hosts alone in the given order, then small ones together by name. */
export function groupHosts<T extends { readonly host: string; readonly rows: number }>(
  hosts: readonly T[],
): T[][] {
  const small = hosts.filter(({ rows }) => rows < SMALL_ROWS);
  if (small.length < SMALL_HOSTS) return hosts.map((host) => [host]);
  const groups = hosts.filter(({ rows }) => rows >= SMALL_ROWS).map((host) => [host]);
  let sharing: T[] = [];
  let rows = 0;
  for (const host of small.sort((a, b) => (a.host < b.host ? -1 : 1))) {
    if (sharing.length === 0) groups.push(sharing);
    sharing.push(host);
    rows += host.rows;
    if (rows < SHARED_ROWS) continue;
    sharing = [];
    rows = 0;
  }
  return groups;
}
