import { explainStoreError, openDuckDB, pathList, readParquet } from './duckdb.js';
import type { Selection, Store } from './store.js';

/** Reads the time of the first selected event of each file, by file number. */
export async function readFileStarts(store: Store, selection: Selection): Promise<Map<number, bigint>> {
  const paths = await store.openSegments(store.segments('events', selection));
  if (paths.length === 0) return new Map();
  const database = await openDuckDB();
  try {
    const connection = await database.connect();
    const found = await connection.runAndReadAll(
      `SELECT file, min(ts) FROM ${readParquet('$paths')}
       WHERE ts >= $from::BIGINT AND ($to::BIGINT IS NULL OR ts < $to::BIGINT) GROUP BY file ORDER BY file`,
      { paths: pathList(paths), from: selection.from ?? -(2n ** 63n), to: selection.to ?? null },
    );
    return new Map(found.getRows().map(([file, start]) => [Number(file), start as bigint]));
  } catch (error) {
    throw explainStoreError(error, store.folder);
  } finally {
    database.closeSync();
  }
}
