import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import type { HostPart, Segment } from '../manifest.js';

/** Counts the rows of each host in `source`, SQL for rows of a segment, ordered by host. */
export async function countRows(
  connection: DuckDBConnection,
  kind: Segment['kind'],
  source: string,
  parameters: DuckDBValue[] = [],
): Promise<HostPart[]> {
  const [first, last] = kind === 'events' ? ['ts', 'ts'] : ['first_ts', 'last_ts'];
  const found = await connection.runAndReadAll(
    `SELECT host, count(*), min(${first}), max(${last}) FROM ${source} GROUP BY host ORDER BY host`,
    parameters,
  );
  return found.getRows().map(([host, rows, firstTs, lastTs]) => ({
    host: host as string,
    rows: Number(rows),
    firstTs: String(firstTs),
    lastTs: String(lastTs),
  }));
}
