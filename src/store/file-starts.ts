import { explainStoreError, openDuckDB, readOpen } from './duckdb.js';
import type { Selection, Store } from './store.js';

/** Reads the time of the first selected event of each file, by file number. */
export async function readFileStarts(store: Store, selection: Selection): Promise<Map<number, bigint>> {
  const segments = store.segments('events', selection);
  if (segments.length === 0) return new Map();
  const { source, parameters } = readOpen('events', await store.openSegments(segments));
  const database = await openDuckDB();
  try {
    const connection = await database.connect();
    const found = await connection.runAndReadAll(
      `SELECT file, min(ts) FROM ${source}
       WHERE ts >= $from::BIGINT AND ($to::BIGINT IS NULL OR ts < $to::BIGINT) GROUP BY file ORDER BY file`,
      { ...parameters, from: selection.from ?? -(2n ** 63n), to: selection.to ?? null },
    );
    return new Map(found.getRows().map(([file, start]) => [Number(file), start as bigint]));
  } catch (error) {
    throw explainStoreError(error, store.folder);
  } finally {
    database.closeSync();
  }
}
