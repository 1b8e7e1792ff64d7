import { explainDuckError, openDuck, parquet, patternList } from './duck.js';
import type { Selection, Store } from './store.js';

/** When the selected events of each file begin, by the file's number in the manifest. */
export async function fileStarts(store: Store, selection: Selection): Promise<Map<number, bigint>> {
  const paths = store.segments('events', selection).map((segment) => store.path(segment));
  if (paths.length === 0) return new Map();
  const duck = await openDuck();
  try {
    const connection = await duck.connect();
    const found = await connection.runAndReadAll(
      `SELECT file, min(ts) FROM ${parquet('$paths')}
       WHERE ts >= $from::BIGINT AND ($to::BIGINT IS NULL OR ts < $to::BIGINT) GROUP BY file ORDER BY file`,
      { paths: patternList(paths), from: selection.from ?? -(2n ** 63n), to: selection.to ?? null },
    );
    return new Map(found.getRows().map(([file, start]) => [Number(file), start as bigint]));
  } catch (error) {
    throw explainDuckError(error, store.folder);
  } finally {
    duck.closeSync();
  }
}
