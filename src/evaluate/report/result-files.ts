import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../base/files/replace-file.js';
import { safeJson } from '../../base/safe-json.js';
import { nameOf } from '../../graph/node-names.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import { type CsvValue, csvRecord } from '../../report/page/csv.js';
import type { Evaluation, EvaluationCurves } from '../evaluation.js';
import { attackRow } from '../metrics/attack-metrics.js';
import { ranksApart, type ScoreColumn, scoreAt } from '../metrics/score-sheet.js';
import type { LoadedSplit } from '../protocol/splits.js';
import type { EvaluationResult } from '../result-schema.js';

/** Writes the report into the folder. */
export type ReportWriter = (
  result: EvaluationResult,
  curves: EvaluationCurves,
  folder: string,
) => Promise<void>;

const RESULT = 'result.json';
const SCORES = 'scores.csv';

/** Writes `result.json`, `scores.csv` and, if `writeReport` is given, the report. */
export async function writeEvaluation(
  folder: string,
  evaluation: Evaluation,
  test: Pick<LoadedSplit, 'events' | 'names'>,
  writeReport?: ReportWriter | undefined,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, RESULT);
  await replaceFile(path, `${safeJson(evaluation.result)}\n`);
  await writeScores(join(folder, SCORES), evaluation, test);
  await writeReport?.(evaluation.result, evaluation.curves, folder);
}

/** Removes the files of an earlier `writeEvaluation` without a report, and the folder if it is then empty. True if there were any. */
export async function removeEvaluation(folder: string): Promise<boolean> {
  const old = [RESULT, SCORES].map((name) => join(folder, name)).filter((path) => existsSync(path));
  for (const path of old) await rm(path, { force: true });
  if (old.length > 0) await rmdir(folder).catch(() => undefined);
  return old.length > 0;
}

/** One row per node of the test split. */
async function writeScores(
  path: string,
  { scores, labels }: Evaluation,
  { events, names }: Pick<LoadedSplit, 'events' | 'names'>,
): Promise<void> {
  const hostOf = (node: number) => events.hosts[events.keys.hostAt(node)]; // a uuid may occur on two hosts
  const attacks = attacksByNode(labels.attacks);
  const columns = scores.flatMap(columnsOf);
  const out = createWriteStream(`${path}.new`);
  out.write(
    csvRecord([
      'node',
      'host',
      'uuid',
      'type',
      'name',
      'label',
      'attack',
      ...columns.map(({ heading }) => heading),
    ]),
  );
  for (let node = 0; node < events.keys.size; node++) {
    const row: CsvValue[] = [
      node,
      hostOf(node),
      events.uuid(node),
      ENTITY_TYPES[names.types[node]],
      nameOf(names, node),
      labels.positives[node] !== 0 ? 1 : labels.ignored[node] !== 0 ? 'ignored' : 0,
      attacks.get(node)?.join(';'),
      ...columns.map(({ at }) => at(node)),
    ];
    if (!out.write(csvRecord(row))) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
  await rename(`${path}.new`, path);
}

interface Column {
  readonly heading: string;
  readonly at: (node: number) => number;
}

/** The score, and the ranking if it differs. */
function columnsOf(column: ScoreColumn): Column[] {
  const heading = `${column.variant} ${column.seed}`;
  const score = { heading, at: (node: number) => scoreAt(column, node) };
  return ranksApart(column)
    ? [score, { heading: `${heading} rank`, at: (node) => column.ranking[node] }]
    : [score];
}

function attacksByNode(attacks: Evaluation['labels']['attacks']): Map<number, string[]> {
  const result = new Map<number, string[]>();
  attacks?.names.forEach((name, attack) => {
    for (const node of attackRow(attacks, attack)) result.set(node, [...(result.get(node) ?? []), name]);
  });
  return result;
}
